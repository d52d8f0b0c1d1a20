import { DAEMON_NAMES, passesOf } from './daemons.mjs';
import { layout, nodesOf } from './layout.mjs';
import { marked } from './processes.mjs';
import { servicesOf, swiftProgram } from './services.mjs';

/**
 * `services` of a node in the console's `cluster_nodes`, for the `node_driver` `local-procs`: how
 * the Lab stops and starts them.
 *
 * @typedef {Record<string, { pid_file: string, argv: string[], env: Record<string, string> }>} Roster
 * @typedef {Pick<import('./services.mjs').Service, 'name' | 'command' | 'args' | 'env' | 'pidFile'>} Stoppable
 */

/**
 * Processes started from a roster carry the mark of all that was started here, so that `down` finds
 * them.
 *
 * @param {string} id that processes carry
 * @param {Record<string, Stoppable>} services by the name that the node knows them by
 * @returns {Roster} those with a pid file
 */
export function rosterOf(id, services) {
  /** @type {Roster} */
  const roster = {};
  for (const [service, { name, command, args, env, pidFile }] of Object.entries(services)) {
    if (pidFile === undefined) continue;
    const argv = [command, ...args];
    roster[service] = { pid_file: pidFile, argv, env: { ...env, ...marked(id, name) } };
  }
  return roster;
}

/**
 * Servers and daemons of a lab's node. Daemons do not run by themselves there: one pass of one is
 * `argv` and `once`. The first node has the proxy and memcached.
 *
 * @param {import('./state.mjs').LabState} lab
 * @param {string} node its name
 */
export function labRoster(lab, node) {
  const { pidFile } = layout(lab.dir);
  const isFirst = nodesOf(lab)[0]?.name === node;
  /** @type {Record<string, Stoppable>} */
  const services = {};
  for (const service of servicesOf(lab)) {
    const [name = '', place] = service.name.split('.');
    if (place === node) services[name] = service;
    if (isFirst && service.name === 'memcached') services.memcached = service;
    if (isFirst && service.name === 'proxy-1') services['proxy-server'] = service;
  }
  for (const daemon of DAEMON_NAMES) {
    if (daemon === 'recon-cron') continue;
    for (const pass of passesOf(lab, daemon).flat()) {
      if (pass.node !== node) continue;
      const name = pass.program.replace('swift-', '');
      const program = swiftProgram(lab, pass.program, [pass.conf]);
      const own = `${name}.${node}`;
      services[name] = { name: own, ...program, pidFile: pidFile(own) };
    }
  }
  return rosterOf(lab.id, services);
}
