import type { Backend, CallContext, ContainerRef, ListedObject } from '../backend/backend.js';
import { bucketOfArchive, parseArchiveName } from '../s3/versions/names.js';
import type { VersionedKeys } from '../s3/versions/versioned-keys.js';
import type { ActionOutcome, JanitorAction, ExpireVersionAction, VersionBatch } from './actions.js';
import type { ColdSettings } from './cold-walk.js';

/** Does what a pass finds to be done, or only tells. */
export interface Executor {
  /** Resolves when the pass may go on; the outcome may be reported later. */
  carryOut(action: Exclude<JanitorAction, ExpireVersionAction>): Promise<void>;
  /** The same of versions of one key, which go together. */
  expireVersions(batch: VersionBatch): Promise<void>;
  /** Resolves when all outcomes are reported. */
  settle(): Promise<void>;
}

/** The receiver of outcomes: metrics, the log, a terminal. */
export type Report = (action: JanitorAction, outcome: ActionOutcome, error?: unknown) => void;

/** The common context of all parts of one pass over one account. */
export interface PassContext {
  readonly backend: Backend;
  readonly call: CallContext;
  readonly account: string;
  readonly executor: Executor;
  readonly settings: PassSettings;
  readonly versions: VersionedKeys;
  /** Undefined without a cold backend. */
  readonly cold?: ColdSettings | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the number of objects or parts that were read. */
  readonly looked: (count: number) => void;
  /** A container that cannot be read, or a bucket's rules, were left out. */
  readonly unreadable: (container: string, error: unknown) => void;
}

export interface PassSettings {
  /** The configured ones, warmer ones first. */
  readonly storageClasses: readonly string[];
  /** The age below which unreferenced parts are kept. */
  readonly segmentSweepAgeMs: number;
  /** Remains of commits of versions are left alone while they are younger. */
  readonly versionSweepAgeMs: number;
  /** The same for what may be a version of a key whose index is lost. */
  readonly versionLostIndexAgeMs: number;
}

/** Entries asked for at once; what a pass holds in memory is a page or two. */
export const PAGE = 1000;

/** Calls under way at once: enough to share the store's commits, not enough to crowd it. */
export const CONCURRENCY = 16;

/** The bucket, key and version that a stored object is to S3. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
  /** The part of the archive's name that tells versions apart; undefined of what is no version. */
  readonly version: string | undefined;
}

export function placeOf(container: string, object: string): Place {
  const bucket = bucketOfArchive(container);
  const archived = bucket === undefined ? undefined : parseArchiveName(object);
  if (bucket === undefined || archived?.kind !== 'version') {
    return { bucket: container, key: object, version: undefined };
  }
  return { bucket, key: archived.key, version: archived.name };
}

/**
 * Goes through the objects of a container in the order of their names, page by page, one at a time.
 *
 * @param marker - begins behind this name
 * @param reached - told the last name of each page once all of it has been looked at
 */
export async function walkListing(
  { backend, call, looked }: PassContext,
  container: ContainerRef,
  marker: string,
  look: (object: ListedObject) => Promise<void>,
  reached: (name: string) => void,
): Promise<void> {
  let last = marker;
  for (let more = true; more;) {
    const page = await backend.listObjects(call, container, { marker: last, limit: PAGE });
    for (const entry of page.entries) {
      if (entry.kind !== 'object') continue;
      await look(entry.object);
      last = entry.object.name;
    }
    looked(page.entries.length);
    reached(last);
    more = page.truncated;
  }
}
