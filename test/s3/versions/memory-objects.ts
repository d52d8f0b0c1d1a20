import type * as B from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';

/** An object of a store in memory. */
export interface Stored {
  readonly head: B.ObjectHead;
  readonly body: Buffer;
  readonly attributes: B.Metadata;
  readonly segments?: readonly B.Segment[] | undefined;
  readonly link?: B.LinkInput | undefined;
  /** Of the write, in the order of all calls. */
  readonly startedAt: number;
}

/** A deleted object, which stays as a time. */
interface Gone {
  readonly startedAt: number;
}

/** The objects of a store in memory, by `container/object`. All at once: nothing here waits. */
export class MemoryObjects {
  readonly #objects = new Map<string, Stored | Gone>();

  peek(ref: B.ObjectRef): Stored | undefined {
    const stored = this.#objects.get(nameOf(ref));
    return stored !== undefined && isObject(stored) ? stored : undefined;
  }

  /** @throws BackendError NoSuchObject */
  require(ref: B.ObjectRef): Stored {
    const stored = this.peek(ref);
    if (stored === undefined) throw new BackendError('NoSuchObject', nameOf(ref));
    return stored;
  }

  /** The object that a reader gets. @throws BackendError NoSuchObject, BrokenLink */
  follow(ref: B.ObjectRef): Stored {
    const stored = this.require(ref);
    const { link } = stored;
    if (link === undefined) return stored;
    const target = this.peek({ ...ref, ...link.target });
    const isOther = link.isFixed === true && target?.head.etag !== link.etag;
    if (target === undefined || isOther) throw new BackendError('BrokenLink', nameOf(ref));
    const { etag, lastModified } = stored.head;
    const { systemMetadata = {} } = link;
    const followed = { target: link.target, etag, lastModified, systemMetadata };
    return { ...target, head: { ...target.head, link: followed } };
  }

  /** In any order. */
  *all(beginning: string): Generator<[string, Stored], void, undefined> {
    for (const [name, stored] of this.#objects) {
      if (name.startsWith(beginning) && isObject(stored)) yield [name, stored];
    }
  }

  put(ref: B.ObjectRef, stored: Stored | Gone): void {
    this.#objects.set(nameOf(ref), stored);
  }

  holds(ref: B.ObjectRef, precondition: B.WritePrecondition | undefined): boolean {
    if (precondition === undefined) return true;
    const stored = this.peek(ref);
    if ('absent' in precondition) return stored === undefined;
    const { etag, lastModified } = precondition;
    if (stored?.head.etag !== etag) return false;
    return lastModified === undefined || stored.head.lastModified === lastModified;
  }

  /** @throws BackendError GuardMissing */
  requireGuard(guard: B.Guard | undefined): void {
    if (guard === undefined) return;
    const stored = this.peek(guard.ref);
    const isAsAsked = guard.etag === undefined || stored?.head.etag === guard.etag;
    if (stored !== undefined && isAsAsked) return;
    throw new BackendError('GuardMissing', nameOf(guard.ref));
  }

  /** Whether nothing is there that began later. */
  isNewest(ref: B.ObjectRef, startedAt: number): boolean {
    return (this.#objects.get(nameOf(ref))?.startedAt ?? 0) < startedAt;
  }
}

export function nameOf({ container, object }: B.ObjectRef): string {
  return `${container}/${object}`;
}

function isObject(stored: Stored | Gone): stored is Stored {
  return 'head' in stored;
}

export const NO_HEAD = { size: 0, contentType: '', headers: {}, metadata: {}, systemMetadata: {} };

export function describe({
  contentType,
  headers = {},
  metadata = {},
  systemMetadata = {},
}: Pick<B.PutObjectInput, 'contentType' | 'headers' | 'metadata' | 'systemMetadata'>) {
  return { contentType, headers, metadata, systemMetadata };
}
