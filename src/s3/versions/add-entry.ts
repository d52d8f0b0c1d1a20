import type { CallContext, DeletePrecondition, WriteClass } from '../../backend/backend.js';
import { BackendError, isCode } from '../../backend/errors.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../errors.js';
import { requireHolds } from './conditions.js';
import { findEntry } from './index-changes.js';
import type { StoredIndex } from './index-store.js';
import { currentRef, versionRef, type VersionedKey } from './names.js';
import { commitWritten, discard, type RemovedVersion } from './commit-written.js';
import type { VersionDeps } from './deps.js';
import { archiver, syncCurrent, type SyncedIndex, type SyncOptions } from './sync-current.js';
import {
  expectedCurrentState,
  readCurrentState,
  wasLocked,
  type CurrentState,
} from './current-state.js';
import type { VersionChange, VersionEntry, VersionIndex } from './version-entry.js';

/** The facts that decide whether a key is looked at before a commit. */
interface Look {
  readonly condition: DeletePrecondition | undefined;
  /** To be committed. */
  readonly entries: readonly VersionEntry[];
  /** Whether a plain object at the key may also become a version after that commit. */
  readonly isLaterAdoptionFine: boolean;
}

/** The state that a plan has found, and its outcome. */
interface Decision {
  readonly state: CurrentState;
  /** The version `null` that the new entry takes the place of: in the archive, or the plain object. */
  readonly replaced: VersionEntry | 'plain' | undefined;
  readonly change: VersionChange;
}

export interface AddEntryOptions {
  /**
   * The condition on the current version, checked in the instant in which the new one replaces it.
   */
  readonly condition?: DeletePrecondition | undefined;
  /** The class of the writes; `deletion` is possible also in a full store. Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/**
 * Makes an entry the current one, in the index and at the key. An entry `null` takes the place of
 * the version `null`; for any other, a plain object that stands at the key becomes a version.
 *
 * Ordinary versions that wait for the same key are committed together: one fence, one index and one
 * link for all of them, the last to come being the newest.
 *
 * @returns what has gone for good
 * @throws S3Error `PreconditionFailed`, and as IndexCommits.commit and settle; BackendError
 *   GuardMissing for an entry of an upload that another one is of, or that was given up
 */
export function addEntry(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entry: VersionEntry,
  options: AddEntryOptions,
): Promise<readonly RemovedVersion[]> {
  if (isOrdinary(entry, options)) {
    return deps.queues.runTogether(key, entry, (entries) =>
      commitTogether(deps, call, key, entries, options),
    );
  }
  return deps.queues.run(key, () => commitEntries(deps, call, key, [entry], options));
}

/** Whether it has no condition, replaces no version, and ends no upload. */
function isOrdinary(
  { id, kind, uploadId }: VersionEntry,
  { condition, writeClass = 'ordinary' }: AddEntryOptions,
): boolean {
  const isNew = kind === 'version' && id !== NULL_VERSION_ID && uploadId === undefined;
  return isNew && condition === undefined && writeClass === 'ordinary';
}

/**
 * Commits ordinary versions of one key at once; one by one where the index has no room for all.
 * Where the store fails, all fail: its calls have been repeated already (CallContext.finishing), and to
 * try one by one would ask a store that is unwell up to a hundred times while the next group waits.
 *
 * @param entries - in the order in which they came
 * @returns the outcome for each
 */
async function commitTogether(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entries: readonly VersionEntry[],
  options: AddEntryOptions,
): Promise<PromiseSettledResult<readonly RemovedVersion[]>[]> {
  const commit = async (some: readonly VersionEntry[]) => {
    const [outcome] = await Promise.allSettled([commitEntries(deps, call, key, some, options)]);
    return outcome;
  };
  const outcome = await commit([...entries].reverse());
  if (entries.length === 1 || !isWithoutRoom(outcome)) return entries.map(() => outcome);
  const outcomes: (typeof outcome)[] = [];
  for (const entry of entries) outcomes.push(await commit([entry]));
  return outcomes;
}

function isWithoutRoom(outcome: PromiseSettledResult<unknown>): boolean {
  return outcome.status === 'rejected' && outcome.reason instanceof NoRoomTogether;
}

/** The index has no room for all of several entries, and perhaps for some. */
class NoRoomTogether extends Error {
  override readonly name = 'NoRoomTogether';
}

/** @param entries - at least one, the newest first; several only if all are ordinary */
async function commitEntries(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entries: readonly VersionEntry[],
  { condition, writeClass = 'ordinary' }: AddEntryOptions,
): Promise<readonly RemovedVersion[]> {
  // The parts of an upload may have been used up by writing its version: then the version stays
  // until it is in the index or given up, whatever happens here.
  const names = entries.map(({ name }) => name);
  const discardable = entries.filter((entry) => entry.kind === 'version' && !entry.uploadId);
  const objects = new Set(discardable.map(({ name }) => name));
  const archive = archiver(deps, call, key, objects, writeClass);
  const areOrdinary = entries.every((entry) => isOrdinary(entry, { condition, writeClass }));
  const look = { condition, entries, isLaterAdoptionFine: areOrdinary };
  let decision: Decision | undefined;
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    decision = undefined;
    for (const entry of entries) requireNotTaken(index, entry);
    // Others have carried an earlier attempt out, of all entries; and perhaps removed some since.
    if (index.entries.some(({ name }) => names.includes(name))) {
      decision = { state: expectedCurrentState(index), replaced: undefined, change: {} };
      return undefined;
    }
    if (index.removed.some((name) => names.includes(name))) return undefined;
    deps.link.follow(key, index);
    const standing = await standingAt(deps, call, key, index, look);
    if (condition !== undefined) requireHolds(condition, index, standing);
    decision = await decide(index, entries, standing, archive);
    if (entries.length > 1 && !deps.commits.hasRoom(index, decision.change)) {
      for (const name of names) objects.delete(name);
      throw new NoRoomTogether('the index has no room for all new versions of the key');
    }
    return decision.change;
  };
  // Otherwise the link needs the stored index, or a slow writer's does: see PostponedIndexes.
  const isPostponable = ({ generation }: VersionIndex): boolean =>
    areOrdinary && decision?.state.kind === 'link' && deps.link.mayFollow(key, generation);
  // A key that is deleted is there, as a rule.
  const mayBeNew = entries.every(({ kind }) => kind === 'version');
  const how = { isPostponable, mayBeNew };
  const { stored } = await commitWritten(deps, call, key, objects, plan, writeClass, how);
  if (decision === undefined) return [];
  const options = { expected: decision.state, writeClass };
  const settled = await settleNew(deps, call, key, stored, names, options);
  return removeReplaced(deps, call, key, decision, settled);
}

