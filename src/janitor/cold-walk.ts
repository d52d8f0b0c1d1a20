import type { ListedObject } from '../backend/backend.js';
import { throwIfAborted } from '../backend/call-context.js';
import type { ColdBackend, ColdLocation } from '../cold/cold-backend.js';
import { ColdError } from '../cold/cold-error.js';
import type { DigestFactory } from '../digest/body-digest.js';
import { mapLimited } from '../lib/promises.js';
import { coldObjectOf } from '../s3/cold/cold-object.js';
import { isReferenced } from '../s3/cold/release.js';
import { S3Error } from '../s3/errors.js';
import { SYSTEM_METADATA } from '../s3/object/attributes.js';
import type { ColdClasses } from '../s3/rules/cold/classes.js';
import { coldWorkOf } from '../s3/rules/cold/cold-object.js';
import type { ColdAction } from './actions.js';
import { unlessOutOfReach } from './gone.js';
import { type PassContext, placeOf, PAGE } from './pass-context.js';

/** The janitor's settings for the cold tier. */
export interface ColdSettings {
  readonly backend: ColdBackend;
  readonly classes: ColdClasses;
  /** Whether archived objects leave the store. */
  readonly deleteHot: boolean;
  /** The age below which copies are kept: their writers stamp the object afterwards. */
  readonly sweepAgeMs: number;
  readonly digests: DigestFactory;
}

/**
 * Finds the cold copies that no object has its bytes in any more: of objects that were deleted or
 * overwritten. A cold backend that is away costs nothing but this sweep.
 */
export async function sweepCold(pass: PassContext, cold: ColdSettings): Promise<void> {
  const before = pass.now() - cold.sweepAgeMs;
  try {
    for await (const { location, writtenAt } of cold.backend.list(pass.account)) {
      throwIfAborted(pass.call);
      if (writtenAt <= before) await look(pass, cold, location);
    }
  } catch (error) {
    if (!(error instanceof ColdError)) throw error;
    pass.unreadable('the cold backend', error);
  }
}

async function look(pass: PassContext, cold: ColdSettings, location: ColdLocation): Promise<void> {
  try {
    const copy = await cold.backend.find(location);
    pass.looked(1);
    if (copy === undefined) return;
    const { backend, call } = pass;
    if (await isReferenced({ backend, call, classes: cold.classes }, copy)) return;
    const { account, container, object, size, lastModified } = copy;
    const target = { account, ...placeOf(container, object), size, lastModified };
    await pass.executor.carryOut({ action: 'discard', ...target, location });
  } catch (error) {
    // A damaged copy is left for people to look at.
    if (!(error instanceof ColdError) || error.code !== 'Corrupt') throw error;
    pass.unreadable(`cold copy ${location.id}`, error);
  }
}

/** Objects on their way at once: each is read from one disk and written to another. */
const CONCURRENCY = 4;

/**
 * Finds the cold objects of a bucket, or of its archive of versions, that are to be copied into the
 * cold backend, or whose hot body may go. The listing tells which ones have to be looked at, where
 * it follows their updates.
 */
export async function walkCold(
  pass: PassContext,
  cold: ColdSettings,
  container: string,
): Promise<void> {
  const ref = { account: pass.account, container };
  // Else it shows how an object was written, and each one has to be looked at.
  const tells = pass.backend.capabilities.listingUpdates;
  let marker: string | undefined;
  for (let more = true; more;) {
    const page = await pass.backend.listObjects(pass.call, ref, { marker, limit: PAGE });
    const objects = page.entries.flatMap((entry) => (entry.kind === 'object' ? entry.object : []));
    marker = objects.at(-1)?.name;
    const candidates = tells ? objects.filter((object) => isCandidate(object, cold)) : objects;
    await mapLimited(candidates, CONCURRENCY, async ({ name }) => {
      const action = await actionFor(pass, cold, container, name);
      if (action !== undefined) await pass.executor.carryOut(action);
    });
    pass.looked(candidates.length);
    more = page.truncated;
  }
}

function isCandidate({ attributes }: ListedObject, { classes, deleteHot }: ColdSettings): boolean {
  const listed = attributes[SYSTEM_METADATA.cold];
  if (listed === 'absent' || (listed === 'archived' && !deleteHot)) return false;
  return classes.has(attributes[SYSTEM_METADATA.storageClass] ?? '');
}

async function actionFor(
  pass: PassContext,
  { classes, deleteHot }: ColdSettings,
  container: string,
  name: string,
): Promise<ColdAction | undefined> {
  const ref = { account: pass.account, container, object: name };
  try {
    const head = await unlessOutOfReach(pass.backend.headObject(pass.call, ref));
    if (head === undefined) return undefined;
    const object = coldObjectOf(head, classes);
    // The target of a link is found in the archive.
    if (head.link !== undefined || object === undefined) return undefined;
    const work = coldWorkOf(object, deleteHot, pass.now());
    if (work === undefined) return undefined;
    const { size, lastModified } = head;
    const { storageClass } = object;
    const target = { account: ref.account, ...placeOf(container, name) };
    return { action: work, ...target, ref, storageClass, size, lastModified };
  } catch (error) {
    // A stamp that cannot be read: other objects are not to suffer from it.
    if (!(error instanceof S3Error)) throw error;
    pass.unreadable(`${container}/${name}`, error);
    return undefined;
  }
}
