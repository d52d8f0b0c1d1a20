import type { CallContext, DeletePrecondition, WriteClass } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../s3-error.js';
import { isCode } from './backend-codes.js';
import { requireHolds } from './current-condition.js';
import { findEntry } from './index-changes.js';
import type { StoredIndex } from './index-store.js';
import { currentRef, versionRef, type VersionedKey } from './names.js';
import { commitWritten, discard, type RemovedVersion, type VersionParts } from './parts.js';
import { archiver, settle, type Settled, type SettleOptions } from './settle.js';
import { expectedStanding, look, type Standing } from './standing.js';
import type { VersionChange, VersionEntry, VersionIndex } from './version-entry.js';

/** What a plan has found, and comes to. */
interface Decision {
  readonly standing: Standing;
  /** The version `null` that the new entry takes the place of: in the archive, or the plain object. */
  readonly replaced: VersionEntry | 'plain' | undefined;
  readonly change: VersionChange;
}

export interface AddEntryOptions {
  /** Of the current version, in the instant in which the new one takes its place. */
  readonly condition?: DeletePrecondition | undefined;
  /** Of what is written; `deletion` also in a full store. Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/**
 * Makes an entry the current one, in the index and at the key. An entry `null` takes the place of
 * the version `null`; for any other, a plain object that stands at the key becomes a version.
 *
 * @returns what has gone for good
 * @throws S3Error `PreconditionFailed`, and as IndexCommits.commit and settle; BackendError
 *   GuardMissing for an entry of an upload that another one is of, or that was given up
 */
export function addEntry(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  entry: VersionEntry,
  options: AddEntryOptions,
): Promise<readonly RemovedVersion[]> {
  return parts.queues.run(of, () => commitEntry(parts, call, of, entry, options));
}

async function commitEntry(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  entry: VersionEntry,
  { condition, writeClass = 'ordinary' }: AddEntryOptions,
): Promise<readonly RemovedVersion[]> {
  // What a version is made of may have been used up by writing it: then it stays until it is in the
  // index or given up, whatever happens here.
  const isDiscardable = entry.kind === 'version' && entry.uploadId === undefined;
  const objects = new Set(isDiscardable ? [entry.name] : []);
  const archive = archiver(parts, call, of, objects, writeClass);
  let decision: Decision | undefined;
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    decision = undefined;
    requireNotTaken(index, entry);
    // Others have carried an earlier attempt out; and perhaps removed it since.
    if (index.removed.includes(entry.name)) return undefined;
    if (index.entries.some(({ name }) => name === entry.name)) {
      decision = { standing: expectedStanding(index), replaced: undefined, change: {} };
      return undefined;
    }
    const standing = await standingAt(parts, call, of, index, condition);
    if (condition !== undefined) requireHolds(condition, index, standing);
    decision = await decide(index, entry, standing, archive);
    return decision.change;
  };
  const { stored } = await commitWritten(parts, call, of, objects, plan, writeClass);
  if (decision === undefined) return [];
  const settled = await settleNew(parts, call, of, stored, entry, {
    expected: decision.standing,
    writeClass,
  });
  return removeReplaced(parts, call, of, decision, settled);
}

/**
 * An upload becomes one version: whoever completes it beside us may have been faster, or has given up
 * the object that this entry is of.
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
  throw new BackendError('GuardMissing', `somebody else has ended the upload ${uploadId}`);
}

/**
 * Looks only where a plain object would be found too late: one that the index does not know has to
 * be in it together with what is written over it. A link that was overwritten past us is found out
 * when it is replaced.
 */
async function standingAt(
  { backend }: VersionParts,
  call: CallContext,
  of: VersionedKey,
  index: VersionIndex,
  condition: DeletePrecondition | undefined,
): Promise<Standing> {
  const expected = expectedStanding(index);
  const mustLook = condition !== undefined || expected.kind === 'nothing';
  return mustLook ? look(backend, call, of) : expected;
}

async function decide(
  index: VersionIndex,
  entry: VersionEntry,
  standing: Standing,
  archive: ReturnType<typeof archiver>,
): Promise<Decision> {
  const isNull = entry.id === NULL_VERSION_ID;
  const former = isNull ? findEntry(index, NULL_VERSION_ID) : undefined;
  requireReplaceable(former);
  const remove = former && [{ name: former.name, touched: former.touched }];
  if (standing.kind !== 'plain') {
    return { standing, replaced: former, change: { add: [entry], remove } };
  }
  if (isNull && former === undefined) {
    const { etag, lastModified } = standing;
    const add = [{ ...entry, adopted: { etag, lastModified } }];
    return { standing, replaced: 'plain', change: { add } };
  }
  const plain = await archive(standing, index);
  const add = plain === undefined ? [entry] : [entry, plain];
  return { standing, replaced: former, change: { add, remove } };
}

/**
 * What was ever locked is in a bucket with locks, and that is never suspended: whoever comes to write
 * over its version `null` was told so before, and has slept since.
 *
 * @throws S3Error `OperationAborted`
 */
function requireReplaceable(former: VersionEntry | undefined): void {
  if (former?.touched !== undefined) throw new S3Error('OperationAborted');
}

/** A bucket that is deleted while a version is written takes the version with it. */
async function settleNew(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  stored: StoredIndex,
  { name }: VersionEntry,
  options: SettleOptions,
): Promise<Settled> {
  try {
    return await settle(parts, call, of, stored, options);
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer')) throw error;
    parts.archives.forget(of);
    const { writeClass } = options;
    const withdraw = parts.commits.commit(call, of, () => ({ remove: [{ name }] }), { writeClass });
    await withdraw.catch(() => undefined);
    await discard(parts, call, versionRef(of, name));
    throw error;
  }
}

async function removeReplaced(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  { replaced }: Decision,
  settled: Settled,
): Promise<RemovedVersion[]> {
  if (replaced === undefined) return [];
  if (replaced === 'plain') return [{ ref: currentRef(of), manifest: settled.replaced }];
  if (replaced.kind === 'delete-marker') return [];
  return [await discard(parts, call, versionRef(of, replaced.name))];
}
