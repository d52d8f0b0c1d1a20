import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import type { PutOutcome } from '../../../src/backend/backend.js';
import { CONTEXT, inputOf, objectRef, readAll } from './support.js';

/**
 * A second process on a store, `contender.js <directory> <who>`: it does what its parent asks, one
 * request after the other, and answers each with a result.
 */

export type Request =
  /** Creates `race/0` … `race/<count-1>`; answers which it won. */
  | { readonly task: 'create'; readonly count: number; readonly size: number }
  /** Adds one to the number in `counter`, `count` times, by compare-and-swap. */
  | { readonly task: 'count'; readonly count: number }
  /** Overwrites and deletes the same names as everybody else. */
  | { readonly task: 'churn'; readonly count: number }
  | { readonly task: 'put'; readonly name: string; readonly text: string }
  | { readonly task: 'close' };

type Answer = number[] | null;

const [directory = '', who = ''] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory, unlinkDelayMs: 0 });

function bytesOf(size: number): Buffer {
  return Buffer.alloc(size, who);
}

async function createAll(count: number, size: number): Promise<number[]> {
  const created = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      store.putObject(CONTEXT, objectRef(`race/${i}`), inputOf(bytesOf(size)), { absent: true }),
    ),
  );
  return created.flatMap(({ outcome }: PutOutcome, i) => (outcome === 'created' ? [i] : []));
}

async function countUp(count: number): Promise<null> {
  for (let done = 0; done < count;) {
    const { etag } = await store.headObject(CONTEXT, objectRef('counter'));
    const value = Number((await readAll(store, 'counter')).toString());
    const next = inputOf(Buffer.from(String(value + 1)));
    const { outcome } = await store.putObject(CONTEXT, objectRef('counter'), next, { etag });
    if (outcome === 'created') done++;
  }
  return null;
}

async function churn(count: number): Promise<null> {
  const lane = async (lane: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const ref = objectRef(`churn/${(i * 7 + lane) % 20}`);
      const size = (i * 37) % 7 === 0 ? 100_000 + i : i;
      if (i % 3 === 2) await store.deleteObject(CONTEXT, ref).catch(() => undefined);
      else await store.putObject(CONTEXT, ref, inputOf(bytesOf(size)));
    }
  };
  await Promise.all([0, 1, 2, 3].map(lane));
  return null;
}

async function answer(request: Request): Promise<Answer> {
  switch (request.task) {
    case 'create':
      return createAll(request.count, request.size);
    case 'count':
      return countUp(request.count);
    case 'churn':
      return churn(request.count);
    case 'put':
      await store.putObject(CONTEXT, objectRef(request.name), inputOf(Buffer.from(request.text)));
      return null;
    case 'close':
      await store.close();
      process.disconnect();
      return null;
  }
}

process.on('message', (request: Request) => {
  answer(request).then(
    (result) => process.connected && process.send?.({ result }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.send?.({ result: null });
