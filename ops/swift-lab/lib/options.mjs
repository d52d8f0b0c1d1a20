import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DEVICE_BYTES_MIN } from './devices.mjs';
import { NODES_MAX, NODES_MIN, POLICIES } from './layout.mjs';

/** Sparse: what is not written takes no room. */
const DEVICE_BYTES_DEFAULT = 4 * 2 ** 30;

export const DEFAULT_DIR = '.swift-lab';

const DEFAULT_POLICY = 'gold';

/**
 * @typedef {object} Options
 * @property {string} command
 * @property {readonly string[]} names what follows the command
 * @property {string} dir absolute path of the lab's folder
 * @property {number} deviceBytes
 * @property {boolean} filter
 * @property {boolean} encryption
 * @property {boolean | undefined} tls undefined: as the lab was made, or without
 * @property {number | undefined} nodes undefined: as the lab was made, or two
 * @property {string} defaultPolicy a name
 * @property {number | undefined} shardRows
 * @property {string | undefined} swiftRoot absolute path; undefined: what is installed
 * @property {boolean} statsd
 * @property {number} proxyWorkers
 * @property {number} storageWorkers of each account, container and object server
 * @property {Record<string, string>} proxyOptions of `[app:proxy-server]`, by name
 * @property {number | undefined} portBase
 * @property {boolean} fresh
 * @property {boolean} hold
 * @property {boolean} wipe
 * @property {boolean} json
 * @property {boolean} help
 */

export const USAGE = `usage: npm run swift:up|down|status|once -- [options]
       npm run swift -- COMMAND [options]

up                    brings up a Swift cluster; its last line is a configuration for Ringway
  --fresh             from nothing, whatever was there before
  --hold              stays until its input ends (Ctrl-D), then down --wipe
  --nodes N           storage nodes, 2 or 3, with two devices each (default 2)
  --device-bytes N    size of each device, sparse (default 4 GiB)
  --no-filter         proxies without Ringway's filters
  --encryption        Swift's encryption (keymaster and encryption) in all proxies
  --tls               TLS from Ringway to its proxies, by HAProxy, and from proxies to memcached
  --default-policy P  gold (default), silver or ec21
  --shard-rows N      containers with so many objects are sharded, by sharders that run
  --swift-root DIR    Swift's programs and modules of packages that were unpacked there
  --statsd            all servers send their timers to the console of gateway/lab.json, and the
                      filter of the proxies measures its stages
  --proxy-workers N   processes of each proxy (default 1)
  --storage-workers N processes of each account, container and object server (default 1)
  --proxy-option K=V  of [app:proxy-server], e.g. node_timeout=2; may be repeated
  --port-base N       first of thirteen ports (default: free ones)
down                  ends all its processes and unmounts its devices
  --wipe              and removes its files
status [--json]       processes, ports, health
once DAEMON [NODE]    one pass of replicator, auditor, updater, reconstructor, reaper,
                      sharder, expirer or recon-cron; of one type: container-replicator
stop|kill|start|pause|resume SERVICE...      e.g. object-server.node2, proxy-1, memcached
fill|empty DEVICE...  e.g. d3: takes its room, gives it back

  --help              shows this
  --dir FOLDER        of the lab (default ${DEFAULT_DIR} in the working directory)`;

/**
 * @param {readonly string[]} args of the command line
 * @returns {Options}
 * @throws {Error} for the user
 */
export function parseOptions(args) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: {
      dir: { type: 'string', default: DEFAULT_DIR },
      'device-bytes': { type: 'string' },
      'proxy-workers': { type: 'string' },
      'storage-workers': { type: 'string' },
      'proxy-option': { type: 'string', multiple: true, default: [] },
      'port-base': { type: 'string' },
      nodes: { type: 'string' },
      tls: { type: 'boolean' },
      'default-policy': { type: 'string', default: DEFAULT_POLICY },
      'shard-rows': { type: 'string' },
      'swift-root': { type: 'string' },
      filter: { type: 'boolean', default: true },
      encryption: { type: 'boolean', default: false },
      statsd: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      hold: { type: 'boolean', default: false },
      wipe: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command = '', ...names] = positionals;
  return {
    command,
    names,
    dir: resolve(values.dir),
    deviceBytes: number(values, 'device-bytes', DEVICE_BYTES_MIN, 2 ** 50) ?? DEVICE_BYTES_DEFAULT,
    proxyWorkers: number(values, 'proxy-workers', 1, 64) ?? 1,
    storageWorkers: number(values, 'storage-workers', 1, 64) ?? 1,
    proxyOptions: Object.fromEntries(values['proxy-option'].map(assignment)),
    portBase: number(values, 'port-base', 1024, 65_500),
    filter: values.filter,
    encryption: values.encryption,
    tls: values.tls,
    nodes: number(values, 'nodes', NODES_MIN, NODES_MAX),
    defaultPolicy: policy(values['default-policy']),
    // Below ten, Swift's own limits, which are shares of it, contradict each other.
    shardRows: number(values, 'shard-rows', 10, 1_000_000),
    swiftRoot: values['swift-root'] === undefined ? undefined : resolve(values['swift-root']),
    statsd: values.statsd,
    fresh: values.fresh,
    hold: values.hold,
    wipe: values.wipe,
    json: values.json,
    help: values.help,
  };
}

/**
 * @param {Readonly<Record<string, unknown>>} values
 * @param {string} name
 * @param {number} min
 * @param {number} max
 */
function number(values, name, min, max) {
  const text = values[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} ${text} is no number from ${min} to ${max}`);
}

/**
 * @param {string} name
 * @throws {Error} for a name that is no policy
 */
function policy(name) {
  const names = POLICIES.map((each) => each.name);
  if (names.includes(name)) return name;
  throw new Error(`--default-policy ${name} is none of ${names.join(', ')}`);
}

/**
 * @param {string} text
 * @returns {[name: string, value: string]}
 */
function assignment(text) {
  const [, name, value = ''] = /^([a-z_]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`--proxy-option ${text} is not NAME=VALUE`);
  return [name, value];
}
