import type {
  Backend,
  CallContext,
  Guard,
  LinkInput,
  Metadata,
  RemovedManifest,
} from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { S3Error } from '../errors.js';
import { isCode } from '../../backend/errors.js';
import { BoundedCache } from '../../lib/bounded-cache.js';
import type { IndexCommits } from './index-commits.js';
import type { StoredIndex } from './index-store.js';
import { LISTING_ATTRIBUTES } from './listing/index-summary.js';
import {
  currentRef,
  indexRef,
  versionRef,
  type VersionedKey,
  requireVersionSupport,
} from './names.js';
import {
  entryFor,
  preconditionOn,
  readCurrentState,
  type PlainObject,
  type CurrentState,
} from './current-state.js';
import type { VersionEntry } from './version-entry.js';

export type SyncResult =
  | {
      readonly outcome: 'in-step';
      /** What the key is in step with. */
      readonly stored: StoredIndex;
      /** The segments of a plain object that the link replaced. */
      readonly replaced: RemovedManifest | undefined;
    }
  /** An object that no index knows stands at the key: it has to be adopted first. */
  | { readonly outcome: 'unknown-plain'; readonly plain: PlainObject };

type WriteResult =
  | { readonly outcome: 'written'; readonly replaced: RemovedManifest | undefined }
  /** Something else stood there. */
  | { readonly outcome: 'different' }
  /** The index is not what it was. */
  | { readonly outcome: 'overtaken' };

/** The content type with which Swift's own links are listed. */
const CONTENT_TYPE = 'application/symlink';
/** The limit of attempts: each lost race is another writer's commit. */
const ATTEMPTS_MAX = 100;
/**
 * How long it is tried while the index stays as it is: then what stands there is not what the store
 * was told to put there, such as with Swift's own versioning beside ours.
 */
const STANDSTILL_MS_MAX = 5000;
/** So long a key is remembered to stand still, and gets one attempt with each call. */
const STUCK_MS = 10_000;
/** Keys that are remembered. */
const STUCK_MAX = 1000;

/**
 * Keeps the current object of a key in step with its index: a link to the current version, or
 * nothing.
 *
 * A link is written only while the index is still the one that it is for (the guard), and only if
 * the current object is the one that was read (the precondition). So a slow writer cannot put an
 * old link over a newer one, and an object that another client of the store has written is not
 * lost. If the store cannot check the guard atomically, the index is read again afterwards.
 */
export class CurrentLink {
  /** Keys that were found to stand still. */
  readonly #stuck: BoundedCache<true>;

  /** @param now - milliseconds that never jump */
  constructor(
    private readonly backend: Backend,
    private readonly commits: Pick<IndexCommits, 'read'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#stuck = new BoundedCache({ weightMax: STUCK_MAX, lifeMs: STUCK_MS, now });
  }

