/**
 * Tries the packages of `dist-packages/` on a clean Debian, as an operator uses them: installs,
 * starts by the unit's own command lines, stores and reads by S3, logs in to the console, reloads,
 * upgrades and goes back while clients read, removes, purges.
 *
 *     npm run package && node ops/package/try.mjs debian12|debian13 [--packages DIR]
 *
 * It needs root, mmdebstrap, dpkg-deb and the aws cli. The exit code is 0 when all of it worked.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { messageOf } from '../dev/lib/errors.mjs';
import { ROOT } from '../dev/lib/paths.mjs';
import { SUITES, makeRoot, must, spawnWithin, within } from '../dev/lib/roots.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { packages: { type: 'string', default: `${ROOT}/dist-packages` } },
});
const PACKAGES = values.packages;
/** Beside whatever else runs on this host: the root shares its network. */
const PORTS = { s3: 18_000, admin: 18_464, console: 18_900, store: 18_001 };
const UNIT = readFileSync(`${ROOT}/ops/systemd/ringway.service`, 'utf8');
const AS_SERVICE = ['setpriv', '--reuid=ringway', '--regid=ringway', '--clear-groups'];
const CONFIG = '/etc/ringway/ringway.json';
/** Between the reads of a client, which leave the processors to what is tried. */
const READ_EVERY_MS = 10;
const QUIET_APT = ['apt-get', '-qq', '-o=Dpkg::Use-Pty=0', '--yes', '--no-install-recommends'];

try {
  await main(positionals[0] ?? '');
  console.log('try: all of it worked');
} catch (error) {
  console.error(`try: ${messageOf(error)}`);
  process.exitCode = 1;
}

