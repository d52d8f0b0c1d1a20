import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { DeadMenOptions } from '../../../console/surfaces/lab/net/dead-men.js';
import type { FaultControl, FaultKind } from '../../../console/surfaces/lab/net/fault.js';
import { FaultNet } from '../../../console/surfaces/lab/net/fault-net.js';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import type { Runs } from '../../../console/server/runs/runs.js';
import type { RunFacts, RunView } from '../../../console/server/runs/run.js';
import { clusterNodes } from '../../../console/config/keys.js';
import { openRuns } from '../support/runs.js';

/** A service with a child: it ends when it is told to, and lives on without the child. */
const SERVICE = `trap 'exit 0' TERM
while :; do sleep 5 & wait $!; done
`;

export type Nodes = ReturnType<ReturnType<typeof clusterNodes>['parse']>;

/** A node whose services are processes of a folder; none runs yet. */
export async function nodesIn(folder: string, services: readonly string[]): Promise<Nodes> {
  const script = join(folder, 'service.sh');
  await writeFile(script, SERVICE);
  const entries = services.map((name) => [
    name,
    { pid_file: join(folder, `${name}.pid`), argv: ['/bin/sh', script, name] },
  ]);
  return clusterNodes().parse([
    { name: 'node1', storage_ip: '127.0.0.1', services: Object.fromEntries(entries) as unknown },
  ]);
}

export const OBJECT_SERVER = 'object-server';

interface StopParams extends RunFacts {
  /** Less than what an operator may ask for. */
  readonly hold_s?: number;
  /** Stands still in the midst of the step, with the lock of the plans. */
  readonly hangs?: boolean;
}

/** Stops a service, and waits. */
export class StopFault implements FaultKind<StopParams, { by: string }> {
  readonly name = 'test.stop';
  readonly kept = 20;
  holds = false;
  /** Its stages, in order. */
  readonly calls: string[] = [];

  constructor(
    private readonly net: () => FaultNet,
    private readonly onHeld: (end: () => Promise<void>) => void = () => undefined,
  ) {}

  async run(fault: FaultControl<StopParams>): Promise<{ by: string }> {
    const { driver, node } = this.net().tools;
    if (!fault.isResumed) {
      const params = { node: 'node1', service: OBJECT_SERVER };
      await fault.arm([{ kind: 'service.start', params }], fault.params.hold_s);
      this.calls.push('armed');
      await fault.act('stop', async () => {
        this.calls.push('stop');
        await driver.act(node('node1'), OBJECT_SERVER, 'stop');
        if (fault.params.hangs === true) {
          process.stdout.write('held\n');
          process.kill(process.pid, 'SIGSTOP');
        }
      });
      await fault.held();
    }
    this.calls.push('held');
    this.onHeld(() => this.net().end(fault.id));
    if (!fault.signal.aborted) await once(fault.signal, 'abort');
    if (fault.signal.reason !== 'deadline' && fault.signal.reason !== 'ended') return { by: '' };
    const { by } = await fault.revert();
    return { by };
  }
}

export interface OpenNet {
  readonly runs: Runs;
  readonly net: FaultNet;
  readonly kind: StopFault;
  readonly told: RunView[];
  state(): Promise<string>;
  close(): Promise<void>;
}

/** The net of a console over a folder, with one kind of fault. */
export function openNet(
  folder: string,
  nodes: Nodes,
  more: {
    readonly onHeld?: (end: () => Promise<void>) => void;
    readonly holds?: boolean;
    readonly deadMen?: DeadMenOptions;
    readonly now?: () => number;
    readonly nodeDriver?: 'local-procs' | 'local-systemd';
  } = {},
): OpenNet {
  const told: RunView[] = [];
  const now = more.now ?? Date.now;
  const events = { publish: (_topic: string, view: unknown) => told.push(view as RunView) };
  const runs = openRuns(folder, { events, now, retryMs: 20 });
  const options = {
    stateDir: folder,
    nodeDriver: more.nodeDriver ?? ('local-procs' as const),
    clusterNodes: nodes,
    nodeRoot: '',
  };
  const logger = { error: () => undefined, info: () => undefined };
  const { deadMen = {} } = more;
  const net = new FaultNet({ options, runs, now, logger, deadMen, againMs: 20 });
  const kind = new StopFault(() => net, more.onHeld);
  kind.holds = more.holds ?? false;
  net.register(kind);
  return {
    runs,
    net,
    kind,
    told,
    state: () => stateOf(nodes),
    async close() {
      net.close();
      await runs.close();
    },
  };
}

/** The state of the object server. */
export async function stateOf(nodes: Nodes): Promise<string> {
  const [node] = nodes;
  if (node === undefined) throw new Error('no node');
  const [status] = await new LocalProcs().status(node, [OBJECT_SERVER]);
  return status?.state ?? 'unknown';
}

/** Ends all services of a folder's nodes. */
export async function stopAll(nodes: Nodes): Promise<void> {
  for (const node of nodes) {
    for (const name of Object.keys(node.services)) await new LocalProcs().act(node, name, 'stop');
  }
}

export function kill(pid: number): void {
  process.kill(pid, 'SIGKILL');
}

/** A console of its own with one fault; for the arguments see `net-child.ts`. */
export function netChild(folder: string, ...args: (string | number)[]): ChildProcess {
  const program = fileURLToPath(new URL('net-child.js', import.meta.url));
  return spawn(process.execPath, [program, folder, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Waits until the console of a child process holds its fault. */
export async function holdsFault({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: stdout })) {
    if (line === 'held') return;
  }
  throw new Error('the console ended before it held its fault');
}
