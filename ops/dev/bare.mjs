/**
 * Tries Ringway on a bare Debian: what `npm start` and `npm test` do where nothing but git, CA
 * certificates and Node are installed.
 *
 *     node ops/dev/bare.mjs debian12|debian13             with the Node that runs this
 *     node ops/dev/bare.mjs debian13 --node 24            with another, as the npm package `node` has it
 *     node ops/dev/bare.mjs debian12 --until start        the start and its first answer alone
 *     node ops/dev/bare.mjs debian12 --until test:unit    and the unit tests
 *     node ops/dev/bare.mjs debian13 --dir DIR            in a folder that is kept, and used again
 *
 * The clone is of the commit that is checked out. It needs root, mmdebstrap, and a mirror of Debian:
 * that of this host. Processes and mounts of the root end with it. The exit code is that of the tests.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { messageOf } from './lib/errors.mjs';
import { ROOT } from './lib/paths.mjs';

/** @type {Readonly<Record<string, string>>} */
const SUITES = { debian12: 'bookworm', debian13: 'trixie' };
const PLACE = '/srv/ringway';
const STEPS = ['start', 'test:unit', 'test'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string' },
    dir: { type: 'string' },
    until: { type: 'string', default: 'test' },
  },
});

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`bare: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function main() {
  const suite = SUITES[positionals[0] ?? ''];
  if (suite === undefined || !STEPS.includes(values.until)) {
    throw new Error('usage: node ops/dev/bare.mjs debian12|debian13 [--node N] [--until STEP]');
  }
  if (process.getuid?.() !== 0) throw new Error('to make a root, and to change to it, needs root');
  const root = path.resolve(values.dir ?? mkdtempSync(`${tmpdir()}/ringway-bare-`));
  try {
    if (!existsSync(`${root}/etc/debian_version`)) makeRoot(suite, root);
    putNode(root);
    clone(root);
    await start(root);
    if (values.until === 'start') return 0;
    return await within(root, [
      'npm',
      ...(values.until === 'test' ? ['test'] : ['run', values.until]),
    ]);
  } finally {
    if (values.dir === undefined) rmSync(root, { recursive: true, force: true });
  }
}

/** @param {string} suite @param {string} root */
function makeRoot(suite, root) {
  console.log(`bare: making a root of ${suite}`);
  const options = ['--mode=root', '--variant=minbase', '--include=ca-certificates,git'];
  must('mmdebstrap', [...options, suite, root, `deb ${mirror()} ${suite} main`]);
  // To reach the registry of npm as this host does.
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

/** Node and npm, as the archives of nodejs.org have them. @param {string} root */
function putNode(root) {
  const [bin, lib] = [`${root}/usr/local/bin`, `${root}/usr/local/lib/node_modules/npm`];
  rmSync(`${bin}/node`, { force: true });
  copyFileSync(programOf(values.node, root), `${bin}/node`);
  if (existsSync(lib)) return;
  const npm = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' }).stdout.trim();
  cpSync(realpathSync(`${npm}/npm`), lib, { recursive: true });
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, `${bin}/${name}`);
  }
}

/** @param {string | undefined} version @param {string} root @returns {string} a path */
function programOf(version, root) {
  if (version === undefined) return process.execPath;
  const folder = `${root}/opt/node-${version}`;
  must('npm', ['install', '--silent', '--prefix', folder, `node@${version}`]);
  return `${folder}/node_modules/node/bin/node`;
}

/** @param {string} root */
function clone(root) {
  rmSync(root + PLACE, { recursive: true, force: true });
  must('git', ['clone', '--quiet', '--no-local', ROOT, root + PLACE]);
}

/** `npm start`, until it has answered. @param {string} root */
async function start(root) {
  const none = '127.0.0.1:0';
  const flags = ['--s3', none, '--admin', none, '--console', none, '--store', none];
  const child = spawnWithin(root, ['npm', 'start', '--', '--data', '/tmp/data', ...flags], 'pipe');
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const endpoint = await new Promise((resolve, reject) => {
      const input = child.stdout ?? undefined;
      if (input === undefined) throw new Error('there is no output to read');
      createInterface({ input }).on('line', (line) => {
        console.log(`start | ${line}`);
        const found = /^\s*S3\s.*?(?<url>http:\/\/127\.0\.0\.1:\d+)/.exec(line);
        if (found !== null) resolve(found.groups?.url);
      });
      child.once('close', (code) => reject(new Error(`npm start ended with ${code}`)));
    });
    // Without a signature: what counts is that S3 answers.
    const answer = await fetch(endpoint);
    console.log(`bare: ${endpoint} answered ${answer.status}`);
    if (answer.status !== 403) throw new Error(`expected 403, and got ${answer.status}`);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** @param {string} root @param {readonly string[]} command @returns {Promise<number>} */
function within(root, command) {
  const child = spawnWithin(root, command, 'inherit');
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

/**
 * In namespaces of its own: mounts and processes end with the first of them.
 *
 * @param {string} root
 * @param {readonly string[]} command
 * @param {'pipe' | 'inherit'} output
 */
function spawnWithin(root, command, output) {
  const enter =
    'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --make-rslave "$0/dev" && ' +
    `exec chroot "$0" /bin/sh -c 'cd ${PLACE} && exec "$@"' sh "$@"`;
  return spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', enter, root, ...command],
    { stdio: ['ignore', output, 'inherit'], env: environment() },
  );
}

/** Nothing of this host but the way to the registry. */
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
function must(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined) throw new Error(`${command}: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}