/** @param {string} name */
async function main(name) {
  const suite = SUITES[name];
  if (suite === undefined) throw new Error('usage: node ops/package/try.mjs debian12|debian13');
  const root = mkdtempSync(`${tmpdir()}/ringway-try-`);
  try {
    step(`a root of ${suite}`);
    makeRoot(suite, root, ['ca-certificates']);
    // The root is thrown away later: dpkg need not sync it.
    writeFileSync(`${root}/etc/dpkg/dpkg.cfg.d/unsafe-io`, 'force-unsafe-io\n');
    await install(root, suite);
    const service = await startService(root);
    try {
      const access = keyOf(root);
      await storeAndRead(access);
      await logIn(access);
      await whileClientsRead(access, 'a reload', () => unit(root, 'ExecReload'));
      const newer = otherVersion('1.0.1');
      try {
        await whileClientsRead(access, 'an upgrade', () => change(root, newer));
        await whileClientsRead(access, 'the way back', () => change(root, packageOf('ringway_')));
      } finally {
        rmSync(newer);
      }
      await storeAndRead(access);
    } finally {
      const ended = once(service, 'close');
      if (service.exitCode === null) await command(root, ['ringway', 'drain', '--config', CONFIG]);
      await ended;
    }
    await asInDocker(root);
    await takeAway(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** @param {string} root @param {string} suite */
async function install(root, suite) {
  step('apt-get install');
  const debs = [packageOf('ringway_')];
  // Debian 13 has a Node that is new enough.
  if (suite === 'bookworm') debs.push(packageOf('ringway-node_22'));
  const names = debs.map((deb) => putDeb(root, deb));
  await command(root, ['apt-get', '-qq', 'update']);
  await command(root, [...QUIET_APT, 'install', ...names]);
  await command(root, ['ringway', 'version']);
  const config = JSON.parse(readFileSync(root + CONFIG, 'utf8'));
  config.s3_listen = `127.0.0.1:${PORTS.s3}`;
  config.admin_listen = `127.0.0.1:${PORTS.admin}`;
  config.console_listen = `127.0.0.1:${PORTS.console}`;
  config.store_listen = `127.0.0.1:${PORTS.store}`;
  writeFileSync(root + CONFIG, JSON.stringify(config, null, 2));
}

/** @param {string} root */
async function startService(root) {
  step('the start of the unit');
  await unit(root, 'ExecStartPre');
  const service = spawnWithin(root, [...AS_SERVICE, ...commandOf('ExecStart')], { output: 'pipe' });
  service.stdout?.resume();
  await unit(root, 'ExecStartPost');
  return service;
}

/** @param {string} root @returns {{ access_key: string, secret_key: string }} */
function keyOf(root) {
  const text = readFileSync(`${root}/var/lib/ringway/credentials.json`, 'utf8');
  const [first] = [...text.matchAll(/"access_key":\s*"([^"]+)"[^}]*?"secret_key":\s*"([^"]+)"/g)];
  if (first === undefined) throw new Error('there is no credential');
  return { access_key: first[1] ?? '', secret_key: first[2] ?? '' };
}

/** @param {{ access_key: string, secret_key: string }} access */
async function storeAndRead(access) {
  step('aws s3 cp, both ways');
  const folder = mkdtempSync(`${tmpdir()}/ringway-try-files-`);
  try {
    const bytes = Buffer.alloc(9 << 20, 'ringway ');
    writeFileSync(`${folder}/up`, bytes);
    if (!aws(access, ['s3', 'ls']).includes('first')) aws(access, ['s3', 'mb', 's3://first']);
    aws(access, ['s3', 'cp', '--quiet', `${folder}/up`, 's3://first/object']);
    aws(access, ['s3', 'cp', '--quiet', 's3://first/object', `${folder}/down`]);
    if (!readFileSync(`${folder}/down`).equals(bytes)) throw new Error('other bytes came back');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {{ access_key: string, secret_key: string }} access @param {readonly string[]} args */
function aws({ access_key, secret_key }, args) {
  const endpoint = `--endpoint-url=http://127.0.0.1:${PORTS.s3}`;
  const { status, stdout, stderr } = spawnSync('aws', [endpoint, ...args], {
    encoding: 'utf8',
    env: {
      ...process.env,
      AWS_ACCESS_KEY_ID: access_key,
      AWS_SECRET_ACCESS_KEY: secret_key,
      AWS_DEFAULT_REGION: 'us-east-1',
      BOTO_DISABLE_CRT: 'true',
    },
  });
  if (status !== 0) throw new Error(`aws ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** @param {{ access_key: string, secret_key: string }} access */
async function logIn({ access_key, secret_key }) {
  step("the console's login");
  const origin = `http://127.0.0.1:${PORTS.console}`;
  const [account, user] = access_key.includes(':') ? access_key.split(':') : ['', access_key];
  const login = () =>
    fetch(`${origin}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ account, user, key: secret_key }),
    });
  const answer = await untilItListens(login);
  if (!answer.ok) throw new Error(`the login got ${answer.status}: ${await answer.text()}`);
}

/**
 * The service is ready before its console is.
 *
 * @template T
 * @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
async function untilItListens(act) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(200);
    }
  }
}

/**
 * Clients read without a second try meanwhile; none may fail.
 *
 * @param {{ access_key: string, secret_key: string }} access
 * @param {string} name
 * @param {() => Promise<void>} work
 */
async function whileClientsRead(access, name, work) {
  step(`${name}, while clients read`);
  const url = aws(access, ['s3', 'presign', 's3://first/object']);
  // Connections that the service has closed while this process waited for a program are noticed first.
  await delay(100);
  let isDone = false;
  let reads = 0;
  const client = async () => {
    while (!isDone) {
      const answer = await fetch(url, { headers: { range: 'bytes=0-1023' } });
      if (answer.status !== 206) throw new Error(`a read got ${answer.status} during ${name}`);
      await answer.arrayBuffer();
      reads += 1;
      await delay(READ_EVERY_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: 4 }, client));
  try {
    await Promise.race([work(), clients]);
  } finally {
    isDone = true;
  }
  await clients;
  console.log(`try: ${reads} reads, none failed`);
}

/** Upgrades as the package's script does under systemd. @param {string} root @param {string} deb */
async function change(root, deb) {
  const name = putDeb(root, deb);
  await command(root, [...QUIET_APT, 'install', '--allow-downgrades', name]);
  await unit(root, 'ExecReload');
}

/** The image's own user and command, in a root that has what the image has. @param {string} root */
async function asInDocker(root) {
  step("the image's command");
  const lines = readFileSync(`${ROOT}/ops/docker/Dockerfile`, 'utf8');
  const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(lines)?.[1] ?? '[]');
  const args = JSON.parse(/^CMD (.*)$/m.exec(lines)?.[1] ?? '[]');
  await command(root, ['cp', '/usr/share/ringway/docker/ringway.json', CONFIG]);
  const flags = ['--s3', `127.0.0.1:${PORTS.s3}`, '--admin', `127.0.0.1:${PORTS.admin}`];
  const run = [...AS_SERVICE, ...entry, ...args, ...flags];
  const service = spawnWithin(root, run, { output: 'pipe' });
  service.stdout?.resume();
  const ended = once(service, 'close');
  await command(root, [...AS_SERVICE, 'ringway', 'wait-ready', '--config', CONFIG]);
  await command(root, ['ringway', 'drain', '--config', CONFIG]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`the image's command ended with ${code}`);
}

/** @param {string} root */
async function takeAway(root) {
  step('remove, and purge');
  await command(root, [...QUIET_APT, 'remove', 'ringway']);
  if (existsSync(`${root}/usr/lib/ringway/dist`)) throw new Error('files of the package are left');
  await command(root, [...QUIET_APT, 'purge', 'ringway']);
  if (!existsSync(`${root}/var/lib/ringway/store`)) throw new Error('the purge took the objects');
  await command(root, [...QUIET_APT, 'install', putDeb(root, packageOf('ringway_'))]);
  await command(root, [...QUIET_APT, 'purge', 'ringway'], { RINGWAY_PURGE_DATA: '1' });
  if (existsSync(`${root}/var/lib/ringway`)) throw new Error('the purge left the objects');
}

/** @param {string} prefix @returns {string} */
function packageOf(prefix) {
  const name = readdirSync(PACKAGES).find((one) => one.startsWith(prefix) && one.endsWith('.deb'));
  if (name === undefined) throw new Error(`there is no ${prefix}*.deb: npm run package`);
  return `${PACKAGES}/${name}`;
}

/** The same files as another release. @param {string} version @returns {string} a path */
function otherVersion(version) {
  const folder = mkdtempSync(`${tmpdir()}/ringway-try-deb-`);
  try {
    must('dpkg-deb', ['-R', packageOf('ringway_'), `${folder}/tree`]);
    const control = `${folder}/tree/DEBIAN/control`;
    const text = readFileSync(control, 'utf8');
    writeFileSync(control, text.replace(/^Version: .*$/m, `Version: ${version}`));
    const manifest = `${folder}/tree/usr/lib/ringway/package.json`;
    const about = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...about, version }));
    const file = `${tmpdir()}/ringway_${version}_${process.pid}_amd64.deb`;
    must('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '-b', `${folder}/tree`, file]);
    return file;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} root @param {string} deb @returns {string} its path in the root */
function putDeb(root, deb) {
  const inside = `/tmp/${deb.split('/').at(-1)}`;
  copyFileSync(deb, root + inside);
  return inside;
}

/** @param {string} root @param {string} key such as `ExecReload` */
function unit(root, key) {
  return command(root, [...AS_SERVICE, ...commandOf(key)]);
}

/** @param {string} key @returns {string[]} */
function commandOf(key) {
  const line = new RegExp(`^${key}=(.*)$`, 'm').exec(UNIT)?.[1];
  if (line === undefined) throw new Error(`the unit has no ${key}`);
  return line.split(' ');
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 */
async function command(root, args, env = {}) {
  const code = await within(root, args, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
}

/** @param {string} name */
function step(name) {
  console.log(`try: ${name}`);
}
