import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { program } from './needs.js';

/** The needs of a suite that runs against the lab: see `describeWith`. */
export const SWIFT_NEEDS = [
  'swift-proxy-server',
  'swift-account-server',
  'swift-container-server',
  'swift-object-server',
  'swift-object-expirer',
  'memcached',
  'rsync',
].map(program);

export interface SwiftUser {
  readonly account: string;
  readonly user: string;
  readonly key: string;
  readonly groups: readonly string[];
}

/** The tool's file about a lab: `lab.json`, see ops/swift-lab/lib/state.mjs. */
interface LabState {
  readonly id: string;
  readonly dir: string;
  readonly fileSystem: 'xfs' | 'plain';
  readonly filter: boolean;
  readonly endpoints: readonly string[];
  /** None without TLS. */
  readonly tlsEndpoints?: readonly string[];
  readonly certFile: string;
  readonly authUrl: string;
  readonly s3api: string;
  readonly s3apiAcl: string;
  readonly users: readonly SwiftUser[];
  readonly serviceUser: SwiftUser;
  readonly policies: readonly string[];
  readonly devices: readonly { readonly name: string; readonly folder: string }[];
  readonly gatewayConfig: string;
  /** The folder with rings and swift.conf. */
  readonly swiftConf: string;
  readonly logDir: string;
}

export interface ServiceStatus {
  /** E.g. `object-server.node2`, `container-server.node1`, `proxy-1`, `memcached`. */
  readonly name: string;
  readonly address: string;
  readonly pids: readonly number[];
  readonly health: 'up' | 'down' | 'paused' | 'no answer';
}

export interface SwiftLabOptions {
  /** Default: a folder of its own that is gone with the lab. */
  readonly dir?: string;
  readonly deviceBytes?: number;
  /** Whether the proxies have no filter of Ringway. */
  readonly noFilter?: boolean;
  readonly proxyWorkers?: number;
  /** Processes of each account, container and object server. */
  readonly storageWorkers?: number;
  /** Options of `[app:proxy-server]`, e.g. `node_timeout`. */
  readonly proxyOptions?: Readonly<Record<string, string | number>>;
  /** More options of `swift:up`, e.g. `--tls`. */
  readonly more?: readonly string[];
  /** Programs that touch Swift's folders of the machine end with an error. */
  readonly strict?: boolean;
}

/**
 * A busy machine accepts no connection within half a second, now and then: a proxy then takes other
 * devices, and says for a moment that what it has just made is not there.
 */
const PATIENT = { conn_timeout: 5 };

const TOOL = join(process.cwd(), 'ops/swift-lab/main.mjs');

/** A real Swift cluster on this machine, with the faults that a test may inject. */
export class SwiftLab {
  readonly state: LabState;
  /** Devices that {@link fillDevices} has filled. */
  readonly #filled = new Set<string>();

  constructor(
    stateFile: string,
    /** Ends the lab when its input ends; undefined for one that is not ours. */
    private readonly holder?: ChildProcess,
  ) {
    this.state = JSON.parse(readFileSync(stateFile, 'utf8')) as LabState;
  }

  /** The keys of a Ringway configuration for this cluster, less `data_dir`; paths are absolute. */
  gatewayKeys(): Record<string, unknown> {
    const file = readFileSync(this.state.gatewayConfig, 'utf8');
    const config = JSON.parse(file) as Record<string, unknown>;
    delete config.data_dir;
    return config;
  }

  /** The variables with which a gateway trusts the lab. */
  gatewayEnv(): Record<string, string> {
    const { tlsEndpoints = [], certFile } = this.state;
    return tlsEndpoints.length === 0 ? {} : { NODE_EXTRA_CA_CERTS: certFile };
  }

  /** The same, with direct reads. */
  directKeys(): Record<string, unknown> {
    return { ...this.gatewayKeys(), swift_rings_dir: this.state.swiftConf };
  }

  /**
   * A configuration file for this cluster.
   * @param direct with direct reads
   */
  configFile(direct: boolean): string {
    const { gatewayConfig } = this.state;
    return direct ? join(dirname(gatewayConfig), 'direct.json') : gatewayConfig;
  }

  /** A user, by `account:user`. */
  user(name: string): SwiftUser {
    const user = this.state.users.find((each) => `${each.account}:${each.user}` === name);
    if (user === undefined) throw new Error(`the lab has no user ${name}`);
    return user;
  }

  async status(): Promise<ServiceStatus[]> {
    // It ends with 1 when not all is up, which is for the caller to judge.
    const { stdout, stderr } = await this.tool('status', '--json');
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as ServiceStatus[];
  }

  /** Ends services in order, by SIGTERM. */
  async stopServices(...names: string[]): Promise<void> {
    await this.must('stop', ...names);
  }

  /** Ends services by SIGKILL. */
  async killServices(...names: string[]): Promise<void> {
    await this.must('kill', ...names);
  }

  /** Starts those that do not run; resolves when all answer. */
  async startServices(...names: string[]): Promise<void> {
    await this.must('start', ...names);
  }

  /** SIGSTOP: connections are accepted by the kernel, and nothing answers. */
  async pauseServices(...names: string[]): Promise<void> {
    await this.must('pause', ...names);
  }

  async resumeServices(...names: string[]): Promise<void> {
    await this.must('resume', ...names);
  }

