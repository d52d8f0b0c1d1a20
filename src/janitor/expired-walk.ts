import type { Backend, CallContext, ExpiredObject, ReadOptions } from '../backend/backend.js';
import { mapLimited } from '../lib/promises.js';
import { SYSTEM_METADATA } from '../s3/object/attributes.js';
import type { Upload } from '../s3/segments/names.js';
import type { ActionOutcome, RemoveAction } from './actions.js';
import { unlessGone } from './gone.js';
import { CONCURRENCY, PAGE, type PassContext } from './pass-context.js';

/**
 * Finds objects that have expired (Swift's X-Delete-At), if the store does not remove them. No
 * client sees them any more, but they take space.
 */
export async function walkExpired(pass: PassContext): Promise<void> {
  const { backend, call, account } = pass;
  if (backend.listExpired === undefined) return;
  for (let after: ExpiredObject | undefined; ;) {
    const page = await backend.listExpired(call, account, { limit: PAGE, after });
    await mapLimited(page, CONCURRENCY, async (expired) => {
      const action = await actionFor(pass, expired);
      if (action !== undefined) await pass.executor.carryOut(action);
    });
    pass.looked(page.length);
    if (page.length < PAGE) return;
    after = page.at(-1);
  }
}

async function actionFor(
  { backend, call, account }: PassContext,
  { ref }: ExpiredObject,
): Promise<RemoveAction | undefined> {
  const head = await unlessGone(backend.headObject(call, ref, AS_IT_IS));
  // Another client has written or restored it meanwhile.
  if (head?.deleteAt === undefined) return undefined;
  const { etag, size, lastModified, deleteAt } = head;
  const { container: bucket, object: key } = ref;
  return { action: 'remove', account, bucket, key, etag, size, lastModified, deleteAt };
}

/** Reads the object that was found and not its target, and though it has expired. */
const AS_IT_IS: ReadOptions = { openExpired: true, linkItself: true };

/** The outcome of a removal, and the upload whose parts are unreferenced now. */
export interface Removal {
  readonly outcome: ActionOutcome;
  readonly upload?: Upload | undefined;
}

/** Object Lock is stronger than a time that a Swift client has set. */
const LOCKS = ['s3-object-lock-retention', 's3-object-lock-legal-hold'];

/** Removes exactly what was looked at. */
export async function removeExpired(
  backend: Backend,
  call: CallContext,
  { account, bucket, key, etag, lastModified, deleteAt }: RemoveAction,
): Promise<Removal> {
  const ref = { account, container: bucket, object: key };
  const head = await unlessGone(backend.headObject(call, ref, AS_IT_IS));
  if (head === undefined) return { outcome: 'gone' };
  if (head.deleteAt !== deleteAt) return { outcome: 'changed' };
  if (LOCKS.some((name) => name in head.systemMetadata)) return { outcome: 'locked' };
  const condition = { etag, lastModified };
  const deleted = await unlessGone(
    backend.deleteObject(call, ref, condition, { openExpired: true }),
  );
  if (deleted === undefined) return { outcome: 'gone' };
  if (deleted.outcome !== 'deleted') return { outcome: 'changed' };
  const uploadId = deleted.removedManifest?.systemMetadata[SYSTEM_METADATA.uploadId];
  return {
    outcome: 'done',
    upload: uploadId === undefined ? undefined : { account, bucket, key, uploadId },
  };
}
