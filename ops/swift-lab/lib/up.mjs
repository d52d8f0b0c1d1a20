import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mountDevices, fileSystemProblem } from './devices.mjs';
import { down } from './down.mjs';
import { gatewayConf } from './gateway-conf.mjs';
import { untilHealthy } from './health.mjs';
import { FOLDERS, layout, nodesOf, PART_POWER, POLICIES } from './layout.mjs';
import { labProcesses, spawnService } from './processes.mjs';
import { untilTokensWork, untilWritable } from './ready.mjs';
import { hasFilter, PYTHON, pythonFile, requirePrograms } from './programs.mjs';
import { proxyConf } from './proxy-conf.mjs';
import { servicesOf } from './services.mjs';
import { isFree } from './ports.mjs';
import { openState } from './state.mjs';
import { storageConf } from './storage-conf.mjs';
import { makeCertificate, tlsConf } from './tls.mjs';
import { messageOf } from '../../dev/lib/errors.mjs';

/** @typedef {import('./state.mjs').LabState} LabState */
/** @typedef {import('./services.mjs').Service} Service */

/** A guard for a busy machine; a service takes one or two seconds. */
const START_LIMIT_MS = 60_000;
const LOG_TAIL_LINES = 25;

/**
 * Brings up whatever of a lab is not up: from nothing, after `down`, after a crash or a reboot.
 *
 * @param {import('./options.mjs').Options} options
 * @param {(line: string) => void} say
 * @param {(id: string) => void} begins called before anything runs
 * @returns {Promise<import('./state.mjs').LabState>}
 * @throws {Error} with the end of the log when a service does not come up
 */
export async function up(options, say, begins) {
  requirePrograms(options);
  if (options.fresh) await down(options.dir, { wipe: true });
  const lab = await openState({ ...options, filter: options.filter && hasFilter() });
  begins(lab.id);
  for (const folder of FOLDERS) mkdirSync(`${lab.dir}/${folder}`, { recursive: true });
  for (const node of nodesOf(lab)) mkdirSync(layout(lab.dir).cacheOf(node), { recursive: true });

  await mountDevices(lab);
  const problem = fileSystemProblem(lab);
  if (problem !== undefined) say(`WARNING: ${problem}`);
  if (!lab.filter) say('proxies without Ringway filters');

  const files = { ...storageConf(lab), ...proxyConf(lab), ...gatewayConf(lab), ...tlsConf(lab) };
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text, { mode: 0o600 });
  if (lab.tls) {
    makeCertificate(lab);
    say(`Ringway has to trust the lab: NODE_EXTRA_CA_CERTS=${lab.certFile}`);
  }
  buildRings(lab);
  await startServices(
    lab,
    servicesOf(lab).map(({ name }) => name),
  );
  await within(START_LIMIT_MS, (signal) => untilWritable(lab, signal));
  expectDaemons(lab);
  return lab;
}

/**
 * Nothing can be asked of a daemon; by now one that cannot use its configuration has ended.
 *
 * @param {LabState} lab
 */
function expectDaemons(lab) {
  const running = new Set(labProcesses(lab.id).map(({ service }) => service));
  for (const { name, port, log } of servicesOf(lab)) {
    if (port !== undefined || running.has(name)) continue;
    throw new Error(`${name} has ended; ${log} ends with\n${tail(log)}`);
  }
}

/**
 * Starts those of the named services that do not run, all at once, and waits until all answer
 * and proxies take tokens.
 *
 * @param {import('./state.mjs').LabState} lab
 * @param {readonly string[]} names
 */
export async function startServices(lab, names) {
  const running = new Set(labProcesses(lab.id).map(({ service }) => service));
  const wanted = servicesOf(lab).filter(({ name }) => names.includes(name));
  await Promise.all(wanted.map((service) => start(lab, service, running.has(service.name))));
  await within(START_LIMIT_MS, (signal) => untilTokensWork(lab, signal));
}

/**
 * @param {LabState} lab
 * @param {Service} service
 * @param {boolean} isRunning
 */
async function start(lab, service, isRunning) {
  if (isRunning) await answering(service, [], START_LIMIT_MS);
  else await startService(lab.id, service);
}

/**
 * Starts a service that outlives us, and waits until it answers.
 *
 * @param {string} id that its processes carry
 * @param {Service} service
 * @param {number} [limitMs] a guard: many may start at once on a busy machine
 * @throws {Error} with the end of its log
 */
export async function startService(id, service, limitMs = START_LIMIT_MS) {
  if (service.port !== undefined && !(await isFree({ ...service, port: service.port }))) {
    throw new Error(`${service.name}: ${service.ip}:${service.port} is taken by something else`);
  }
  await answering(service, [spawnService(id, service).ended], limitMs);
}

/**
 * Waits until a service answers.
 *
 * @param {Service} service
 * @param {readonly Promise<never>[]} ended rejects when it has ended
 * @param {number} limitMs a guard
 * @throws {Error} with the end of its log
 */
export async function answering(service, ended, limitMs) {
  try {
    await within(limitMs, (signal) => Promise.race([untilHealthy(service, signal), ...ended]));
  } catch (error) {
    throw new Error(`${messageOf(error)}; ${service.log} ends with\n${tail(service.log)}`, {
      cause: error,
    });
  }
}

/**
 * Runs a task with a signal that is aborted after a time, and when the task is over.
 *
 * @template T
 * @param {number} limitMs
 * @param {(signal: AbortSignal) => Promise<T>} task
 */
async function within(limitMs, task) {
  const waiting = new AbortController();
  const limit = setTimeout(() => waiting.abort(), limitMs);
  try {
    return await task(waiting.signal);
  } finally {
    clearTimeout(limit);
    waiting.abort();
  }
}

/** @param {string} path */
function tail(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.slice(-LOG_TAIL_LINES).join('\n');
}

/**
 * Builds the rings once in the life of a lab: they hold its ports, and decide where data lies.
 *
 * @param {LabState} lab
 */
function buildRings(lab) {
  const { conf } = layout(lab.dir);
  /** @type {{ name: string, type: import('./layout.mjs').StorageType, replicas: number }[]} */
  const rings = [
    { name: 'account', type: 'account', replicas: 3 },
    { name: 'container', type: 'container', replicas: 3 },
    ...POLICIES.map(({ replicas }, index) => ({
      name: index === 0 ? 'object' : `object-${index}`,
      type: /** @type {const} */ ('object'),
      replicas,
    })),
  ];
  if (rings.every(({ name }) => existsSync(`${conf}/${name}.ring.gz`))) return;
  const plan = {
    partPower: PART_POWER,
    rings: rings.map(({ name, type, replicas }) => ({
      ...{ name, replicas },
      devices: nodesOf(lab).flatMap(({ zone, ip, devices }) =>
        devices.map((device) => ({ zone, ip, port: lab.ports[type], device })),
      ),
    })),
  };
  const { status, stderr } = spawnSync(PYTHON, [pythonFile('rings.py'), conf], {
    encoding: 'utf8',
    input: JSON.stringify(plan),
  });
  if (status !== 0) throw new Error(`the rings could not be built:\n${stderr}`);
}
