import { randomBytes } from 'node:crypto';
import { mapLimited } from '../../../../src/lib/promises.js';
import { ApiError } from '../../../server/api-error.js';
import type { Session } from '../../../server/sessions.js';
import { readBody } from '../../../swift/upstream.js';
import { busy } from './refusals.js';

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
  create(signal: AbortSignal): Promise<unknown>;
  put(key: string, body: Buffer, signal: AbortSignal): Promise<unknown>;
  get(key: string, signal: AbortSignal): Promise<unknown>;
  delete(key: string, signal: AbortSignal): Promise<unknown>;
  remove(signal: AbortSignal): Promise<unknown>;
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
      throw busy('Another measurement is in progress. Try again in a few seconds.', 10);
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
  const problem = 'Could not create the container for the test requests.';
  return inContainer(target, { bytes, problem, signal }, async (put) => {
    const keys = keysOf(n);
    const first = keys[0] ?? '';
    if (path === 'get') await timed([first], 1, put, signal);
    const work = path === 'put' ? put : () => target.get(first, signal);
    const { times, errors } = await timed(keys, concurrency, work, signal);
    return {
      n: times.length + errors,
      errors,
      p50_ms: rank(times, 0.5),
      p95_ms: rank(times, 0.95),
      api: target.api,
    };
  });
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
  const problem = 'Could not create a container with this policy.';
  return inContainer(target, { bytes, problem, signal }, async (write) => {
    const put = await timed(keysOf(n), 1, write, signal);
    const get = await timed(keysOf(n), 1, (key) => target.get(key, signal), signal);
    return {
      n: put.times.length + put.errors,
      bytes,
      errors: put.errors + get.errors,
      put_p50_ms: rank(put.times, 0.5),
      put_p95_ms: rank(put.times, 0.95),
      get_p50_ms: rank(get.times, 0.5),
      get_p95_ms: rank(get.times, 0.95),
    };
  });
}

function keysOf(n: number): string[] {
  return Array.from({ length: n }, (_, index) => `pulse-${index}`);
}

/**
 * Makes the container, and deletes it with all that the work has put there.
 *
 * @param problem - of a container that cannot be made
 * @throws ApiError upstream_error with this problem; what the work throws
 */
async function inContainer<T>(
  target: Target,
  {
    bytes,
    problem,
    signal,
  }: { readonly bytes: number; readonly problem: string; readonly signal: AbortSignal },
  work: (put: (key: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const body = randomBytes(bytes);
  const written: string[] = [];
  try {
    await target.create(signal);
  } catch {
    if (signal.aborted) await clearAway(target, []);
    throw new ApiError('upstream_error', problem);
  }
  try {
    return await work(async (key) => {
      written.push(key);
      await target.put(key, body, signal);
    });
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
  work: (key: string) => Promise<unknown>,
  signal: AbortSignal,
): Promise<{ readonly times: number[]; readonly errors: number }> {
  const times: number[] = [];
  let errors = 0;
  await mapLimited(keys, concurrency, async (key) => {
    if (signal.aborted) return;
    const begun = performance.now();
    try {
      await work(key);
      times.push(performance.now() - begun);
    } catch {
      if (!isOver(signal)) errors += 1;
    }
  });
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
  if (s3 === undefined) return swiftTarget(store, name, bytes, {});
  const bucket = name;
  return {
    api: 's3',
    create: (signal) => s3.do([200], 'PUT', { bucket, signal }),
    put: (key, body, signal) => s3.do([200], 'PUT', { bucket, key, body, signal }),
    get: async (key, signal) => {
      const { body } = await s3.expect([200], 'GET', { bucket, key, signal });
      return readBody(body, bytes + 1024);
    },
    delete: (key, signal) => s3.do([204], 'DELETE', { bucket, key, signal }),
    remove: (signal) => s3.do([204], 'DELETE', { bucket, signal }),
  };
}

/** @param headers - of the container that is made */
function swiftTarget(
  store: Session['store'],
  name: string,
  bytes: number,
  headers: Readonly<Record<string, string>>,
): Target {
  const container = name;
  return {
    api: 'swift',
    create: (signal) => store.do([201, 202], 'PUT', { container, headers, signal }),
    put: (object, body, signal) => {
      const own = { 'x-delete-after': String(EXPIRES_S), 'content-length': String(body.length) };
      return store.do([201], 'PUT', { container, object, headers: own, body, signal });
    },
    get: (object, signal) => store.read([200], 'GET', { container, object, signal }, bytes + 1024),
    delete: (object, signal) => store.do([204, 404], 'DELETE', { container, object, signal }),
    remove: (signal) => store.do([204, 404, 409], 'DELETE', { container, signal }),
  };
}
