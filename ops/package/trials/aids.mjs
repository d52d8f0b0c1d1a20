/** For all trials: packages as they were built, a root that is thrown away later, commands in it. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { makeRoot, spawnWithin, within } from '../../dev/lib/roots.mjs';

/** Without progress on a terminal, and without packages that are only recommended. */
export const APT = ['apt-get', '-qq', '-o=Dpkg::Use-Pty=0', '--yes', '--no-install-recommends'];

/** Other suites may have the processors: the service's own thirty seconds were not enough once. */
export const READY_MS = 300_000;
/** For `ringway wait-ready`. */
export const PATIENTLY = ['--timeout-ms', String(READY_MS)];

/** @param {string} name */
export function step(name) {
  console.log(`try: ${name}`);
}

/**
 * @param {string} packages a folder
 * @param {string} prefix
 * @param {string} [ending]
 * @returns {string} a path
 */
export function packageOf(packages, prefix, ending = '.deb') {
  const name = readdirSync(packages).find((one) => one.startsWith(prefix) && one.endsWith(ending));
  if (name === undefined) throw new Error(`there is no ${prefix}*${ending}: npm run package`);
  return `${packages}/${name}`;
}

/**
 * Hands a new root to `work`, and removes it.
 *
 * @param {string} suite such as `bookworm`
 * @param {readonly string[]} more packages of Debian
 * @param {(root: string) => Promise<void>} work
 */
export async function withRoot(suite, more, work) {
  const root = mkdtempSync(`${tmpdir()}/ringway-try-`);
  try {
    step(`a root of ${suite}`);
    makeRoot(suite, root, ['ca-certificates']);
    // The root is thrown away later: dpkg need not sync it.
    writeFileSync(`${root}/etc/dpkg/dpkg.cfg.d/unsafe-io`, 'force-unsafe-io\n');
    await command(root, ['apt-get', '-qq', 'update']);
    if (more.length > 0) await command(root, [...APT, 'install', ...more]);
    await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** @param {string} root @param {string} deb @returns {string} its path in the root */
export function putDeb(root, deb) {
  const inside = `/tmp/${deb.split('/').at(-1)}`;
  copyFileSync(deb, root + inside);
  return inside;
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 */
export async function command(root, args, env = {}) {
  await ends(root, args, 0, env);
}

/**
 * Runs a command that has to end with `expected`.
 *
 * @param {string} root
 * @param {readonly string[]} args
 * @param {number} expected
 * @param {Readonly<Record<string, string>>} [env]
 */
export async function ends(root, args, expected, env = {}) {
  const code = await within(root, args, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (code !== expected) throw new Error(`${args.join(' ')} ended with ${code}`);
}

/** @param {string} root @param {readonly string[]} args @returns {Promise<string>} its stdout */
export async function saidBy(root, args) {
  const child = spawnWithin(root, args, { output: 'pipe' });
  return (await text(child.stdout ?? [])).trim();
}