/**
 * An upload becomes one version: another completion may have been faster, or has given up the
 * object of this entry.
 *
 * @throws BackendError GuardMissing
 */
function requireNotTaken(
  { entries, removed }: VersionIndex,
  { name, uploadId }: VersionEntry,
): void {
  if (uploadId === undefined) return;
  const isTaken = entries.some((other) => other.uploadId === uploadId && other.name !== name);
  if (!isTaken && !removed.includes(name)) return;
  throw new BackendError('GuardMissing', `another request has ended the upload ${uploadId}`);
}

/**
 * Looks at the key where a plain object may be that the index does not know: as a rule it goes into
 * the index together with the entry written over it. A link that was overwritten past us is found
 * out when it is replaced.
 *
 * Where the store orders writes and plain objects are unlikely, an ordinary version is committed
 * without a look. Its link is created only if nothing is at the key; otherwise syncCurrent adopts
 * the object. Until then the index has a current version and does not know the plain object, so the
 * first version `null` of an index, which replaces that object, is not committed without a look.
 *
 * There a link that this process does not know is looked at as well, so that the index of an ordinary
 * version may be postponed; or by the store itself, when the next one is put behind it.
 */
async function standingAt(
  { backend, link, plainSightings }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  index: VersionIndex,
  { condition, entries, isLaterAdoptionFine }: Look,
): Promise<CurrentState> {
  const expected = expectedCurrentState(index);
  const { orderedWrites } = backend.capabilities;
  if (condition === undefined) {
    const isWithoutLook = orderedWrites && isLaterAdoptionFine && plainSightings.areUnlikely(key);
    const isFirstNull = entries.some(isNull) && findEntry(index, NULL_VERSION_ID) === undefined;
    const isUnknown = isLaterAdoptionFine && !link.mayFollow(key, index.generation);
    const mustLook = expected.kind === 'nothing' || (orderedWrites && (isFirstNull || isUnknown));
    const isSpared = expected.kind === 'nothing' && isWithoutLook;
    if (!mustLook || isSpared) return expected;
  }
  const found = await readCurrentState(backend, call, key);
  if (expected.kind === 'nothing') plainSightings.note(key, found);
  else link.saw(key, index, found);
  return found;
}

function isNull({ id }: VersionEntry): boolean {
  return id === NULL_VERSION_ID;
}

/** @param entries - as of {@link commitEntries} */
async function decide(
  index: VersionIndex,
  entries: readonly VersionEntry[],
  state: CurrentState,
  archive: ReturnType<typeof archiver>,
): Promise<Decision> {
  const hasNull = entries.some(isNull);
  const former = hasNull ? findEntry(index, NULL_VERSION_ID) : undefined;
  requireReplaceable(former);
  const remove = former && [{ name: former.name, touched: former.touched }];
  // The object that the former version adopted may still be at the key, until a link replaces it.
  const adopted = former?.adopted;
  const added = adopted === undefined ? entries : entries.map((entry) => ({ ...entry, adopted }));
  if (state.kind !== 'plain') {
    return { state: state, replaced: former, change: { add: added, remove } };
  }
  if (hasNull && former === undefined) {
    const { etag, lastModified } = state;
    const add = entries.map((entry) => ({ ...entry, adopted: { etag, lastModified } }));
    return { state: state, replaced: 'plain', change: { add } };
  }
  const plain = await archive(state, index);
  const add = plain === undefined ? added : [...added, plain];
  return { state: state, replaced: former, change: { add, remove } };
}

/**
 * Refuses to replace a version that was ever locked. Its bucket has locks, and is never suspended:
 * a writer of version `null` decided before that, and was delayed.
 *
 * @throws S3Error `OperationAborted`
 */
function requireReplaceable(former: VersionEntry | undefined): void {
  if (wasLocked(former)) throw new S3Error('OperationAborted');
}

/** A bucket that is deleted while versions are written takes the versions with it. */
export async function settleNew(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  stored: StoredIndex,
  names: readonly string[],
  options: SyncOptions,
): Promise<SyncedIndex> {
  try {
    return await syncCurrent(deps, call, key, stored, options);
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer')) throw error;
    deps.archives.forget(key);
    const { writeClass } = options;
    const remove = names.map((name) => ({ name }));
    await deps.commits.commit(call, key, () => ({ remove }), { writeClass }).catch(() => undefined);
    for (const name of names) await discard(deps, call, versionRef(key, name));
    throw error;
  }
}

async function removeReplaced(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { replaced }: Decision,
  settled: SyncedIndex,
): Promise<RemovedVersion[]> {
  if (replaced === undefined) return [];
  if (replaced === 'plain') return [{ ref: currentRef(key), manifest: settled.replaced }];
  if (replaced.kind === 'delete-marker') return [];
  return [await discard(deps, call, versionRef(key, replaced.name))];
}
