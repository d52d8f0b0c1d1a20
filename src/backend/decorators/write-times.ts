import { randomUUID } from 'node:crypto';
import type { Backend, CallContext, Guard, Metadata, ObjectRef } from '../backend.js';
import { BackendError, type BackendErrorCode } from '../errors.js';

/**
 * When the visible write of each name began, kept in the store itself, so that any number of
 * processes agree on it. Times are microseconds since the epoch, as Swift's timestamps.
 *
 * An object tells the time of its write in a listing attribute, which can be read of a link without
 * following it. Beside it, in a hidden container of the account, lies a *ticket*, which each write
 * consumes as its guard: as long as a ticket is there, nothing was written since it was read. A
 * delete leaves a ticket that tells its time, as Swift leaves a tombstone.
 *
 * A ticket makes one compare-and-swap of `{ look at the name; write it }` that no rewrite of the same
 * bytes in the same millisecond can deceive, and a crash between any two calls leaves nothing wrong:
 * a ticket that is missing is made by the next writer.
 */

/** Swift's own containers for itself begin with a dot, too. */
export const TICKETS_CONTAINER = '.write-times';
const CONTAINER_NAME_BYTES_MAX = 256;
const STARTED = 'weak-started';
const DELETED = 'weak-deleted';

/** Not later than anything. */
const NEVER = 0;

export interface Ticket {
  readonly ref: ObjectRef;
  readonly etag: string;
  /** When the delete began that the name was last seen by; 0 without one. */
  readonly deletedAt: number;
}

/** What there is under a name. */
export interface Visible {
  readonly exists: boolean;
  /** When the write, or the delete, began that made it so. */
  readonly startedAt: number;
  readonly etag: string;
  /** As its writer wrote them. */
  readonly attributes: Metadata;
}

export class WriteTimes {
  /** Longest name of an object, in bytes: that of its ticket names the container, too. */
  readonly nameBytesMax: number;

  /** @param store whose writes are all conditional, in one instant */
  constructor(private readonly store: Backend) {
    this.nameBytesMax = store.capabilities.objectNameBytesMax - CONTAINER_NAME_BYTES_MAX - 1;
  }

  /**
   * What is there, or when it went.
   * @param taken the ticket of this name, when it was taken before
   * @throws BackendError NoSuchContainer, NameTooLong
   */
  async visible(context: CallContext, ref: ObjectRef, taken?: Ticket): Promise<Visible> {
    this.#checkName(ref);
    const found = await this.peek(context, ref);
    if (found.exists) return found;
    const ticket = taken ?? (await this.#read(context, ticketOf(ref)));
    return { ...found, startedAt: ticket?.deletedAt ?? NEVER };
  }

  /** The object itself, be it a link or broken. @throws BackendError NoSuchContainer */
  async peek(context: CallContext, ref: ObjectRef): Promise<Visible> {
    // A name is the first of all that begin with it.
    const query = { prefix: ref.object, limit: 1 };
    const [entry] = (await this.store.listObjects(context, ref, query)).entries;
    if (entry?.kind !== 'object' || entry.object.name !== ref.object) return NOTHING;
    const { etag, lastModified } = entry.object;
    const started = entry.object.attributes[STARTED];
    // Whoever wrote it past us did so at once.
    const startedAt = started === undefined ? lastModified * 1000 : Number(started);
    const attributes = withoutStarted(entry.object.attributes);
    return { exists: true, startedAt, etag, attributes };
  }

  /** The ticket for the next write of a name, to be had before the name is looked at. */
  async take(context: CallContext, ref: ObjectRef): Promise<Ticket> {
    const ticketRef = ticketOf(ref);
    for (;;) {
      const found = await this.#read(context, ticketRef);
      if (found !== undefined) return found;
      await this.#make(context, ticketRef);
    }
  }

  /**
   * Deletes what a ticket was taken for, and leaves the time: all in one instant.
   * @returns false when somebody wrote since the ticket was taken; nothing has changed then
   */
  async bury(
    context: CallContext,
    { ref, exists, startedAt }: { ref: ObjectRef; exists: boolean; startedAt: number },
    ticket: Ticket,
  ): Promise<boolean> {
    const systemMetadata = { [DELETED]: String(startedAt) };
    const guard = exists ? { ref, consumed: true } : undefined;
    const input = { ...emptyTicket(), systemMetadata, guard };
    try {
      const { etag } = ticket;
      const { outcome } = await this.store.putObject(context, ticket.ref, input, { etag });
      return outcome === 'created';
    } catch (error) {
      if (isCode(error, 'GuardMissing')) return false;
      throw error;
    }
  }

  #checkName({ object }: ObjectRef): void {
    const bytes = Buffer.byteLength(object);
    if (bytes <= this.nameBytesMax) return;
    const detail = `an object name of ${bytes} bytes is longer than ${this.nameBytesMax}`;
    throw new BackendError('NameTooLong', detail);
  }

  async #read(context: CallContext, ref: ObjectRef): Promise<Ticket | undefined> {
    try {
      const { etag, systemMetadata } = await this.store.headObject(context, ref);
      return { ref, etag, deletedAt: Number(systemMetadata[DELETED] ?? NEVER) };
    } catch (error) {
      if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return undefined;
      throw error;
    }
  }

  /** Somebody else may have made it first: it is looked for again in any case. */
  async #make(context: CallContext, ref: ObjectRef): Promise<void> {
    try {
      await this.store.putObject(context, ref, emptyTicket(), { absent: true });
    } catch (error) {
      if (!isCode(error, 'NoSuchContainer')) throw error;
      await this.store.createContainer(context, ref, {});
    }
  }
}

/** What a write of an object takes with it to tell when it began. */
export function startedAttribute(startedAt: number): Metadata {
  return { [STARTED]: String(startedAt) };
}

/** The attributes of an object without what is ours. */
export function withoutStarted(attributes: Metadata): Metadata {
  if (attributes[STARTED] === undefined) return attributes;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== STARTED));
}

/** Lets a write pass only while nobody else wrote. */
export function guardOf({ ref, etag }: Ticket): Guard {
  return { ref, etag, consumed: true };
}

export function isCode(error: unknown, ...codes: BackendErrorCode[]): boolean {
  return error instanceof BackendError && codes.includes(error.code);
}

function ticketOf({ account, container, object }: ObjectRef): ObjectRef {
  return { account, container: TICKETS_CONTAINER, object: `${container}/${object}` };
}

/** No two tickets have the same ETag, so none is taken for another. */
function emptyTicket() {
  const etag = randomUUID();
  const contentType = 'application/x-write-time';
  return { size: 0, contentType, body: Buffer.alloc(0), seal: () => ({ etag }) };
}

const NOTHING: Visible = { exists: false, startedAt: NEVER, etag: '', attributes: {} };
