/**
 * A real Swift cluster on this machine, for tests and benchmarks: `npm run swift:up`. See
 * docs/swift-lab.md.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { withLock } from '../dev/lib/lock.mjs';
import { runOnce } from './lib/daemons.mjs';
import { down, removeIfEmpty } from './lib/down.mjs';
import { FAULTS } from './lib/faults.mjs';
import { layout } from './lib/layout.mjs';
import { parseOptions, USAGE } from './lib/options.mjs';
import { labProcesses } from './lib/processes.mjs';
import { readState, requireState } from './lib/state.mjs';
import { statusOf, statusTable } from './lib/status.mjs';
import { up } from './lib/up.mjs';
import { messageOf } from '../dev/lib/errors.mjs';

/** @typedef {import('./lib/options.mjs').Options} Options */

const say = (/** @type {string} */ line) => console.log(line);

/**
 * The lab that this process has brought up. Its processes end with this one, also when its folder has
 * been removed, as by a run of tests that was ended.
 *
 * @type {string | undefined}
 */
let begunId;

/** @type {Record<string, (options: Options) => Promise<void>>} */
const COMMANDS = {
  async up(options) {
    try {
      await bringUp(options);
      if (options.hold) await inputEnds();
    } finally {
      if (options.hold) await takeDown({ dir: options.dir, wipe: true, id: begunId });
    }
  },
  down: takeDown,
  async status({ dir, json }) {
    const lab = readState(dir);
    if (lab === undefined) throw new Error(`no lab in ${dir}`);
    const statuses = await statusOf(lab);
    if (json) say(JSON.stringify(statuses));
    else for (const line of statusTable(statuses)) say(line);
    if (statuses.some(({ health }) => health !== 'up')) process.exitCode = 1;
  },
  async once({ dir, names: [daemon, node] }) {
    await runOnce(requireState(dir), daemon ?? '', node);
  },
};

/** @param {Pick<Options, 'dir' | 'wipe'> & { id?: string | undefined }} options */
async function takeDown({ dir, wipe, id }) {
  // Locking would make the folder.
  if (!existsSync(dir)) return down(dir, { id });
  await locked(dir, () => down(dir, { wipe, id }));
  removeIfEmpty(dir);
}

/** @param {Options} options */
async function bringUp(options) {
  const startedAt = Date.now();
  const { gatewayConfig } = await locked(options.dir, () => upOrNothing(options)).catch((error) => {
    removeIfEmpty(options.dir);
    throw error;
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  say(`Swift is up in ${seconds} s: ${layout(options.dir).stateFile}`);
  say(gatewayConfig);
}

/**
 * A start that fails leaves nothing behind: no processes and no mounts, and of a lab that there was
 * not before no files either. A lab that ran before goes on.
 *
 * @param {Options} options
 */
async function upOrNothing(options) {
  const { dir, fresh } = options;
  const former = fresh ? undefined : readState(dir);
  const wasRunning = former !== undefined && labProcesses(former.id).length > 0;
  try {
    return await up(options, say, (id) => (begunId = id));
  } catch (error) {
    if (!wasRunning) await down(dir, { wipe: former === undefined, id: begunId });
    throw error;
  }
}

/** However the process ends that holds the other end, killed included. */
async function inputEnds() {
  process.stdin.resume();
  await once(process.stdin, 'close');
}

/**
 * Two that bring up or take down one lab wait for each other.
 *
 * @template T
 * @param {string} dir
 * @param {() => Promise<T>} task
 */
function locked(dir, task) {
  return withLock(layout(dir).lockFile, task, (holder) => {
    say(`waiting for process ${holder}, which works on this lab`);
  });
}

try {
  const options = parseOptions(process.argv.slice(2));
  const fault = FAULTS[options.command];
  const command = COMMANDS[options.command];
  if (options.help) say(USAGE);
  else if (fault !== undefined) await fault(requireState(options.dir), options.names);
  else if (command !== undefined) await command(options);
  else throw new Error(USAGE);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
