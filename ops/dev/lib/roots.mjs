/** Roots of other Debians, to try on this host what they do: mmdebstrap makes them, chroot enters. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** @type {Readonly<Record<string, string>>} */
export const SUITES = { debian12: 'bookworm', debian13: 'trixie' };

/**
 * @param {string} suite such as `bookworm`
 * @param {string} root a folder that is not there, or is empty
 * @param {readonly string[]} packages beside the smallest Debian
 * @param {string | undefined} [base] a root of the suite that has them: a copy takes seconds
 */
export function makeRoot(suite, root, packages, base = process.env[`RINGWAY_ROOT_${suite}`]) {
  if (base !== undefined) return must('cp', ['--archive', `${base}/.`, root]);
  if (process.getuid?.() !== 0) throw new Error('to make a root, and to change to it, needs root');
  const options = ['--mode=root', '--variant=minbase', '--quiet'];
  if (packages.length > 0) options.push(`--include=${packages.join(',')}`);
  must('mmdebstrap', [...options, suite, root, `deb ${mirror()} ${suite} main`]);
  // To reach the registries as this host does.
  for (const file of ['/etc/resolv.conf', process.env.NODE_EXTRA_CA_CERTS]) {
    if (file === undefined || !existsSync(file)) continue;
    mkdirSync(path.dirname(root + file), { recursive: true });
    rmSync(root + file, { force: true });
    copyFileSync(file, root + file);
  }
}

/** Where this host has its packages from. */
function mirror() {
  const folder = '/etc/apt/sources.list.d';
  const named = existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];
  const files = [...named, '/etc/apt/sources.list'].filter((file) => existsSync(file));
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const found = /^(?:URIs:|deb (?:\[[^\]]*\] )?)\s*(?<uri>\S+\/debian)\/?\s/m.exec(text);
  return found?.groups?.uri ?? 'http://deb.debian.org/debian';
}

/**
 * @typedef {object} Within
 * @property {string} [cwd] a folder of the root
 * @property {'pipe' | 'inherit'} [output] of stdout alone
 * @property {Readonly<Record<string, string>>} [env]
 * @property {Readonly<Record<string, string>>} [shown] folders of this host that it can read, by their
 *   places in the root
 */

/**
 * Starts a command in namespaces of its own: mounts and processes end with the first of them.
 *
 * @param {string} root
 * @param {readonly string[]} command
 * @param {Within} [options]
 */
export function spawnWithin(root, command, options = {}) {
  const { cwd = '/', output = 'inherit', env = {}, shown = {} } = options;
  const shows = Object.entries(shown).flatMap(([inside, folder]) => {
    mkdirSync(root + inside, { recursive: true });
    return `mount --bind '${folder}' "$0${inside}" && mount -o remount,bind,ro "$0${inside}" && `;
  });
  const enter =
    'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --make-rslave "$0/dev" && ' +
    shows.join('') +
    'folder=$1 && shift && ' +
    `exec chroot "$0" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"`;
  return spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', enter, root, cwd, ...command],
    { stdio: ['ignore', output, 'inherit'], env: { ...environment(), ...env } },
  );
}

/**
 * Runs a command to its end.
 *
 * @param {string} root
 * @param {readonly string[]} command
 * @param {Within} [options]
 * @returns {Promise<number>} its exit code
 */
export function within(root, command, options = {}) {
  const child = spawnWithin(root, command, options);
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

/** Nothing of this host but the way to the registries. */
function environment() {
  const kept = ['NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: '/root',
    ...Object.fromEntries(
      kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
  };
}

/** @param {string} command @param {readonly string[]} args */
export function must(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined) throw new Error(`${command}: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}
