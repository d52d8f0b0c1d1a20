import { emptyDevice, fillDevice } from './devices.mjs';
import { endProcesses, labProcesses, signalAll } from './processes.mjs';
import { servicesOf } from './services.mjs';
import { startServices } from './up.mjs';

/** @typedef {import('./state.mjs').LabState} LabState */

/**
 * The actions of a test on services of a running lab, by the name of the command.
 *
 * @type {Record<string, (lab: LabState, names: readonly string[]) => void | Promise<void>>}
 */
export const FAULTS = {
  stop: (lab, names) => endServices(lab, names, {}),
  kill: (lab, names) => endServices(lab, names, { force: true }),
  start: (lab, names) => startServices(lab, checked(lab, names)),
  pause: (lab, names) => signalServices(lab, names, 'SIGSTOP'),
  resume: (lab, names) => signalServices(lab, names, 'SIGCONT'),
  fill: (lab, names) => names.forEach((name) => fillDevice(lab, name)),
  empty: (lab, names) => names.forEach((name) => emptyDevice(lab, name)),
};

/**
 * @param {LabState} lab
 * @param {readonly string[]} names
 * @param {{ force?: boolean }} options
 */
function endServices(lab, names, options) {
  const wanted = checked(lab, names);
  return endProcesses(lab.id, ({ service }) => wanted.includes(service), options);
}

/**
 * @param {LabState} lab
 * @param {readonly string[]} names
 * @param {NodeJS.Signals} signal
 */
function signalServices(lab, names, signal) {
  const wanted = checked(lab, names);
  const processes = labProcesses(lab.id).filter(({ service }) => wanted.includes(service));
  signalAll(processes, signal);
}

/**
 * @param {LabState} lab
 * @param {readonly string[]} names
 * @throws {Error} for a name that is no service: a fault that does nothing would prove nothing
 */
function checked(lab, names) {
  const known = servicesOf(lab).map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new Error(`no service ${unknown.join(', ')}; there are ${known.join(', ')}`);
  }
  return names;
}
