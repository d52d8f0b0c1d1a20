import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { freePorts } from '../../swift-lab/lib/ports.mjs';
import { endProcesses } from '../../swift-lab/lib/processes.mjs';
import { requirePrograms } from '../../swift-lab/lib/programs.mjs';
import { startService } from '../../swift-lab/lib/up.mjs';
import { ADDRESSES, LOGIN, placesOf, PORT_NAMES, SPARE_ADDRESS, writeSecrets } from './cluster.mjs';
import { controlOf, deployOnce } from './control.mjs';
import { peerService } from './peer.mjs';
import {
  deployService,
  fileSystemNote,
  gatewayService,
  startByDriver,
  swiftServices,
} from './services.mjs';

/** A demo from nothing, and its end. */

/** A dozen programs of Python start at once. */
export const START_LIMIT_MS = 240_000;

/** @typedef {import('../../swift-lab/lib/services.mjs').Service} Service */
/** @typedef {import('./cluster.mjs').DemoPorts} DemoPorts */
/** @typedef {import('./cluster.mjs').Places} Places */
/** @typedef {import('./cluster.mjs').DemoSpec} DemoSpec */

/**
 * Has Deploy make the cluster of a specification, and starts it.
 *
 * @param {string} dir
 * @param {(ports: DemoPorts, places: Places) => DemoSpec} specOf
 * @param {(line: string) => void} say
 */
export async function bringUp(dir, specOf, say) {
  requirePrograms();
  const places = placesOf(dir);
  await takeAway(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const id = randomBytes(8).toString('hex');
  const ports = await freePorts(PORT_NAMES, [...ADDRESSES, SPARE_ADDRESS, '127.0.0.1']);
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
  const spec = specOf(ports, places);

  say('Deploy plans the cluster and installs its files…');
  const control = deployService(places, ports);
  const start = (/** @type {Service} */ service) => startService(id, service, START_LIMIT_MS);
  await start(control);
  await deployOnce(controlOf(state.deploy, places.token), spec);
  await endProcesses(id, ({ service }) => service === control.name);
  const note = fileSystemNote(places, spec);
  if (note !== undefined) say(`warning: ${note}`);

  say("Swift's servers start from these files…");
  const services = swiftServices(places, ports, spec);
  const plain = services.filter(({ pidFile }) => pidFile === undefined);
  await Promise.all([...plain, peerService(places, ports)].map(start));
  await startByDriver({ id, places, spec }, services, START_LIMIT_MS);
  say('Ringway starts…');
  await start(gatewayService({ id, places, ports, spec }, services));
  return { id, places, ports, state, spec };
}

/**
 * Ends the processes of a demo, and removes its files. Harmless where there is none.
 *
 * @param {string} dir
 * @throws {Error} for a folder that is not a demo's
 */
export async function takeAway(dir) {
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
 * @param {(line: string) => void} say
 */
export async function endAll(dir, say) {
  const id = idOf(dir);
  if (id === undefined) return;
  say('Taking it away…');
  await endProcesses(id, () => true);
}
