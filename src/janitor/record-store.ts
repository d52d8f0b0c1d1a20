import type {
  Backend,
  CallContext,
  ContainerRef,
  ObjectRef,
  PutObjectInput,
} from '../backend/backend.js';
import { parseJson } from '../lib/parse-json.js';
import { collect } from '../s3/versions/read-document.js';
import { unlessGone } from './gone.js';

/** The position at which a pass continues: behind this name, in this container. */
export interface Cursor {
  readonly container: string;
  /** Empty: at its beginning. */
  readonly marker: string;
}

/** The janitors' record of an account, in the store: who is at work, since when, and how far. */
export interface JanitorRecord {
  /** The id of the process that holds the lease; null when it is free. */
  readonly holder: string | null;
  /** The lease ends when the record has not changed for this long. */
  readonly lease_ms: number;
  /** Grows with each write, so that no two records have the same bytes. */
  readonly sequence: number;
  /** Beginning of the last pass, under way or done; milliseconds since the epoch. */
  readonly started_at: number | null;
  /** End of the last pass that came to its end. */
  readonly finished_at: number | null;
  /** The position of a pass that is under way or was interrupted. */
  readonly cursor: Cursor | null;
}

export const NEW_RECORD: JanitorRecord = {
  holder: null,
  lease_ms: 1,
  sequence: 0,
  started_at: null,
  finished_at: null,
  cursor: null,
};

/**
 * Parses a record without a schema library, which would take 8 MiB of memory in a process that
 * needs it for nothing else.
 * @returns undefined for an invalid record, which counts as a missing one
 */
export function parseRecord(bytes: Buffer): JanitorRecord | undefined {
  const value = parseJson(bytes.toString('utf8'));
  if (!isObject(value)) return undefined;
  const { holder, lease_ms, sequence, started_at, finished_at } = value;
  const cursor = value.cursor === null ? null : asCursor(value.cursor);
  if (holder !== null && typeof holder !== 'string') return undefined;
  if (typeof lease_ms !== 'number' || lease_ms <= 0) return undefined;
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence)) return undefined;
  if (!isTime(started_at) || !isTime(finished_at) || cursor === undefined) return undefined;
  return { holder, lease_ms, sequence, started_at, finished_at, cursor };
}

