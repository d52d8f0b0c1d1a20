import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDirect, type DirectOptions } from '../../../../src/backend/swift/index.js';
import type { SwiftRequest, SwiftTransport } from '../../../../src/backend/swift/transport.js';
import { device, ringV1 } from '../../../ring/support.js';
import { makeTempFolder, removeFolder } from '../../../support/temp-folder.js';
import { answer, FakeSwift, type Step } from '../support/fake-swift.js';
import { CONTEXT } from '../support/open-fake.js';
import { ScriptedTransport, type ScriptedAnswer } from '../support/scripted-transport.js';

export const REF = { account: 'AUTH_a', container: 'c', object: 'o' };
const POLICY: ScriptedAnswer = { status: 200, headers: { 'x-storage-policy': 'gold' } };

/** Storage servers by script, a ring of them, and a proxy that says that it was asked. */
export interface DirectFixture {
  /** Asked in this order. */
  readonly nodes: readonly FakeSwift[];
  readonly proxy: ScriptedTransport;
  readonly transport: SwiftTransport;
  /** Ways and reasons of reads. */
  readonly ways: string[];
  readonly errors: string[];
  readonly hedges: { won: number };
  /** Rings of these servers alone. */
  writeRings(servers: readonly FakeSwift[]): Promise<void>;
  read(request?: Partial<SwiftRequest>): Promise<{ status: number; text: string }>;
  /** Sets the step of each server, for good. */
  script(...steps: readonly Step[]): void;
  /** How many requests each server has seen. */
  asked(): number[];
  close(): Promise<void>;
}

export async function openDirectFixture(
  options: Partial<DirectOptions> = {},
): Promise<DirectFixture> {
  const nodes = await Promise.all(Array.from({ length: 3 }, () => FakeSwift.start()));
  const folder = await makeTempFolder('direct-reads');
  for (const node of nodes) node.checksTokens = false;
  /** Every partition has all of these servers as its primaries, and so no handoffs. */
  const writeRings = async (servers: readonly FakeSwift[]): Promise<void> => {
    // One zone each, so that affinity makes an order of them.
    const devs = servers.map(({ url }, id) => {
      const port = Number(new URL(url).port);
      return device(id, { zone: id + 1, ip: '127.0.0.1', port, device: `d${id}` });
    });
    const rows = servers.map((_, id) => [id, id]);
    const header = { devs, part_shift: 31, replica_count: servers.length, version: 1 };
    for (const name of ['account', 'container', 'object']) {
      const path = join(folder, `${name}.ring.gz`);
      await writeFile(`${path}.new`, ringV1(header, rows));
      await rename(`${path}.new`, path);
    }
  };
  await writeRings(nodes);
  await writeFile(
    join(folder, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = s\n[storage-policy:0]\nname = gold\ndefault = yes\n',
  );
  const proxy = new ScriptedTransport(({ object, method }) =>
    method === 'HEAD' && object === undefined ? POLICY : { status: 200, body: 'of the proxy' },
  );
  const ways: string[] = [];
  const errors: string[] = [];
  const hedges = { won: 0 };
  const { transport } = await openDirect(proxy, {
    ringsDir: folder,
    swiftConf: '',
    readAffinity: 'r1z1=1,r1z2=2,r1z3=3',
    hedgeMs: 0,
    connectionsMax: 8,
    connectTimeoutMs: 1_000,
    nodeTimeoutMs: 10_000,
    keepAliveMs: 1_000,
    onRead: (way) => ways.push(way),
    onNodeError: (_, error) => errors.push(error),
    onHedgeWon: () => {
      hedges.won += 1;
    },
    ...options,
  });
  await transport.info();
  for (const container of ['bucket', 'c', 'c+segments', 'c+versions', 'd']) {
    await transport.request({ context: CONTEXT, method: 'HEAD', account: 'AUTH_a', container });
  }
  proxy.requests.length = 0;
  return {
    ...{ nodes, proxy, transport, ways, errors, hedges, writeRings },
    async read(request = {}) {
      const whole = { context: CONTEXT, method: 'GET', ...REF, ...request } as const;
      const response = await transport.request(whole);
      const chunks: Buffer[] = [];
      for await (const chunk of response.body) chunks.push(Buffer.from(chunk));
      return { status: response.status, text: Buffer.concat(chunks).toString() };
    },
    script(...steps) {
      for (const [index, step] of steps.entries()) nodes[index]!.steps = [step];
    },
    asked: () => nodes.map(({ seen }) => seen.length),
    async close() {
      await transport.close();
      await Promise.all(nodes.map((node) => node.stop()));
      await removeFolder(folder);
    },
  };
}

/** An object as an object server gives it. */
export function stored(body: string, more: Readonly<Record<string, string>> = {}): Step {
  return answer(200, body, {
    ETag: '"e1"',
    'X-Timestamp': '1700000000.00000',
    'X-Backend-Timestamp': '1700000000.00000',
    'X-Backend-Data-Timestamp': '1700000000.00000',
    ...more,
  });
}

export const missing: Step = answer(404);

/** A 404 that knows of a deletion. */
export function tombstone(time: string): Step {
  return answer(404, '', { 'X-Backend-Timestamp': time });
}
