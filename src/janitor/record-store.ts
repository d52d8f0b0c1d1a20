import type { Backend, CallContext, GetObjectResult, ObjectRef } from '../backend/backend.js';
import { BackendError } from '../backend/errors.js';
import { parseRecord, renderRecord, type JanitorRecord } from './record.js';

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
export class RecordStore {
  readonly #ref: ObjectRef;

  constructor(
    private readonly backend: Backend,
    account: string,
  ) {
    this.#ref = { account, container: RESERVED_CONTAINER, object: OBJECT };
  }

  async read(call: CallContext): Promise<StoredRecord> {
    let found: GetObjectResult;
    try {
      found = await this.backend.getObject(call, this.#ref);
    } catch (error) {
      if (isMissing(error)) return { record: undefined, etag: undefined };
      throw error;
    }
    return { record: parseRecord(await bytesOf(found)), etag: found.head.etag };
  }

  /**
   * Replaces what has `etag`, or creates where nothing is.
   * @returns the new ETag; undefined when somebody else was faster
   */
  async write(
    call: CallContext,
    record: JanitorRecord,
    etag: string | undefined,
  ): Promise<string | undefined> {
    const body = renderRecord(record);
    const input = { size: body.length, contentType: 'application/json', body };
    const precondition = etag === undefined ? ({ absent: true } as const) : { etag };
    if (etag === undefined) await this.backend.createContainer(call, this.#ref, {});
    // A full store is emptied by janitors, too.
    const work = { ...call, forDeletion: true };
    const outcome = await this.backend.putObject(work, this.#ref, input, precondition);
    return outcome.outcome === 'created' ? outcome.etag : undefined;
  }
}

async function bytesOf({ body: { source } }: GetObjectResult): Promise<Buffer> {
  if (Buffer.isBuffer(source)) return source;
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export function isMissing(error: unknown): boolean {
  return (
    error instanceof BackendError &&
    (error.code === 'NoSuchObject' || error.code === 'NoSuchContainer')
  );
}
