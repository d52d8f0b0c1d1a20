/**
 * A whole cluster on this machine, made by Deploy: `npm run demo`. See docs/deploy.md.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { messageOf } from '../dev/lib/errors.mjs';
import { freePorts } from '../swift-lab/lib/ports.mjs';
import { endProcesses } from '../swift-lab/lib/processes.mjs';
import { requirePrograms } from '../swift-lab/lib/programs.mjs';
import { startService } from '../swift-lab/lib/up.mjs';
import { ADDRESSES, demoSpec, LOGIN, placesOf, PORT_NAMES, writeSecrets } from './lib/cluster.mjs';
import { deployOnce } from './lib/control.mjs';
import { deployService, fileSystemNote, gatewayService, swiftServices } from './lib/services.mjs';

/** @typedef {import('../swift-lab/lib/services.mjs').Service} Service */

const DEFAULT_DIR = '.ringway-demo';
/** A dozen programs of Python start at once. */
const START_LIMIT_MS = 240_000;
const USAGE = `usage: npm run demo -- [--dir FOLDER]

Brings up a Swift cluster of four nodes, made by Deploy, with Ringway and its console over it.
Ctrl-C takes all of it away, files included.

  --dir FOLDER   default ${DEFAULT_DIR} in the working directory; it must not exist, or be a demo's`;

const say = (/** @type {string} */ line) => console.log(line);

/** @param {string} dir */
async function demo(dir) {
  requirePrograms();
  const places = placesOf(dir);
  await takeAway(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const id = randomBytes(8).toString('hex');
  const ports = await freePorts(PORT_NAMES, [...ADDRESSES, '127.0.0.1']);
  const key = randomBytes(12).toString('hex');
  const state = {
    id,
    s3: `http://${ADDRESSES[0]}:${ports.s3}`,
    console: `http://127.0.0.1:${ports.console}`,
    deploy: `http://127.0.0.1:${ports.deploy}`,
    token_file: places.token,
    login: { ...LOGIN, key },
  };
  // Before the first process: whatever ends this one, the next one finds what it has left.
  writeFileSync(places.state, JSON.stringify(state, null, 2), { mode: 0o600 });
  writeSecrets(places, key);
  const spec = demoSpec(ports);

  say('Deploy plans the cluster and installs its files…');
  const control = deployService(places, ports);
  const start = (/** @type {Service} */ service) => startService(id, service, START_LIMIT_MS);
  await start(control);
  await deployOnce(state.deploy, places.token, spec);
  await endProcesses(id, ({ service }) => service === control.name);
  const note = fileSystemNote(places, spec);
  if (note !== undefined) say(`warning: ${note}`);

  say("Swift's servers start from these files…");
  const services = swiftServices(places, ports, spec);
  await Promise.all(services.map(start));
  say('Ringway starts…');
  await start(gatewayService({ id, places, ports, spec }, services));
  for (const line of described(state)) say(line);
}

/** @param {{ s3: string, console: string, deploy: string, token_file: string, login: { account: string, user: string, key: string } }} state */
function described({ s3, console: page, deploy, token_file: token, login }) {
  const { account, user, key } = login;
  return [
    '',
    `Console   ${page}`,
    `          account ${account}, user ${user}, key ${key}`,
    `S3        ${s3}`,
    `          access key ${account}:${user}, secret key ${key}`,
    `Deploy    ${deploy} for programs, in the console for people`,
    `          user deploy, password in ${token}`,
    '',
    'Ctrl-C takes all of it away.',
  ];
}

/**
 * Ends the processes of a demo, and removes its files. Harmless where there is none.
 *
 * @param {string} dir
 * @throws {Error} for a folder that is not a demo's
 */
async function takeAway(dir) {
  if (!existsSync(dir)) return;
  const id = idOf(dir);
  if (id === undefined) throw new Error(`${dir} is there, and is no demo: give another --dir`);
  await endProcesses(id, () => true);
  rmSync(dir, { recursive: true });
}

/**
 * Many a folder has a file of this name: it counts with what this program writes alone.
 *
 * @param {string} dir
 * @returns {string | undefined} undefined for a folder that is not a demo's
 */
function idOf(dir) {
  const { state } = placesOf(dir);
  if (!existsSync(state)) return undefined;
  try {
    const { id, token_file: token } = JSON.parse(readFileSync(state, 'utf8')) ?? {};
    const isOwn = typeof token === 'string' && /^[0-9a-f]{16}$/.test(String(id));
    return isOwn ? String(id) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Ends the processes of a demo, if there is one.
 *
 * @param {string} dir
 */
async function endAll(dir) {
  const id = idOf(dir);
  if (id === undefined) return;
  say('Taking it away…');
  await endProcesses(id, () => true);
}

/**
 * Resolves when the user wants the end. The handlers stay: a second Ctrl-C does not cut short what
 * is taken away.
 *
 * @returns {Promise<'interrupted'>}
 */
function interrupted() {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(name, () => resolve('interrupted'));
    }
  });
}

/**
 * Brings a demo up, and takes it away when the user wants the end or it cannot be brought up.
 *
 * @param {string} dir
 */
async function untilInterrupted(dir) {
  // Signals alone do not keep a process.
  const stay = setTimeout(() => undefined, 2 ** 31 - 1);
  const end = interrupted();
  const up = demo(dir);
  try {
    await Promise.race([up, end]);
    await end;
  } finally {
    await endAll(dir);
    // A start that was interrupted fails with its processes: it must not go on beneath what follows.
    await up.catch(() => undefined);
    await takeAway(dir);
    clearTimeout(stay);
  }
}

try {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string', default: DEFAULT_DIR },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) say(USAGE);
  else await untilInterrupted(resolve(values.dir));
  process.exit(0);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
