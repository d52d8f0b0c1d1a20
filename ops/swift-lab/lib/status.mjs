import { isHealthy } from './health.mjs';
import { labProcesses } from './processes.mjs';
import { servicesOf } from './services.mjs';

/**
 * @typedef {object} ServiceStatus
 * @property {string} name
 * @property {string} address `ip:port`; a daemon has the one of its node
 * @property {readonly number[]} pids the leader first; empty when it does not run
 * @property {'up' | 'down' | 'paused' | 'no answer'} health
 */

/** @param {import('./state.mjs').LabState} lab @returns {Promise<ServiceStatus[]>} */
export function statusOf(lab) {
  const processes = labProcesses(lab.id);
  return Promise.all(
    servicesOf(lab).map(async (service) => {
      const own = processes.filter((process) => process.service === service.name);
      own.sort((a, b) => Number(b.isLeader) - Number(a.isLeader));
      return {
        name: service.name,
        address: service.port === undefined ? service.ip : `${service.ip}:${service.port}`,
        pids: own.map(({ pid }) => pid),
        health: await healthOf(service, own),
      };
    }),
  );
}

/**
 * @param {import('./services.mjs').Service} service
 * @param {readonly import('./processes.mjs').LabProcess[]} processes
 * @returns {Promise<ServiceStatus['health']>}
 */
async function healthOf(service, processes) {
  if (processes.length === 0) return 'down';
  if (processes.some(({ isPaused }) => isPaused)) return 'paused';
  return (await isHealthy(service)) ? 'up' : 'no answer';
}

/** @param {readonly ServiceStatus[]} statuses @returns {string[]} lines of a table */
export function statusTable(statuses) {
  const titles = ['SERVICE', 'ADDRESS', 'PID', 'HEALTH'];
  const rows = [
    titles,
    ...statuses.map(({ name, address, pids, health }) => [
      name,
      address,
      pids.length === 0 ? '-' : pids.join(','),
      health,
    ]),
  ];
  const widths = titles.map((_title, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
