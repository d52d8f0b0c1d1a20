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

/** What the client saw. */
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
  create(): Promise<void>;
  put(key: string, body: Buffer): Promise<void>;
  get(key: string): Promise<void>;
  delete(key: string): Promise<void>;
  remove(): Promise<void>;
}

const EXPIRES_S = 600;

/**
 * Sends some requests as the user of the session, to a container of its own that is deleted again.
 * @throws ApiError upstream_error where the container cannot be made
 */
export async function pulse(
  session: Session,
  { n, bytes, path, concurrency }: PulseOptions,
): Promise<PulseTimes> {
  const target = targetOf(session, `lab-profile-${randomBytes(4).toString('hex')}`, bytes);
  const body = randomBytes(bytes);
  const keys = Array.from({ length: n }, (_, index) => `pulse-${index}`);
  const written = new Set<string>();
  const put = async (key: string): Promise<void> => {
    written.add(key);
    await target.put(key, body);
  };
  try {
    await target.create();
  } catch {
    throw new ApiError('upstream_error', 'A container for the pulse cannot be made.');
  }
  try {
    if (path === 'get') await timed([keys[0] ?? ''], 1, put);
    const work = path === 'put' ? put : () => target.get(keys[0] ?? '');
    const { times, errors } = await timed(keys, concurrency, work);
    return { n, errors, p50_ms: rank(times, 0.5), p95_ms: rank(times, 0.95), api: target.api };
  } finally {
    // What stays where this fails goes by itself on Swift: it expires.
    await timed([...written], concurrency, (key) => target.delete(key));
    await target.remove().catch(() => undefined);
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
 * @throws ApiError upstream_error where the container cannot be made: a policy that the store does
 *   not know, or that takes no new containers
 */
export async function measurePolicy(
  { store }: Session,
  policy: string,
  { n, bytes }: { readonly n: number; readonly bytes: number },
): Promise<PolicyTimes> {
  const name = `lab-policy-${randomBytes(4).toString('hex')}`;
  const target = swiftTarget(store, name, bytes, { 'x-storage-policy': policy });
  const body = randomBytes(bytes);
  const keys = Array.from({ length: n }, (_, index) => `pulse-${index}`);
  try {
    await target.create();
  } catch {
    throw new ApiError('upstream_error', 'The store makes no container of this policy.');
  }
  try {
    const put = await timed(keys, 1, (key) => target.put(key, body));
    const get = await timed(keys, 1, (key) => target.get(key));
    return {
      n,
      bytes,
      errors: put.errors + get.errors,
      put_p50_ms: rank(put.times, 0.5),
      put_p95_ms: rank(put.times, 0.95),
      get_p50_ms: rank(get.times, 0.5),
      get_p95_ms: rank(get.times, 0.95),
    };
  } finally {
    await timed(keys, 4, (key) => target.delete(key));
    await target.remove().catch(() => undefined);
  }
}

async function timed(
  keys: readonly string[],
  concurrency: number,
  work: (key: string) => Promise<void>,
): Promise<{ readonly times: number[]; readonly errors: number }> {
  const times: number[] = [];
  let errors = 0;
  const waiting = [...keys];
  const one = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      const begun = performance.now();
      try {
        await work(key);
        times.push(performance.now() - begun);
      } catch {
        errors += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  return { times, errors };
}

/** The nearest rank. */
function rank(times: readonly number[], share: number): number | null {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

function targetOf({ s3, store }: Session, name: string, bytes: number): Target {
  const readMax = bytes + 1024;
  if (s3 !== undefined) {
    return {
      api: 's3',
      create: async () => {
        await s3.do([200], 'PUT', { bucket: name });
      },
      put: async (key, body) => {
        await s3.do([200], 'PUT', { bucket: name, key, body });
      },
      get: async (key) => {
        const { body } = await s3.expect([200], 'GET', { bucket: name, key });
        await readBody(body, readMax);
      },
      delete: async (key) => {
        await s3.do([204], 'DELETE', { bucket: name, key });
      },
      remove: async () => {
        await s3.do([204], 'DELETE', { bucket: name });
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
    create: async () => {
      await store.do([201, 202], 'PUT', { container: name, headers });
    },
    put: async (object, body) => {
      const own = { 'x-delete-after': String(EXPIRES_S), 'content-length': String(body.length) };
      await store.do([201], 'PUT', { container: name, object, headers: own, body });
    },
    get: async (object) => {
      await store.read([200], 'GET', { container: name, object }, readMax);
    },
    delete: async (object) => {
      await store.do([204, 404], 'DELETE', { container: name, object });
    },
    remove: async () => {
      await store.do([204, 404, 409], 'DELETE', { container: name });
    },
  };
}
