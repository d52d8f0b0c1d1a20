import type { ContainerHead } from '../backend/backend.js';
import { BackendError, type BackendErrorCode } from '../backend/errors.js';
import { isValidBucketName } from '../s3/rules/bucket-name.js';
import { bucketOfSegments } from '../s3/segments/names.js';
import { archiveContainer, bucketOfArchive } from '../s3/versions/names.js';
import { S3Error } from '../s3/errors.js';
import { ArchiveWalk } from './archive-walk.js';
import { containerHead, NO_RULES, rulesOf } from './bucket-rules.js';
import { sweepCold, walkCold } from './cold-walk.js';
import { walkExpired } from './expired-walk.js';
import { walkObjects } from './object-walk.js';
import { PAGE, type PassContext } from './pass-context.js';
import { isMissing } from './gone.js';
import type { Cursor } from './record-store.js';
import { SegmentWalk } from './segment-walk.js';
import { keptVersions, walkVersions } from './version-walk.js';

/**
 * One pass over all that an account has: in every bucket with rules the objects that are due, and in
 * every companion container the uploads and parts; with a cold tier, whatever is to go into it or has
 * no owner in it.
 *
 * @param from - where an interrupted pass was
 * @param reached - told how far everything is looked at
 * @throws BackendError when the store cannot be read; what the context's signal was aborted with
 */
export async function runPass(
  pass: PassContext,
  from: Cursor | null,
  reached: (cursor: Cursor) => void,
): Promise<void> {
  if (from !== null) await walkContainer(pass, from.container, from.marker, reached);
  let last = from?.container ?? '';
  for (let more = true; more;) {
    const query = { marker: last, limit: PAGE };
    const page = await pass.backend.listContainers(pass.call, pass.account, query);
    for (const { name } of page.containers) {
      reached({ container: name, marker: '' });
      await walkContainer(pass, name, '', reached);
      last = name;
    }
    more = page.truncated;
  }
  await walkExpired(pass);
  if (pass.cold !== undefined) {
    if (keepsMetadata(pass)) await sweepCold(pass, pass.cold);
    else pass.unreadable('the cold tier', new FilterMissingError());
  }
  await pass.executor.settle();
}

/** The store itself is not there: a later pass goes on from here. */
const AWAY: ReadonlySet<BackendErrorCode> = new Set(['Unavailable', 'Timeout']);

async function walkContainer(
  pass: PassContext,
  container: string,
  marker: string,
  reached: (cursor: Cursor) => void,
): Promise<void> {
  const note = (name: string): void => {
    reached({ container, marker: name });
  };
  try {
    if (!keepsMetadata(pass)) {
      await walkUnprotected(pass, container, marker, note);
      return;
    }
    if (isValidBucketName(container)) {
      const head = await containerHead(pass, container);
      if (head !== undefined) await walkBucket(pass, container, head, marker, note);
      if (pass.cold !== undefined) await walkCold(pass, pass.cold, container);
      return;
    }
    const kept = bucketOfArchive(container);
    if (kept !== undefined && isValidBucketName(kept)) {
      const exists = (await containerHead(pass, kept)) !== undefined;
      await new ArchiveWalk(pass, kept, exists).run(marker, note);
      if (pass.cold !== undefined) await walkCold(pass, pass.cold, container);
      return;
    }
    const bucket = bucketOfSegments(container);
    if (bucket === undefined || !isValidBucketName(bucket)) return;
    const head = await containerHead(pass, bucket);
    const rules = head === undefined ? NO_RULES : rulesOf(pass, bucket, head);
    const about = { bucket, exists: head !== undefined, rules };
    await new SegmentWalk(pass, about).run(marker, note);
  } catch (error) {
    // Another client deleted the container while it was walked.
    if (isMissing(error)) return;
    // One damaged container must not keep the pass from all that come behind it.
    const isDamage = error instanceof S3Error || error instanceof BackendError;
    if (!isDamage || (error instanceof BackendError && AWAY.has(error.code))) throw error;
    pass.unreadable(container, error);
  }
}

/**
 * System metadata says which objects belong together. If a store has none, like Swift without the
 * gateway's filter, but there are versions, another gateway keeps them: to this one all parts and
 * objects of versions would look like garbage.
 */
export class FilterMissingError extends Error {
  override readonly name = 'FilterMissingError';

  constructor() {
    super(
      "it needs the gateway's filter in the proxies of Swift, or its secret: see docs/swift.md",
    );
  }
}

function keepsMetadata({ backend }: PassContext): boolean {
  return backend.capabilities.systemMetadata;
}

/**
 * The walk without system metadata: clears parts of uploads, in buckets that never had versions.
 */
async function walkUnprotected(
  pass: PassContext,
  container: string,
  marker: string,
  note: (name: string) => void,
): Promise<void> {
  const bucket = bucketOfSegments(container);
  const kept = bucketOfArchive(container);
  if (kept !== undefined && isValidBucketName(kept)) {
    pass.unreadable(container, new FilterMissingError());
  }
  if (bucket === undefined || !isValidBucketName(bucket)) return;
  if ((await containerHead(pass, archiveContainer(pass.account, bucket).container)) !== undefined) {
    pass.unreadable(container, new FilterMissingError());
    return;
  }
  const exists = (await containerHead(pass, bucket)) !== undefined;
  await new SegmentWalk(pass, { bucket, exists, rules: NO_RULES }).run(marker, note);
}

/** @throws S3Error `InternalError` for a versioning state that cannot be read */
async function walkBucket(
  pass: PassContext,
  bucket: string,
  head: ContainerHead,
  marker: string,
  note: (name: string) => void,
): Promise<void> {
  const rules = rulesOf(pass, bucket, head);
  if (keptVersions(head) !== undefined) {
    await walkVersions(pass, bucket, rules, marker, note);
  } else {
    await walkObjects(pass, bucket, rules, marker, note);
  }
}
