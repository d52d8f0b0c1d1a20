import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { openDirect, openTransport } from '../src/backend/swift/index.js';
import type { SwiftTransport } from '../src/backend/swift/transport.js';
import { newHistogram, percentilesOf, record } from './load/latency.js';

/**
 * The cost of direct reads while one of the storage servers of a lab hangs (SIGSTOP), compared with
 * the same when all are well, in turn: node dist/bench/hung-node.js .swift-lab/lab.json
 */

const SERVER = 'object-server.node1';
const CONTEXT = { requestId: 'tx-hung-node' };
const PLACE = { context: CONTEXT, account: 'AUTH_test', container: 'bench-hung-node' };
const OBJECTS = 64;
const BODY = Buffer.alloc(1024, 'x');
const CLIENTS = 8;
const ROUNDS = 3;
const SLICE_MS = 5_000;
const WARM_UP_MS = 8_000;
/** Default of `swift_node_timeout_ms`. */
const NODE_TIMEOUT_MS = 3_000;
/** `swift_hedge_ms`: without, and with a second server that is asked. */
const HEDGES_MS = [0, 100];

/** The facts about a lab that the tool writes. */
interface Lab {
  readonly dir: string;
  readonly endpoints: readonly string[];
  readonly serviceUser: { readonly account: string; readonly user: string; readonly key: string };
  readonly swiftConf: string;
  readonly gatewayConfig: string;
}

interface Slice {
  readonly perS: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

function labTool(lab: Lab, command: 'pause' | 'resume'): void {
  execFileSync('node', ['ops/swift-lab/main.mjs', command, SERVER, '--dir', lab.dir]);
}

async function read(transport: SwiftTransport, index: number): Promise<void> {
  const response = await transport.request({ ...PLACE, method: 'GET', object: `o-${index}` });
  const { length } = await response.text(BODY.length);
  if (response.status !== 200 || length !== BODY.length) throw new Error(`${response.status}`);
}

/** Reads with all clients until it is over, and what was read meanwhile. */
async function slice(transport: SwiftTransport, isOver: () => boolean): Promise<Slice> {
  const latencies = newHistogram();
  const began = performance.now();
  let failed = 0;
  const client = async (first: number): Promise<void> => {
    for (let i = first; !isOver(); i++) {
      const from = performance.now();
      await read(transport, i % OBJECTS).catch(() => (failed += 1));
      record(latencies, performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n * (OBJECTS / CLIENTS))));
  const { p50, p99 } = percentilesOf(latencies);
  const perS = latencies.totalCount / ((performance.now() - began) / 1000);
  return { perS, p50, p99, failed };
}

function after(ms: number): () => boolean {
  const at = performance.now() + ms;
  return () => performance.now() > at;
}

function shown({ perS, p50, p99, failed }: Slice): string {
  return `${perS.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} failed`;
}

async function measure(lab: Lab, hedgeMs: number): Promise<void> {
  const { account, user, key } = lab.serviceUser;
  const config = JSON.parse(readFileSync(lab.gatewayConfig, 'utf8')) as Record<string, string>;
  let timeouts = 0;
  const { transport } = await openDirect(
    openTransport({
      endpoints: lab.endpoints,
      credentialFor: () => ({ user: `${account}:${user}`, key }),
      filterSecret: readFileSync(config.swift_filter_secret_file ?? '', 'utf8').trim(),
    }),
    {
      ...{ ringsDir: lab.swiftConf, swiftConf: '', readAffinity: '', hedgeMs },
      ...{ connectionsMax: 64, connectTimeoutMs: 1_000, keepAliveMs: 20_000 },
      nodeTimeoutMs: NODE_TIMEOUT_MS,
      onNodeError: () => {
        timeouts += 1;
      },
    },
  );
  await transport.info();
  await transport.request({ ...PLACE, method: 'PUT' });
  await transport.request({ ...PLACE, method: 'HEAD' });
  for (let i = 0; i < OBJECTS; i++) {
    await transport.request({ ...PLACE, method: 'PUT', object: `o-${i}`, body: BODY });
  }
  await slice(transport, after(WARM_UP_MS));
  for (let round = 0; round < ROUNDS; round++) {
    const well = await slice(transport, after(SLICE_MS));
    labTool(lab, 'pause');
    try {
      timeouts = 0;
      const found = await slice(transport, () => timeouts > 0);
      const hung = await slice(transport, after(SLICE_MS));
      console.log(`hedge ${hedgeMs} ms, all well: ${shown(well)}`);
      console.log(`  until the first time-out: ${shown(found)}`);
      console.log(`  after it: ${shown(hung)}; p99 ${(hung.p99 / well.p99).toFixed(2)} times`);
    } finally {
      labTool(lab, 'resume');
    }
  }
  await transport.close();
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node dist/bench/hung-node.js .swift-lab/lab.json');
const lab = JSON.parse(readFileSync(file, 'utf8')) as Lab;
for (const hedgeMs of HEDGES_MS) await measure(lab, hedgeMs);
