import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { childrenOf } from '../../../console/nodes/processes.js';
import { clusterNodes } from '../../../console/config/keys.js';
import type { ClusterNode } from '../../../console/nodes/driver.js';
import {
  byteToChange,
  hasReplica,
  type ChangedByte,
  type ReplicaPlace,
} from '../../../console/surfaces/lab/chaos/replica-files.js';
import { Plans, type Plan } from '../../../console/surfaces/lab/net/plans.js';
import { ConsoleClient } from '../../console/support/client.js';
import { eventually } from '../../support/eventually.js';
import { startService, type Service } from '../../support/service.js';
import { consoleOf, consoleUp } from '../../support/service-console.js';
import type { SwiftLab } from '../../support/swift-lab.js';

/** A fault of the Chaos Arcade, and how to see whether it is still there. */
export interface KilledFault {
  readonly fault: string;
  readonly target: string;
  readonly mode: string;
  /** Whether it stays broken until someone takes it back: daemons repair some of it by themselves. */
  readonly stays: boolean;
  readonly isBroken: (seen: Seen) => Promise<boolean>;
}

export interface Seen {
  readonly lab: SwiftLab;
  readonly nodes: readonly ClusterNode[];
  readonly plan: Plan;
}

const HELD = ['lab-hold'];

async function stateOf({ nodes }: Seen, node: string, service: string) {
  const found = nodes.find(({ name }) => name === node);
  if (found === undefined) throw new Error(`no node ${node}`);
  const [status] = await new LocalProcs().status(found, [service]);
  return status;
}

const isAway =
  (node: string, service: string) =>
  async (seen: Seen): Promise<boolean> =>
    (await stateOf(seen, node, service))?.state !== 'active';

const paramsOf = ({ plan }: Seen) => plan.reverts[0]?.params as Record<string, unknown>;

async function hasWrongByte(seen: Seen): Promise<boolean> {
  const byte = paramsOf(seen).byte as ChangedByte;
  const now = await byteToChange(byte.file, byte.offset).catch(() => undefined);
  return now?.original === byte.changed;
}

async function isTakenAway(seen: Seen): Promise<boolean> {
  const place = paramsOf(seen).place as ReplicaPlace;
  const isHeld = await readFile(join(place.device, ...HELD, seen.plan.id)).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
  return isHeld || !(await hasReplica(place));
}

async function hasLimit({ lab, ...seen }: Seen): Promise<boolean> {
  const { account, container } = paramsOf({ lab, ...seen }) as Record<string, string>;
  const { endpoints, authUrl } = lab.state;
  const { key } = lab.user('test:tester');
  const headers = { 'x-auth-user': 'test:tester', 'x-auth-key': key };
  const login = await fetch(authUrl, { headers });
  const token = { 'x-auth-token': login.headers.get('x-auth-token') ?? '' };
  const url = `${endpoints[1]}/v1/${account}/${container}`;
  const head = await fetch(url, { method: 'HEAD', headers: token });
  return head.headers.has('x-container-meta-quota-bytes');
}

async function lacksWorkers(seen: Seen): Promise<boolean> {
  const status = await stateOf(seen, 'node1', 'proxy-server');
  return (await childrenOf(status?.pid ?? null)).length < 2;
}

const OBJECT = 'object-server';
const stays = true;

export const KILLED_FAULTS: readonly KilledFault[] = [
  { fault: 'stop_service', target: `node2/${OBJECT}`, mode: '', stays, isBroken: isAway('node2', OBJECT) }, // prettier-ignore
  { fault: 'pause_node', target: `node2/${OBJECT}`, mode: 'full', stays, isBroken: isAway('node2', OBJECT) }, // prettier-ignore
  { fault: 'drop_memcached', target: 'node1/memcached', mode: '', stays, isBroken: isAway('node1', 'memcached') }, // prettier-ignore
  { fault: 'remove_replica', target: 'replica-0', mode: 'marked', stays, isBroken: isTakenAway },
  { fault: 'fill_quota', target: 'container', mode: '', stays, isBroken: hasLimit },
  // The auditor may have found it before the kill, and the parent starts a new worker by itself.
  { fault: 'corrupt_replica', target: 'replica-0', mode: '', stays: false, isBroken: hasWrongByte },
  { fault: 'kill_worker', target: 'node1/proxy-server', mode: '', stays: false, isBroken: lacksWorkers }, // prettier-ignore
];

export type Victim = 'console' | 'supervisor' | 'dead-man';
/** How a fault went whose processes were killed. */
export interface Course {
  /**
   * Seconds from its deadline until nothing was broken any more; negative before it. Where everything
   * was killed, from the start of the next service, if that came later.
   */
  readonly lateS: number;
  /** The same, until the journal had that: of a server that was started, once it was at rest. */
  readonly doneS: number;
  readonly wasBroken: boolean;
  /** The journal: `armed console`, … */
  readonly lines: readonly string[];
}

