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
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
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
import { SUITES, makeRoot, must, spawnWithin, within } from './lib/roots.mjs';

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
  const root = path.resolve(values.dir ?? mkdtempSync(`${tmpdir()}/ringway-bare-`));
  try {
    if (!existsSync(`${root}/etc/debian_version`)) {
      console.log(`bare: making a root of ${suite}`);
      makeRoot(suite, root, ['ca-certificates', 'git']);
    }
    putNode(root);
    clone(root);
    await start(root);
    if (values.until === 'start') return 0;
    const script = values.until === 'test' ? ['test'] : ['run', values.until];
    return await within(root, ['npm', ...script], { cwd: PLACE });
  } finally {
    if (values.dir === undefined) rmSync(root, { recursive: true, force: true });
  }
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
  const command = ['npm', 'start', '--', '--data', '/tmp/data', ...flags];
  const child = spawnWithin(root, command, { cwd: PLACE, output: 'pipe' });
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
