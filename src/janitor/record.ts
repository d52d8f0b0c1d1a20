/** Where a pass goes on: behind this name, in this container. */
export interface Cursor {
  readonly container: string;
  /** Empty: at its beginning. */
  readonly marker: string;
}

/** What janitors know of an account, in the store: who is at work, since when, and how far. */
export interface JanitorRecord {
  /** Names the process that holds the lease; null when nobody does. */
  readonly holder: string | null;
  /** The lease ends when the record has not changed for this long. */
  readonly lease_ms: number;
  /** Grows with each write, so that no two records have the same bytes. */
  readonly sequence: number;
  /** Beginning of the last pass, under way or done; milliseconds since the epoch. */
  readonly started_at: number | null;
  /** End of the last pass that came to its end. */
  readonly finished_at: number | null;
  /** Of a pass that is under way or was interrupted. */
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
 * Without a schema: the library for them is 8 MiB of memory, in a process that needs it for nothing
 * else.
 * @returns undefined for what is no record: it is then as good as none
 */
export function parseRecord(bytes: Buffer): JanitorRecord | undefined {
  try {
    return asRecord(JSON.parse(bytes.toString('utf8')) as unknown);
  } catch {
    return undefined;
  }
}

function asRecord(value: unknown): JanitorRecord | undefined {
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
