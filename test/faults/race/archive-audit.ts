import type { Backend, CallContext, ObjectHead, ObjectRef } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { renderIndex } from '../../../src/s3/versions/documents.js';
import { applyCommit } from '../../../src/s3/versions/index-changes.js';
import { IndexStore } from '../../../src/s3/versions/index-store.js';
import { currentRef, versionRef, type VersionedKey } from '../../../src/s3/versions/names.js';
import { NO_INDEX, type VersionIndex } from '../../../src/s3/versions/version-entry.js';

const CALL: CallContext = { requestId: 'audit' };
const INDEX_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Checks what clients cannot see: whether all that is stored of the versions of keys fits together,
 * once nobody changes them any more.
 *
 * @param fencesDecide - every generation has one fence, and all of them lead to the index
 * @returns what does not
 */
export async function auditArchive(
  store: Backend,
  bucket: Omit<VersionedKey, 'key'>,
  keys: readonly string[],
  fencesDecide: boolean,
): Promise<string[]> {
  const records = new IndexStore({ backend: store, indexBytesMax: INDEX_BYTES_MAX });
  const problems: string[] = [];
  for (const key of keys) {
    const of = { ...bucket, key };
    const { index } = await records.readIndex(CALL, of);
    const found = [
      ...(fencesDecide ? await auditFences(records, of, index) : []),
      ...(await auditEntries(store, of, index)),
      ...(await auditLink(store, of, index)),
    ];
    problems.push(...found.map((problem) => `${key}: ${problem}`));
  }
  return problems;
}

/** No two versions of one generation: a generation is what its one fence makes of the one before. */
async function auditFences(
  records: IndexStore,
  key: VersionedKey,
  index: VersionIndex,
): Promise<string[]> {
  const problems: string[] = [];
  let replayed = NO_INDEX;
  for (let generation = 1; generation <= index.generation; generation++) {
    const fence = await records.readFence(CALL, key, generation);
    if (fence === undefined) problems.push(`generation ${generation} has no fence`);
    // One that follows another commit is void: its maker slept.
    if (fence?.parent === replayed.commit) replayed = applyCommit(replayed, fence);
  }
  if (index.generation > 0 && !renderIndex(replayed).equals(renderIndex(index))) {
    problems.push('the fences lead to another index');
  }
  return problems;
}

async function auditEntries(
  store: Backend,
  key: VersionedKey,
  { entries }: VersionIndex,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { kind, id, name, size, etag } of entries) {
    if (kind === 'delete-marker') continue;
    const head = await headIfThere(store, versionRef(key, name));
    if (head === undefined || head === 'broken link') {
      problems.push(`version ${id} is not in the archive`);
    } else if (head.size !== size || head.etag !== etag) problems.push(`version ${id} is another`);
  }
  return problems;
}

async function auditLink(
  store: Backend,
  key: VersionedKey,
  { entries }: VersionIndex,
): Promise<string[]> {
  const head = await headIfThere(store, currentRef(key));
  if (head === 'broken link') return ['the link leads to what is not there'];
  const target = head?.link?.target.object;
  const [current] = entries;
  if (current === undefined || current.kind === 'delete-marker') {
    return target === undefined ? [] : [`a link leads to ${target}, and nothing is current`];
  }
  const wanted = versionRef(key, current.name).object;
  return target === wanted ? [] : [`the link leads to ${target ?? 'nothing'}, not to ${wanted}`];
}

async function headIfThere(
  store: Backend,
  ref: ObjectRef,
): Promise<ObjectHead | 'broken link' | undefined> {
  try {
    return await store.headObject(CALL, ref);
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    if (error.code === 'BrokenLink') return 'broken link';
    if (error.code.startsWith('NoSuch')) return undefined;
    throw error;
  }
}
