/**
 * Tries Ringway on a bare Debian: what `npm start` and `npm test` do where nothing but git, CA
 * certificates and Node are installed.
 *
 *     node ops/dev/bare.mjs debian12|debian13             with the Node that runs this
 *     node ops/dev/bare.mjs debian13 --node 24            with another, as the npm package `node` has it
 *     node ops/dev/bare.mjs debian12 --until start        the start and its first answer alone
 *     node ops/dev/bare.mjs debian12 --until test:unit    and the unit tests
 *     node ops/dev/bare.mjs debian13 --dir DIR            in a folder that is kept, and used again
 *     node ops/dev/bare.mjs debian13 --built              with what this checkout has installed and built
 *     node ops/dev/bare.mjs debian13 test/http            with some tests alone, or after the unit tests
 *
 * The start serves one object and a login to the console. The clone is of the commit that is checked
 * out. It needs root, mmdebstrap, and a mirror of Debian: that of this host. Processes and mounts of
 * the root end with it. The exit code is that of the tests.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { messageOf } from './lib/errors.mjs';
import { ROOT } from './lib/paths.mjs';
import { logIn } from './lib/console-login.mjs';
import { SUITES, makeRoot, must, spawnWithin, within } from './lib/roots.mjs';

const PLACE = '/srv/ringway';
const DATA = '/tmp/data';
const STEPS = ['start', 'test:unit', 'test'];
/** Entries of a checkout beside its sources; the first two are shown to the root. */
const NOT_SOURCES = new Set([
  ...['node_modules', 'dist', 'dist-packages', 'coverage', 'artifacts', 'data'],
  ...['.git', '.build', '.swift-lab'],
]);
/** The lines of `npm start` that a client has to know. */
const SAID = {
  s3: /^ {2}S3 endpoint +(\S+)$/,
  accessKeyId: /^ {2}Access key +(\S+)$/,
  secretAccessKey: /^ {2}Secret key +(\S+) /,
  console: /^ {2}Console +(\S+)$/,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string' },
    dir: { type: 'string' },
    until: { type: 'string', default: 'test' },
    built: { type: 'boolean', default: false },
  },
});
/** Without a clone of its own, a root sees those of this checkout. */
const shown = values.built
  ? { [`${PLACE}/node_modules`]: `${ROOT}/node_modules`, [`${PLACE}/dist`]: `${ROOT}/dist` }
  : {};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`bare: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function main() {
  const [name = '', ...tests] = positionals;
  const suite = SUITES[name];
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
    const some = ['test', '--', ...tests];
    const scripts = values.until === 'test' ? [some] : [['run', values.until]];
    if (values.until !== 'test' && tests.length > 0) scripts.push(some);
    for (const script of scripts) {
      const code = await within(root, ['npm', ...script], { cwd: PLACE, shown });
      if (code !== 0) return code;
    }
    return 0;
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
  for (const old of [PLACE, DATA]) rmSync(root + old, { recursive: true, force: true });
  if (!values.built) return must('git', ['clone', '--quiet', '--no-local', ROOT, root + PLACE]);
  mkdirSync(root + PLACE, { recursive: true });
  const sources = readdirSync(ROOT).filter((one) => !NOT_SOURCES.has(one));
  // With their times to the nanosecond, by which a build knows whether it is of these sources.
  must('cp', ['--archive', ...sources.map((one) => `${ROOT}/${one}`), root + PLACE]);
}

/** `npm start`, until it has served an object and a login. @param {string} root */
async function start(root) {
  const none = '127.0.0.1:0';
  const flags = ['--s3', none, '--admin', none, '--console', none, '--store', none];
  const command = ['npm', 'start', '--', '--data', DATA, ...flags];
  const child = spawnWithin(root, command, { cwd: PLACE, output: 'pipe', shown });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const said = await new Promise((resolve, reject) => {
      const input = child.stdout ?? undefined;
      if (input === undefined) throw new Error('there is no output to read');
      /** @type {Record<string, string>} */
      const said = {};
      createInterface({ input }).on('line', (line) => {
        console.log(`start | ${line}`);
        for (const [name, pattern] of Object.entries(SAID)) {
          const [, value] = pattern.exec(line) ?? [];
          if (value !== undefined) said[name] = value;
        }
        if (Object.keys(SAID).every((name) => said[name] !== undefined)) resolve(said);
      });
      child.once('close', (code) => reject(new Error(`npm start ended with ${code}`)));
    });
    await serveObject(said);
    const { console: origin = '', accessKeyId: user = '', secretAccessKey: key = '' } = said;
    await logIn(origin, { user, key });
    console.log(`bare: ${origin} has logged in`);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** @param {Record<string, string>} said */
async function serveObject({ s3 = '', accessKeyId = '', secretAccessKey = '' }) {
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({
    endpoint: s3,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
  });
  const target = { Bucket: 'bare', Key: 'object' };
  await client.send(new CreateBucketCommand({ Bucket: target.Bucket }));
  await client.send(new PutObjectCommand({ ...target, Body: 'of a bare machine' }));
  const { Body } = await client.send(new GetObjectCommand(target));
  const text = await Body?.transformToString();
  if (text !== 'of a bare machine') throw new Error(`the object came back as ${text}`);
  client.destroy();
  console.log(`bare: ${s3} has stored an object, and read it`);
}
