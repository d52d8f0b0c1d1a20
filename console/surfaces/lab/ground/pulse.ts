import { randomBytes } from 'node:crypto';
import { ApiError } from '../../../server/api-error.js';
import type { Session } from '../../../server/sessions.js';
import { readBody } from '../../../swift/upstream.js';

export interface PulseOptions {
  readonly n: number;
  readonly bytes: number;
  readonly path: 'put' | 'get';
  readonly concurrency: number;
}

/** The times that the client saw. */
export interface PulseTimes {
  readonly n: number;
  readonly errors: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  /** Whether the requests were S3 to the gateway, or Swift's to the store. */
  readonly api: 's3' | 'swift';
}

/** Where requests go: S3 passes all stages of the gateway. */
interface Target {
  readonly api: PulseTimes['api'];
  create(signal: AbortSignal): Promise<void>;
  put(key: string, body: Buffer, signal: AbortSignal): Promise<void>;
  get(key: string, signal: AbortSignal): Promise<void>;
  delete(key: string, signal: AbortSignal): Promise<void>;
  remove(signal: AbortSignal): Promise<void>;
}

const EXPIRES_S = 600;
/** Deletes go on for so long where the pulse itself was ended. */
const CLEANUP_MS = 30_000;
const CLEANUP_AT_ONCE = 4;

/**
 * Pulses of one console: one at a time, since two would measure each other, and none for longer than
 * it may take.
 */
export class PulseTurn {
  #isTaken = false;

  /** @param ended - aborted when the console ends */
  constructor(
    private readonly ended: AbortSignal,
    private readonly limitMs = 2 * 60_000,
  ) {}

  /**
   * @param gone - aborted when the client no longer waits for the result
   * @param work - is to end soon after its signal was aborted
   * @throws ApiError busy while another one goes on
   */
  async take<T>(gone: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isTaken) {
      throw new ApiError(
        'busy',
        'Another measurement is in progress. Try again in a few seconds.',
        undefined,
        10,
      );
    }
    this.#isTaken = true;
    const limit = AbortSignal.timeout(this.limitMs);
    try {
      return await work(AbortSignal.any([gone, this.ended, limit]));
    } finally {
      this.#isTaken = false;
    }
  }
}

/**
 * Sends some requests as the user of the session, to a container of its own that is deleted again.
 *
 * @param signal - ends it: `n` is how many requests there were until then
 * @throws ApiError upstream_error where the container cannot be made
 */
export async function pulse(
  session: Session,
  { n, bytes, path, concurrency }: PulseOptions,
  signal: AbortSignal,
): Promise<PulseTimes> {
  const target = targetOf(session, `lab-profile-${randomBytes(4).toString('hex')}`, bytes);
  const body = randomBytes(bytes);
  const keys = Array.from({ length: n }, (_, index) => `pulse-${index}`);
  const written = new Set<string>();
  const put = async (key: string): Promise<void> => {
    written.add(key);
    await target.put(key, body, signal);
  };
  try {
    await target.create(signal);
  } catch {
    if (signal.aborted) await clearAway(target, []);
    throw new ApiError('upstream_error', 'Could not create the container for the test requests.');
  }
  try {
    if (path === 'get') await timed([keys[0] ?? ''], 1, put, signal);
    const work = path === 'put' ? put : () => target.get(keys[0] ?? '', signal);
    const { times, errors } = await timed(keys, concurrency, work, signal);
    return {
      n: times.length + errors,
      errors,
      p50_ms: rank(times, 0.5),
      p95_ms: rank(times, 0.95),
      api: target.api,
    };
  } finally {
    await clearAway(target, [...written]);
  }
}

/** How fast a policy took objects and gave them back, as a client of the store saw it. */
export interface PolicyTimes {
  /** Objects that were written, and read again. */
  readonly n: number;
  readonly bytes: number;
  /** PUTs and GETs that failed; they are in no time. */
  readonly errors: number;
  readonly put_p50_ms: number | null;
  readonly put_p95_ms: number | null;
  readonly get_p50_ms: number | null;
  readonly get_p95_ms: number | null;
}

/**
 * Writes some objects one after the other, and reads each again, in a container of a policy that is
 * deleted afterwards.
 *
 * @param policy - its name
 * @param signal - ends it: `n` is how many objects were written until then
 * @throws ApiError upstream_error where the container cannot be made: a policy that the store does
 *   not know, or that takes no new containers
 */