  /**
   * Brings the key in step with this index, or with a newer one that is found on the way.
   *
   * @param expected - what probably stands there, to spare looking
   * @throws S3Error `ServiceUnavailable` when it does not hold still, or cannot be brought in step
   *   within seconds; BackendError NoSuchContainer without the bucket
   */
  async sync(
    call: CallContext,
    key: VersionedKey,
    stored: StoredIndex,
    expected?: CurrentState,
  ): Promise<SyncResult> {
    const { conditionalReplace, atomicGuard } = this.backend.capabilities;
    let target = stored;
    let standing = conditionalReplace ? expected : undefined;
    const isStuck = this.#stuck.get(nameOf(key)) !== undefined;
    const patience = new Patience(this.now, isStuck ? 0 : STANDSTILL_MS_MAX, stored.etag);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      if (attempt > 1 && patience.endsAt(target.etag)) throw this.#standstill(key);
      if (standing === undefined) {
        standing = await readCurrentState(this.backend, call, key);
        if (standing.kind === 'plain' && entryFor(standing, target.index) === undefined) {
          // Another request may have adopted it since the index was read.
          const now = await this.commits.read(call, key);
          if (now.etag === target.etag) return { outcome: 'unknown-plain', plain: standing };
          target = now;
          standing = undefined;
          continue;
        }
      }
      const written = await this.write(call, key, target, standing);
      standing = undefined;
      if (written.outcome === 'different') continue;
      if (written.outcome === 'written') {
        const { replaced } = written;
        if (atomicGuard) return { outcome: 'in-step', stored: target, replaced };
        const now = await this.commits.read(call, key);
        if (now.etag === target.etag) return { outcome: 'in-step', stored: target, replaced };
        target = now;
      } else target = await this.commits.read(call, key);
    }
    throw new S3Error('ServiceUnavailable');
  }

  #standstill(key: VersionedKey): S3Error {
    this.#stuck.set(nameOf(key), true, 1);
    const cause = new Error(
      `${key.bucket}/${key.key} cannot be brought in step with its versions: ` +
        'see "ringway repair"',
    );
    return new S3Error('ServiceUnavailable', undefined, {}, { cause });
  }

  /** Replaces exactly what stands at a key by what the index says, while it does. */
  async write(
    call: CallContext,
    key: VersionedKey,
    { index, etag }: StoredIndex,
    state: CurrentState,
  ): Promise<WriteResult> {
    const [current] = index.entries;
    const isVersion = current?.kind === 'version';
    if (isInStep(state, index.generation, isVersion)) return UNCHANGED;
    requireVersionSupport(this.backend.capabilities);
    const guard: Guard = { ref: indexRef(key), etag, consumed: false };
    const { conditionalReplace, conditionalDelete } = this.backend.capabilities;
    const exact = preconditionOn(state);
    const precondition = conditionalReplace || state.kind === 'nothing' ? exact : undefined;
    try {
      if (isVersion) {
        // It ends what the commit has begun.
        const writeClass = 'deletion' as const;
        const input = { ...linkTo(key, current, index.generation), guard, writeClass };
        const put = await this.backend.putLink(call, currentRef(key), input, precondition);
        if (put.outcome !== 'created') return { outcome: 'different' };
        return { outcome: 'written', replaced: put.replacedManifest };
      }
      const deleted = await this.backend.deleteObject(
        call,
        currentRef(key),
        conditionalDelete ? exact : precondition,
        { guard },
      );
      if (deleted.outcome !== 'deleted') return { outcome: 'different' };
      return { outcome: 'written', replaced: deleted.removedManifest };
    } catch (error) {
      if (isCode(error, 'GuardMissing')) return { outcome: 'overtaken' };
      if (isCode(error, 'NoSuchObject')) return { outcome: 'different' };
      throw error;
    }
  }
}

/** Ends when an index has not changed for so long. */
class Patience {
  #since: number;

  constructor(
    private readonly now: () => number,
    private readonly ms: number,
    private etag: string | undefined,
  ) {
    this.#since = now();
  }

  /** @param etag - of the index now; another one than before is worth another attempt */
  endsAt(etag: string | undefined): boolean {
    if (etag === this.etag) return this.now() - this.#since >= this.ms;
    this.etag = etag;
    this.#since = this.now();
    return false;
  }
}

const UNCHANGED: WriteResult = { outcome: 'written', replaced: undefined };

/** Whether what stands at a key is what an index of this generation says. */
export function isInStep(state: CurrentState, generation: number, isVersion: boolean): boolean {
  if (!isVersion) return state.kind === 'nothing';
  if (state.kind !== 'link' || state.lastModified === undefined) return false;
  return state.generation === generation;
}

function linkTo(key: VersionedKey, entry: VersionEntry, generation: number): LinkInput {
  const { container, object } = versionRef(key, entry.name);
  const { size, etag } = entry;
  const systemMetadata = { [LISTING_ATTRIBUTES.generation]: String(generation) };
  const listingAttributes = { ...systemMetadata, ...attributesOf(entry) };
  const target = { container, object };
  return { target, size, etag, contentType: CONTENT_TYPE, systemMetadata, listingAttributes };
}

/** None of the names has a line break in front of the key. */
function nameOf({ account, bucket, key }: VersionedKey): string {
  return `${account}\n${bucket}\n${key}`;
}

/** What listings of the bucket tell of the version. */
function attributesOf({
  id,
  lastModified,
  storageClass,
  checksumAlgorithm,
  owner,
}: VersionEntry): Metadata {
  return {
    [SYSTEM_METADATA.versionId]: id,
    [SYSTEM_METADATA.lastModified]: String(lastModified),
    ...(storageClass === undefined ? {} : { [SYSTEM_METADATA.storageClass]: storageClass }),
    ...(checksumAlgorithm === undefined
      ? {}
      : { [SYSTEM_METADATA.checksumAlgorithm]: checksumAlgorithm }),
    ...(owner === undefined ? {} : { [SYSTEM_METADATA.owner]: owner }),
  };
}
