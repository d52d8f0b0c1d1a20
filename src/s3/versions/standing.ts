import type { Backend, CallContext, ObjectHead, WritePrecondition } from '../../backend/backend.js';
import { isCode } from './backend-codes.js';
import { LISTING_ATTRIBUTES } from './listing/index-summary.js';
import { archiveContainer, currentRef, type VersionedKey } from './names.js';
import type { VersionEntry, VersionIndex } from './version-entry.js';

/** An object at a key that is no link of ours, and so the version `null` unless an index knows it. */
export interface PlainObject {
  readonly kind: 'plain';
  /** Of the object itself, also where that is a link which a client of the store has written. */
  readonly etag: string;
  readonly lastModified: number;
  readonly head: ObjectHead;
}

/** What stands at a key, in the bucket itself. */
export type Standing =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'link';
      /** Of the index that it was in step with. */
      readonly generation: number;
      readonly etag: string;
      /** Undefined where it is only known what the link should be. */
      readonly lastModified: number | undefined;
    }
  /** A link whose version is gone: what it is cannot be read through it. */
  | { readonly kind: 'broken-link' }
  | PlainObject;

export const NOTHING_STANDING: Standing = { kind: 'nothing' };

/** @throws BackendError NoSuchContainer without the bucket */
export async function look(
  backend: Backend,
  call: CallContext,
  of: VersionedKey,
): Promise<Standing> {
  try {
    return standingOf(of, await backend.headObject(call, currentRef(of), { newest: true }));
  } catch (error) {
    if (isCode(error, 'NoSuchObject')) return NOTHING_STANDING;
    if (isCode(error, 'BrokenLink')) return { kind: 'broken-link' };
    throw error;
  }
}

function standingOf({ account, bucket }: VersionedKey, head: ObjectHead): Standing {
  const { link } = head;
  const { etag, lastModified } = link ?? head;
  const isOurs = link?.target.container === archiveContainer(account, bucket).container;
  if (link === undefined || !isOurs) return { kind: 'plain', etag, lastModified, head };
  const generation = Number(link.systemMetadata[LISTING_ATTRIBUTES.generation] ?? 0);
  return { kind: 'link', generation, etag, lastModified };
}

/** What stands at a key that is in step with its index: to be tried before looking. */
export function expectedStanding({ generation, entries }: VersionIndex): Standing {
  const [current] = entries;
  if (current?.kind !== 'version') return NOTHING_STANDING;
  return { kind: 'link', generation, etag: current.etag, lastModified: undefined };
}

/**
 * The precondition of a write that replaces exactly this.
 * @returns undefined where it cannot be said
 */
export function inPlaceOf(standing: Standing): WritePrecondition | undefined {
  if (standing.kind === 'nothing') return { absent: true };
  if (standing.kind === 'broken-link') return undefined;
  const { etag, lastModified } = standing;
  return { etag, lastModified };
}

/** The entry that a plain object has become, or made way for. */
export function entryFor(
  { etag, lastModified }: PlainObject,
  { entries }: VersionIndex,
): VersionEntry | undefined {
  return entries.find(
    ({ adopted }) => adopted?.etag === etag && adopted.lastModified === lastModified,
  );
}
