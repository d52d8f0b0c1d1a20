/** A Debian as an operator uses it: see try.mjs. systemd is not there; the unit's command lines are. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { ROOT } from '../../dev/lib/paths.mjs';
import { must, spawnWithin } from '../../dev/lib/roots.mjs';
import { APT, PATIENTLY, READY_MS } from './aids.mjs';
import { command, ends, packageOf, putDeb, saidBy, step, withRoot } from './aids.mjs';
import { PORTS, keyOf, logIn, storeAndRead, whileClientsRead } from './client.mjs';

const UNIT = readFileSync(`${ROOT}/ops/systemd/ringway.service`, 'utf8');
const AS_SERVICE = ['setpriv', '--reuid=ringway', '--regid=ringway', '--clear-groups'];
const CONFIG = '/etc/ringway/ringway.json';

/** @param {string} suite @param {string} packages a folder */
export function tryDebian(suite, packages) {
  return withRoot(suite, [], async (root) => {
    const gateway = packageOf(packages, 'ringway_');
    await install(root, suite, packages);
    await whileItServes(root, async (access) => {
      await whileClientsRead(access, 'a reload', () => unit(root, 'ExecReload'));
      const newer = otherVersion(gateway, '1.0.1');
      try {
        await whileClientsRead(access, 'an upgrade', () => change(root, newer));
        await whileClientsRead(access, 'the way back', () => change(root, gateway));
      } finally {
        rmSync(newer);
      }
    });
    await withNewestNode(root, suite, packageOf(packages, 'ringway-node_24'));
    await asInDocker(root);
    await takeAway(root, gateway);
  });
}

/**
 * The service starts, stores and reads objects, logs in, and does so once more after `work`.
 *
 * @param {string} root
 * @param {(access: import('./client.mjs').Access) => Promise<void>} work
 */
async function whileItServes(root, work) {
  const service = await startService(root);
  try {
    const access = keyOf(`${root}/var/lib/ringway/credentials.json`);
    await storeAndRead(access);
    await logIn(access);
    await work(access);
    await storeAndRead(access);
  } finally {
    const ended = once(service, 'close');
    if (service.exitCode === null) await command(root, ['ringway', 'drain', '--config', CONFIG]);
    await ended;
  }
}

/**
 * Node 24 of our own package beside the one of Debian 13; Debian 12 is too old for it.
 *
 * @param {string} root
 * @param {string} suite
 * @param {string} node a package
 */
async function withNewestNode(root, suite, node) {
  step('ringway-node 24');
  const file = putDeb(root, node);
  if (suite === 'bookworm') return ends(root, [...APT, 'install', file], 100);
  const before = await saidBy(root, ['ringway', 'version']);
  await command(root, [...APT, 'install', file]);
  const now = await saidBy(root, ['ringway', 'version']);
  step(now);
  if (!now.includes('Node.js 24.')) throw new Error('Node of the package is not used');
  await whileItServes(root, (access) =>
    whileClientsRead(access, 'its own upgrade, and a reload', async () => {
      await command(root, [...APT, 'install', '--reinstall', file]);
      await unit(root, 'ExecReload');
    }),
  );
  await command(root, [...APT, 'remove', 'ringway-node']);
  if ((await saidBy(root, ['ringway', 'version'])) !== before) throw new Error('it is still there');
}

/** @param {string} root @param {string} suite @param {string} packages */
async function install(root, suite, packages) {
  step('apt-get install');
  const debs = [packageOf(packages, 'ringway_')];
  // Debian 13 has a Node that is new enough.
  if (suite === 'bookworm') debs.push(packageOf(packages, 'ringway-node_22'));
  const names = debs.map((deb) => putDeb(root, deb));
  await command(root, [...APT, 'install', ...names]);
  await command(root, ['ringway', 'version']);
  const config = JSON.parse(readFileSync(root + CONFIG, 'utf8'));
  config.s3_listen = `127.0.0.1:${PORTS.s3}`;
  config.admin_listen = `127.0.0.1:${PORTS.admin}`;
  config.console_listen = `127.0.0.1:${PORTS.console}`;
  config.store_listen = `127.0.0.1:${PORTS.store}`;
  config.listener_start_timeout_ms = READY_MS;
  writeFileSync(root + CONFIG, JSON.stringify(config, null, 2));
}

/** @param {string} root */
async function startService(root) {
  step('the start of the unit');
  await unit(root, 'ExecStartPre');
  const service = spawnWithin(root, [...AS_SERVICE, ...commandOf('ExecStart')], { output: 'pipe' });
  service.stdout?.resume();
  // Other suites may have the processors: a minute, as the unit has it, was not enough once.
  await unit(root, 'ExecStartPost', PATIENTLY);
  return service;
}

/** Upgrades as the package's script does under systemd. @param {string} root @param {string} deb */
async function change(root, deb) {
  const name = putDeb(root, deb);
  await command(root, [...APT, 'install', '--allow-downgrades', name]);
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
  await command(root, [...AS_SERVICE, 'ringway', 'wait-ready', ...PATIENTLY, '--config', CONFIG]);
  await command(root, ['ringway', 'drain', '--config', CONFIG]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`the image's command ended with ${code}`);
}

/** @param {string} root @param {string} gateway a package */
async function takeAway(root, gateway) {
  step('remove, and purge');
  await command(root, [...APT, 'remove', 'ringway']);
  if (existsSync(`${root}/usr/lib/ringway/dist`)) throw new Error('files of the package are left');
  await command(root, [...APT, 'purge', 'ringway']);
  if (!existsSync(`${root}/var/lib/ringway/store`)) throw new Error('the purge took the objects');
  await command(root, [...APT, 'install', putDeb(root, gateway)]);
  await command(root, [...APT, 'purge', 'ringway'], { RINGWAY_PURGE_DATA: '1' });
  if (existsSync(`${root}/var/lib/ringway`)) throw new Error('the purge left the objects');
}

/** The same files as another release. @param {string} deb @param {string} version @returns {string} a path */
function otherVersion(deb, version) {
  const folder = mkdtempSync(`${tmpdir()}/ringway-try-deb-`);
  try {
    must('dpkg-deb', ['-R', deb, `${folder}/tree`]);
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

/** @param {string} root @param {string} key such as `ExecReload` @param {readonly string[]} [flags] */
function unit(root, key, flags = []) {
  return command(root, [...AS_SERVICE, ...commandOf(key), ...flags]);
}

/** @param {string} key @returns {string[]} */
function commandOf(key) {
  const line = new RegExp(`^${key}=(.*)$`, 'm').exec(UNIT)?.[1];
  if (line === undefined) throw new Error(`the unit has no ${key}`);
  return line.split(' ');
}