function asCursor(value: unknown): Cursor | undefined {
  if (!isObject(value)) return undefined;
  const { container, marker } = value;
  return typeof container === 'string' && typeof marker === 'string'
    ? { container, marker }
    : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isTime(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

export function renderRecord(record: JanitorRecord): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

/** No bucket can have this name, and Swift's users know that what begins with a dot is not theirs. */
export const RESERVED_CONTAINER = '.ringway';
const OBJECT = 'janitor.json';

/** A record with what tells it from any other write. */
export interface StoredRecord {
  /** Undefined when there is none, or none that can be read. */
  readonly record: JanitorRecord | undefined;
  /** Undefined when there is no object. */
  readonly etag: string | undefined;
}

/** The record of one account, changed by compare-and-swap alone. */
export interface RecordStore {
  read(call: CallContext): Promise<StoredRecord>;
  /**
   * Replaces the record with this ETag, or creates a missing one.
   * @returns the new ETag; undefined when another janitor was faster
   */
  write(
    call: CallContext,
    record: JanitorRecord,
    etag: string | undefined,
  ): Promise<string | undefined>;
}

export function recordStore(backend: Backend, account: string): RecordStore {
  return backend.capabilities.conditionalReplace
    ? new ReplacedRecord(backend, account)
    : new ChainedRecord(backend, account);
}

function inputOf(record: JanitorRecord): PutObjectInput {
  const body = renderRecord(record);
  // Janitors empty a full store, too.
  return { size: body.length, contentType: 'application/json', body, writeClass: 'deletion' };
}

/** One object that is replaced. */
export class ReplacedRecord implements RecordStore {
  readonly #ref: ObjectRef;

  constructor(
    private readonly backend: Backend,
    account: string,
  ) {
    this.#ref = { account, container: RESERVED_CONTAINER, object: OBJECT };
  }

  async read(call: CallContext): Promise<StoredRecord> {
    const found = await readObject(this.backend, call, this.#ref);
    return found ?? { record: undefined, etag: undefined };
  }

  async write(
    call: CallContext,
    record: JanitorRecord,
    etag: string | undefined,
  ): Promise<string | undefined> {
    const input = inputOf(record);
    const precondition = etag === undefined ? ({ absent: true } as const) : { etag };
    if (etag === undefined) await this.backend.createContainer(call, this.#ref, {});
    const outcome = await this.backend.putObject(call, this.#ref, input, precondition);
    return outcome.outcome === 'created' ? outcome.etag : undefined;
  }
}

const LINK_PREFIX = 'janitor.g';
/** Digits of a number in a name: names sort as numbers do. */
const LINK_DIGITS = 12;
/** Links that stay behind the last one, so that who reads an old listing still finds its end. */
const LINKS_KEPT = 16;

/**
 * A chain of objects, for stores that can create atomically but not replace: each record is created
 * under the next number, by the first janitor to do so. Its "ETag" is that number. The listing,
 * which may lag, only says where the search for the end of the chain begins.
 */
export class ChainedRecord implements RecordStore {
  readonly #container: ContainerRef;

  constructor(
    private readonly backend: Backend,
    account: string,
  ) {
    this.#container = { account, container: RESERVED_CONTAINER };
  }

  async read(call: CallContext): Promise<StoredRecord> {
    let last: StoredRecord = { record: undefined, etag: undefined };
    for (let number = (await this.#listed(call)).at(-1) ?? 1; ; number++) {
      const found = await readObject(this.backend, call, this.#link(number));
      if (found === undefined) return last;
      last = { record: found.record, etag: String(number) };
    }
  }

  async write(
    call: CallContext,
    record: JanitorRecord,
    etag: string | undefined,
  ): Promise<string | undefined> {
    const input = inputOf(record);
    if (etag === undefined) await this.backend.createContainer(call, this.#container, {});
    const number = Number(etag ?? 0) + 1;
    const ref = this.#link(number);
    const outcome = await this.backend.putObject(call, ref, input, { absent: true });
    if (outcome.outcome !== 'created') return undefined;
    await this.#forget(call, number - LINKS_KEPT);
    return String(number);
  }

  #link(number: number): ObjectRef {
    const object = `${LINK_PREFIX}${String(number).padStart(LINK_DIGITS, '0')}`;
    return { ...this.#container, object };
  }

  /** Numbers in ascending order. */
  async #listed(call: CallContext): Promise<number[]> {
    const query = { prefix: LINK_PREFIX, limit: LISTED_MAX };
    const page = await unlessGone(this.backend.listObjects(call, this.#container, query));
    return (page?.entries ?? []).flatMap((entry) =>
      entry.kind === 'object' ? [Number(entry.object.name.slice(LINK_PREFIX.length))] : [],
    );
  }

  /** All up to this number; what is left is taken the next time. */
  async #forget(call: CallContext, upTo: number): Promise<void> {
    for (const number of (await this.#listed(call)).filter((one) => one <= upTo)) {
      await unlessGone(this.backend.deleteObject(call, this.#link(number)));
    }
  }
}

/**
 * More records than normally exist, unless deletions failed for long; then reading takes longer.
 */
const LISTED_MAX = 1000;

/** @returns undefined without the object, or its container */
async function readObject(
  backend: Backend,
  call: CallContext,
  ref: ObjectRef,
): Promise<StoredRecord | undefined> {
  const found = await unlessGone(backend.getObject(call, ref, undefined, { newest: true }));
  if (found === undefined) return undefined;
  return { record: parseRecord(await collect(found.body.source)), etag: found.head.etag };
}