  /** Takes all room of devices, e.g. `d3`; see {@link canFillDevices}. */
  async fillDevices(...names: string[]): Promise<void> {
    for (const name of names) this.#filled.add(name);
    await this.must('fill', ...names);
  }

  async emptyDevices(...names: string[]): Promise<void> {
    await this.must('empty', ...names);
    for (const name of names) this.#filled.delete(name);
  }

  /** A device that is a plain folder has the whole machine's room. */
  get canFillDevices(): boolean {
    return this.state.fileSystem === 'xfs';
  }

  /**
   * One pass of a daemon: `replicator`, `auditor`, `updater`, `reconstructor`, `reaper`, `expirer`.
   *
   * @returns what it logged
   */
  runOnce(daemon: string, ...node: string[]): Promise<string> {
    return this.must('once', daemon, ...node);
  }

  /**
   * Undoes every fault: all services run and answer, and devices have room. Each of its steps is a
   * process of its own, and most often there is nothing to undo.
   */
  async heal(): Promise<void> {
    const statuses = await this.status();
    const ill = statuses.filter(({ health }) => health !== 'up');
    const paused = ill.filter(({ health }) => health === 'paused').map(({ name }) => name);
    if (paused.length > 0) await this.resumeServices(...paused);
    if (this.#filled.size > 0) await this.emptyDevices(...this.#filled);
    if (ill.length > 0) await this.startServices(...statuses.map(({ name }) => name));
  }

  /** Takes the lab down and removes its files, unless it was there before us. */
  async close(): Promise<void> {
    if (this.holder === undefined) return;
    const { holder } = this;
    // A program with nothing else to do would end before it.
    holder.ref();
    const isRunning = holder.exitCode === null && holder.signalCode === null;
    const ended = isRunning ? once(holder, 'exit') : undefined;
    holder.stdin?.end();
    await ended;
  }

  private async must(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tool(...args);
    if (code !== 0) throw new Error(`swift-lab ${args.join(' ')}: ${stderr}`);
    return stdout + stderr;
  }

  private tool(...args: string[]): Promise<ToolResult> {
    return runTool([...args, '--dir', this.state.dir]);
  }
}

export interface ToolResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the lab's tool, as `npm run swift --` does, to its end. */
export async function runTool(args: readonly string[]): Promise<ToolResult> {
  const child = spawn(process.execPath, [TOOL, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, stdout, stderr };
}

/**
 * Brings up a lab. It ends with `close`, and also when this process ends in any way: its holder
 * waits for the end of its input.
 *
 * With `RINGWAY_SWIFT_LAB=<path of a lab.json>` and no options, that lab is used as it is.
 * `RINGWAY_TEST_SWIFT_LAB` has more options of `swift:up`, such as `--nodes 3 --tls`.
 *
 * @throws Error with the tool's output when it does not come up
 */
export async function startSwiftLab(options: SwiftLabOptions = {}): Promise<SwiftLab> {
  const running = process.env.RINGWAY_SWIFT_LAB;
  if (running !== undefined && Object.keys(options).length === 0) return new SwiftLab(running);

  const dir = options.dir ?? (await makeLabFolder());
  const child = spawn(process.execPath, [TOOL, ...upArgs(dir, options)], {
    // It is not in our process group: a Ctrl-C for the tests must not interrupt its cleaning.
    detached: true,
    env: { ...process.env, ...(options.strict === true ? { RINGWAY_SWIFT_LAB_STRICT: '1' } : {}) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stdout.setEncoding('utf8');
  const stateFile = join(dir, 'lab.json');
  for await (const chunk of child.stdout) {
    output += chunk as string;
    if (output.includes(`${stateFile}\n`)) return holding(stateFile, child);
  }
  throw new Error(`no Swift lab:\n${output}`);
}

/** The holder is not to keep a finished process of tests alive: its input ends with that. */
function holding(stateFile: string, child: ChildProcess): SwiftLab {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    (stream as unknown as { unref?: () => void } | null)?.unref?.();
  }
  return new SwiftLab(stateFile, child);
}

function upArgs(dir: string, options: SwiftLabOptions): string[] {
  const { deviceBytes, proxyWorkers, storageWorkers, proxyOptions = {} } = options;
  const { noFilter, more = [] } = options;
  return [
    ...['up', '--hold', '--dir', dir],
    ...(deviceBytes === undefined ? [] : ['--device-bytes', String(deviceBytes)]),
    ...(proxyWorkers === undefined ? [] : ['--proxy-workers', String(proxyWorkers)]),
    ...(storageWorkers === undefined ? [] : ['--storage-workers', String(storageWorkers)]),
    ...Object.entries({ ...PATIENT, ...proxyOptions }).flatMap(([k, v]) => [
      '--proxy-option',
      `${k}=${v}`,
    ]),
    ...(noFilter === true ? ['--no-filter'] : []),
    ...more,
    ...(process.env.RINGWAY_TEST_SWIFT_LAB ?? '').split(' ').filter((word) => word !== ''),
  ];
}

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES_MIN = 2 ** 30;

/**
 * A user who may not mount images needs a file system that takes large extended attributes: tmpfs
 * does, and ext4 does not.
 */
async function makeLabFolder(): Promise<string> {
  const canMount = process.getuid?.() === 0 && existsSync('/dev/loop-control');
  const parent = !canMount && hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
  return mkdtemp(join(parent, 'ringway-swift-lab-'));
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MEMORY_BYTES_MIN;
}
