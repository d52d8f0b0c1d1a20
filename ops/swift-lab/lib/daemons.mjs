import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { layout, nodesOf } from './layout.mjs';
import { marked } from './processes.mjs';
import { swiftProgram } from './services.mjs';

/** Daemons by the name that one asks for, with the storage types that each has. @type {Record<string, readonly StorageType[]>} */
const DAEMONS = {
  replicator: ['account', 'container', 'object'],
  auditor: ['account', 'container', 'object'],
  updater: ['container', 'object'],
  reconstructor: ['object'],
  reaper: ['account'],
  sharder: ['container'],
  expirer: ['object'],
  // It counts pending updates for recon; an operator's cron runs it.
  'recon-cron': ['object'],
};

export const DAEMON_NAMES = Object.keys(DAEMONS);

/** @typedef {import('./layout.mjs').StorageType} StorageType */
/** @typedef {{ program: string, conf: string, node: string }} Pass */

/**
 * The programs of one pass of a daemon: type after type, each on all nodes at the same time.
 *
 * @param {{ dir: string, nodeCount: number }} lab
 * @param {string} daemon e.g. `updater`, or of one type: `container-updater`
 * @param {string} [only] a node's name; default is all nodes
 * @returns {Pass[][]}
 * @throws {Error} for a name that is no daemon
 */
export function passesOf(lab, daemon, only) {
  const [, type, name = ''] = /^(?:(account|container|object)-)?(.*)$/.exec(daemon) ?? [];
  const types = (DAEMONS[name] ?? []).filter((each) => type === undefined || each === type);
  if (types.length === 0) {
    throw new Error(`no daemon ${daemon}; there are ${DAEMON_NAMES.join(', ')}`);
  }
  const paths = layout(lab.dir);
  const all = nodesOf(lab);
  // One for the cluster, as it works through the proxy's own code.
  if (name === 'expirer') {
    const [node] = all;
    if (node === undefined) throw new Error('a lab has nodes');
    return [[{ program: 'swift-object-expirer', conf: paths.expirerConf, node: node.name }]];
  }
  const nodes = all.filter((node) => only === undefined || node.name === only);
  if (nodes.length === 0) throw new Error(`no node ${only}`);
  return types.map((each) =>
    nodes.map((node) => ({
      program: name === 'recon-cron' ? 'swift-recon-cron' : `swift-${each}-${name}`,
      conf: paths.storageConf(each, node),
      node: node.name,
    })),
  );
}

/**
 * Runs a daemon once, over everything, and waits for its end.
 *
 * @param {import('./state.mjs').LabState} lab
 * @param {string} daemon
 * @param {string} [only] a node's name
 * @throws {Error} when a program fails
 */
export async function runOnce(lab, daemon, only) {
  for (const passes of passesOf(lab, daemon, only)) {
    await Promise.all(passes.map((pass) => runPass(lab, pass)));
  }
}

/**
 * @param {import('./state.mjs').LabState} lab
 * @param {Pass} pass
 */
async function runPass(lab, { program, conf, node }) {
  const { command, args, env } = swiftProgram(lab, program, [conf, 'once']);
  const child = spawn(command, args, {
    cwd: '/',
    env: { ...process.env, ...env, ...marked(lab.id, `${program}.${node}`) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} on ${node} ended with ${code ?? signal}`);
}