/** Seconds: the shortest that leaves time to kill everything on a busy machine. */
const TTL_S = 12;
/** A guard: probes go on for ten seconds first, or four processes were killed; the machine is busy. */
const BACK_MS = 120_000;

/** The console's configuration of a lab, with a folder of its own for its state. */
async function configIn(lab: SwiftLab, folder: string) {
  const file = join(dirname(lab.state.gatewayConfig), 'lab-console.json');
  const own = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  const stateDir = join(folder, 'state');
  const consoleFile = join(folder, 'console.json');
  const configFile = join(folder, 'ringway.json');
  const { endpoints } = lab.state;
  // Without the proxy that loses a worker: what is asked is how the fault ends, and not the login.
  const [, second = ''] = endpoints;
  await writeFile(
    consoleFile,
    JSON.stringify({ ...own, cluster_name: 'lab', state_dir: stateDir }),
  );
  const keys = { ...lab.gatewayKeys(), swift_endpoints: [second], swift_auth_url: `${second}/auth/v1.0` }; // prettier-ignore
  await writeFile(configFile, JSON.stringify({ ...keys, console_config: consoleFile }));
  return { configFile, stateDir, second, nodes: clusterNodes().parse(own.cluster_nodes) };
}

/**
 * Begins a fault in a running service, kills in the given order once it is held, and says how it ended.
 * @param order - `dead-man` is one of the two; `dead-men` both: then the service is started anew
 */
export async function killDuring(
  { fault, target, mode, isBroken }: KilledFault,
  order: readonly (Victim | 'dead-men')[],
  lab: SwiftLab,
  folder: string,
): Promise<Course> {
  const { configFile, stateDir, second, nodes } = await configIn(lab, folder);
  const dataDir = join(folder, 'data');
  const start = () => startService({ configFile, dataDir, console: '127.0.0.1:0', listeners: 1 });
  let service: Service = await start();
  try {
    const consolePid = await consoleUp(service);
    const client = new ConsoleClient(consoleOf(service).port, { storeOrigin: second, stateDir });
    const { account, user, key } = lab.user('test:tester');
    const login = await client.login({ account, user, key });
    if (login.status !== 200) throw new Error(login.text);
    const request = { fault, target, params: { mode }, ttl_s: TTL_S, confirm: target, force: true };
    const answer = await client.post('/lab/api/chaos/runs', request);
    if (answer.status !== 202) throw new Error(answer.text);
    const { id } = answer.json() as { id: string };
    const net = await eventually(
      async () => netOf((await client.get(`/lab/api/chaos/runs/${id}`)).json()),
      (one) => one?.phase === 'held',
      BACK_MS,
    );
    const plans = new Plans(join(stateDir, 'lab', 'net'));
    const plan = await plans.read(id);
    if (net === undefined || plan === undefined) throw new Error('no plan');
    const seen: Seen = { lab, nodes, plan };
    const [, deadMan = 0] = net.dead_men;
    const pids = { console: [consolePid], supervisor: [service.supervisorPid], 'dead-man': [deadMan], 'dead-men': net.dead_men }; // prettier-ignore
    for (const victim of order) for (const pid of pids[victim]) killIfThere(pid);
    const wasBroken = await isBroken(seen);
    let fromS = net.deadline_unix_s;
    if (order.includes('dead-men')) {
      await service.kill9();
      service = await start();
      fromS = Math.max(fromS, Date.now() / 1000);
    }
    await eventually(() => isBroken(seen), (still) => !still, BACK_MS); // prettier-ignore
    const lateS = Date.now() / 1000 - fromS;
    await eventually(() => plans.read(id), (open) => open === undefined, BACK_MS); // prettier-ignore
    const doneS = Date.now() / 1000 - fromS;
    const journal = await readFile(join(stateDir, 'lab', 'net', 'journal.jsonl'), 'utf8');
    const lines = journal.trimEnd().split('\n').map((line) => JSON.parse(line) as { state: string; by: string }); // prettier-ignore
    return { lateS, doneS, wasBroken, lines: lines.map(({ state, by }) => `${state} ${by}`) };
  } finally {
    await service.kill9();
  }
}

interface HeldNet {
  readonly phase: string;
  readonly deadline_unix_s: number;
  readonly dead_men: readonly number[];
}

function netOf(run: { state: string; error: unknown; evidence: { net?: HeldNet } | null }) {
  if (run.state === 'failed') throw new Error(JSON.stringify(run.error));
  const net = run.evidence?.net;
  // Without memcached all probes fail, and a run that is not killed at once ends by itself.
  if (net?.phase === 'reverted') throw new Error('it was taken back before anything was killed');
  return net;
}

/** The end of one may have ended the other. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
