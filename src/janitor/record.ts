import { z } from 'zod';

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

const TIME = z.number().nullable();

const RECORD = z.object({
  holder: z.string().nullable(),
  lease_ms: z.number().positive(),
  sequence: z.int(),
  started_at: TIME,
  finished_at: TIME,
  cursor: z.object({ container: z.string(), marker: z.string() }).nullable(),
});

export const NEW_RECORD: JanitorRecord = {
  holder: null,
  lease_ms: 1,
  sequence: 0,
  started_at: null,
  finished_at: null,
  cursor: null,
};

/** @returns undefined for what is no record: it is then as good as none */
export function parseRecord(bytes: Buffer): JanitorRecord | undefined {
  try {
    return RECORD.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

export function renderRecord(record: JanitorRecord): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}