export async function measurePolicy(
  { store }: Session,
  policy: string,
  { n, bytes }: { readonly n: number; readonly bytes: number },
  signal: AbortSignal,
): Promise<PolicyTimes> {
  const name = `lab-policy-${randomBytes(4).toString('hex')}`;
  const target = swiftTarget(store, name, bytes, { 'x-storage-policy': policy });
  const body = randomBytes(bytes);
  const keys = Array.from({ length: n }, (_, index) => `pulse-${index}`);
  const written: string[] = [];
  try {
    await target.create(signal);
  } catch {
    if (signal.aborted) await clearAway(target, []);
    throw new ApiError('upstream_error', 'Could not create a container with this policy.');
  }
  try {
    const write = async (key: string): Promise<void> => {
      written.push(key);
      await target.put(key, body, signal);
    };
    const put = await timed(keys, 1, write, signal);
    const get = await timed(keys, 1, (key) => target.get(key, signal), signal);
    return {
      n: put.times.length + put.errors,
      bytes,
      errors: put.errors + get.errors,
      put_p50_ms: rank(put.times, 0.5),
      put_p95_ms: rank(put.times, 0.95),
      get_p50_ms: rank(get.times, 0.5),
      get_p95_ms: rank(get.times, 0.95),
    };
  } finally {
    await clearAway(target, written);
  }
}

/**
 * Deletes what was written, and the container, which may be there also when its creation was not
 * awaited. Objects that stay where this fails go by themselves on Swift: they expire.
 */
async function clearAway(target: Target, written: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(CLEANUP_MS);
  await timed(written, CLEANUP_AT_ONCE, (key) => target.delete(key, signal), signal);
  await target.remove(signal).catch(() => undefined);
}

/** Does something with each key, until the signal; what it cuts short is no time and no error. */
async function timed(
  keys: readonly string[],
  concurrency: number,
  work: (key: string) => Promise<void>,
  signal: AbortSignal,
): Promise<{ readonly times: number[]; readonly errors: number }> {
  const times: number[] = [];
  let errors = 0;
  const waiting = [...keys];
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      const key = waiting.shift();
      if (key === undefined) return;
      const begun = performance.now();
      try {
        await work(key);
        times.push(performance.now() - begun);
      } catch {
        if (!isOver(signal)) errors += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  return { times, errors };
}

/** Asked anew: the compiler takes a signal for as it was before an `await`. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** The nearest rank, in whole microseconds: a clock tells no more. */
export function rank(times: readonly number[], share: number): number | null {
  const sorted = times.toSorted((a, b) => a - b);
  const ms = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  return ms === undefined ? null : Math.round(1000 * ms) / 1000;
}

function targetOf({ s3, store }: Session, name: string, bytes: number): Target {
  const readMax = bytes + 1024;
  if (s3 !== undefined) {
    return {
      api: 's3',
      create: async (signal) => {
        await s3.do([200], 'PUT', { bucket: name, signal });
      },
      put: async (key, body, signal) => {
        await s3.do([200], 'PUT', { bucket: name, key, body, signal });
      },
      get: async (key, signal) => {
        const { body } = await s3.expect([200], 'GET', { bucket: name, key, signal });
        await readBody(body, readMax);
      },
      delete: async (key, signal) => {
        await s3.do([204], 'DELETE', { bucket: name, key, signal });
      },
      remove: async (signal) => {
        await s3.do([204], 'DELETE', { bucket: name, signal });
      },
    };
  }
  return swiftTarget(store, name, bytes, {});
}

/** @param headers - of the container that is made */
function swiftTarget(
  store: Session['store'],
  name: string,
  bytes: number,
  headers: Readonly<Record<string, string>>,
): Target {
  const readMax = bytes + 1024;
  return {
    api: 'swift',
    create: async (signal) => {
      await store.do([201, 202], 'PUT', { container: name, headers, signal });
    },
    put: async (object, body, signal) => {
      const own = { 'x-delete-after': String(EXPIRES_S), 'content-length': String(body.length) };
      await store.do([201], 'PUT', { container: name, object, headers: own, body, signal });
    },
    get: async (object, signal) => {
      await store.read([200], 'GET', { container: name, object, signal }, readMax);
    },
    delete: async (object, signal) => {
      await store.do([204, 404], 'DELETE', { container: name, object, signal });
    },
    remove: async (signal) => {
      await store.do([204, 404, 409], 'DELETE', { container: name, signal });
    },
  };
}
