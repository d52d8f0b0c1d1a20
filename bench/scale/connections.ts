import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { addressOf } from '../load/connection.js';
import { exchangeAll } from '../load/unmeasured.js';
import type { WireRequest } from '../load/wire.js';
import { figuresOf, processTree } from '../measure/processes.js';
import { bodyOf, KIB, MIB } from '../rows/bodies.js';
import type { ScaleOptions } from './options.js';
import type { HeldConnections } from './results.js';
import { startSubject, type Subject } from './service.js';

/** How connections are held: all of one kind at once. */
interface Kind {
  readonly kind: string;
  readonly title: string;
  /** The number of idle connections for each active one. */
  readonly share: number;
  readonly request: (subject: Subject) => WireRequest;
  /** Bytes of the body that are sent; the rest never comes. */
  readonly sentBytes: number;
  /** Whether the answer is awaited and read; otherwise it is left in the kernel. */
  readonly isAnswered: boolean;
}

const SMALL = 'held/small';
const LARGE = 'held/large';

const KINDS: readonly Kind[] = [
  {
    kind: 'idle',
    title: 'kept open after a request',
    share: 1,
    request: ({ dialect, bucket }) => dialect.head(bucket, SMALL, KIB),
    sentBytes: 0,
    isAnswered: true,
  },
  {
    kind: 'uploading',
    title: 'half of a PUT of 64 KiB sent, then nothing',
    share: 1,
    request: ({ dialect, bucket }) => dialect.put(bucket, 'held/new', bodyOf(64 * KIB, 0), false),
    sentBytes: 32 * KIB,
    isAnswered: false,
  },
  {
    kind: 'downloading',
    title: 'GET of 8 MiB of which nothing is read',
    share: 10,
    request: ({ dialect, bucket }) => dialect.get(bucket, LARGE, bodyOf(8 * MIB, 0)),
    sentBytes: 0,
    isAnswered: false,
  },
];

/** No admission limits, so that no request waits: the question is what a connection costs. */
const UNBOUNDED = { admission_in_flight_max: 1_000_000, body_memory_bytes_max: 2 ** 40 };

/** Memory is looked at when nothing moves any more; idle connections live 12 s at least. */
const SETTLE_MS = 2000;

/** Connections are opened so many at a time, that none is dropped by a full queue. */
const BATCH = 100;

export async function studyConnections(
  { connections, listeners }: ScaleOptions,
  say: (text: string) => void,
): Promise<HeldConnections[]> {
  const results: HeldConnections[] = [];
  for (const kind of KINDS) {
    const count = Math.max(1, Math.round(connections / kind.share));
    say(`${count} connections: ${kind.kind}`);
    // Each subject has its own service: used memory is not given back.
    const subject = await startSubject(Math.max(...listeners), UNBOUNDED);
    try {
      results.push(await hold(kind, count, subject));
    } finally {
      await subject.target.stop();
    }
  }
  return results;
}

async function hold(kind: Kind, count: number, subject: Subject): Promise<HeldConnections> {
  await warmUp(subject);
  const before = anonymousBytes(subject);
  const kernelBefore = kernelTcpBytes();
  const sockets: Socket[] = [];
  try {
    while (sockets.length < count) {
      const batch = Math.min(BATCH, count - sockets.length);
      const opened = Array.from({ length: batch }, () => open(kind, subject));
      sockets.push(...(await Promise.all(opened)));
    }
    await delay(SETTLE_MS);
    const lost = sockets.filter((socket) => socket.destroyed || socket.readableEnded).length;
    if (lost > 0) throw new Error(`${lost} of ${count} connections were closed by the service`);
    return {
      ...{ kind: kind.kind, title: kind.title, connections: count },
      anonymousBytesBefore: before,
      anonymousBytesAfter: anonymousBytes(subject),
      kernelBytes: Math.max(0, kernelTcpBytes() - kernelBefore),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** The service's heaps have grown to what requests take, and its code is compiled. */
async function warmUp({ dialect, bucket }: Subject): Promise<void> {
  await exchangeAll(dialect, 1, [
    dialect.put(bucket, SMALL, bodyOf(KIB, 0), true),
    dialect.put(bucket, LARGE, bodyOf(8 * MIB, 0), false),
  ]);
  const requests = function* () {
    for (let i = 0; i < 5000; i++) {
      yield dialect.head(bucket, SMALL, KIB);
      if (i % 10 === 0) yield dialect.put(bucket, `held/${i}`, bodyOf(64 * KIB, i), false);
      if (i % 100 === 0) yield dialect.get(bucket, LARGE, bodyOf(8 * MIB, 0));
    }
  };
  await exchangeAll(dialect, 32, requests());
  await delay(SETTLE_MS);
}

async function open(kind: Kind, subject: Subject): Promise<Socket> {
  const { host, port } = addressOf(subject.dialect.endpoint);
  const { head, body } = kind.request(subject);
  const socket = connect({ host, port });
  if (!kind.isAnswered) socket.pause();
  // A reset is noticed when they are counted.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(head);
  if (kind.sentBytes > 0) socket.write(body?.subarray(0, kind.sentBytes) ?? '');
  if (kind.isAnswered) await once(socket, 'data');
  return socket;
}

function anonymousBytes({ service }: Subject): number {
  return processTree([service.supervisorPid]).reduce(
    (sum, pid) => sum + (figuresOf(pid)?.anonymousBytes ?? 0),
    0,
  );
}

const PAGE_BYTES = 4096;

/** The kernel's memory for TCP of the whole machine; it is not known by process. */
function kernelTcpBytes(): number {
  const pages = /^TCP: .* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1];
  return Number(pages ?? 0) * PAGE_BYTES;
}
