import { objectPrefixes, withoutTags } from './rule-reach.js';
import type { ListedObject } from '../backend/backend.js';
import { mapLimited } from '../lib/promises.js';
import { lifecycleObjectOf } from '../s3/bucket/lifecycles.js';
import { storedTags, SYSTEM_METADATA } from '../s3/object/attributes.js';
import type { LifecycleConfiguration } from '../s3/rules/lifecycle/configuration.js';
import { dueAction } from '../s3/rules/lifecycle/evaluate.js';
import { tagsMatter } from '../s3/rules/lifecycle/filter.js';
import { areInForce, newestHead, type BucketRules } from './bucket-rules.js';
import type { ExpireAction, TransitionAction } from './actions.js';
import { unlessOutOfReach } from './gone.js';
import { CONCURRENCY, PAGE, type PassContext } from './pass-context.js';
import { keptVersions } from './version-walk.js';

/**
 * Finds the objects of a bucket that its rules want to go, page by page, as long as it has these rules.
 *
 * @param marker - goes on behind this name
 * @param reached - told the last name of each page when all of it is settled
 */
export async function walkObjects(
  pass: PassContext,
  bucket: string,
  found: BucketRules,
  marker: string,
  reached: (name: string) => void,
): Promise<void> {
  const { configuration } = found;
  if (configuration === undefined) return;
  const rules = { configuration, withoutTags: withoutTags(configuration) };
  let last = marker;
  for (const prefix of objectPrefixes(configuration)) {
    for (let more = true; more;) {
      const ref = { account: pass.account, container: bucket };
      const query = { prefix, marker: last, limit: PAGE };
      const page = await pass.backend.listObjects(pass.call, ref, query);
      const head = await newestHead(pass, bucket);
      if (head === undefined || !areInForce(found, head)) return;
      // From now on an expiring object stays, behind a delete marker.
      if (keptVersions(head) !== undefined) return;
      const objects = page.entries.flatMap((entry) =>
        entry.kind === 'object' ? entry.object : [],
      );
      await mapLimited(objects, CONCURRENCY, async (object) => {
        const action = await actionFor(pass, bucket, rules, object);
        if (action !== undefined) await pass.executor.carryOut(action);
      });
      pass.looked(objects.length);
      last = objects.at(-1)?.name ?? last;
      reached(last);
      more = page.truncated;
    }
  }
}

interface Rules {
  readonly configuration: LifecycleConfiguration;
  /** The same rules for whatever tags: what they do not want is not worth looking at. */
  readonly withoutTags: LifecycleConfiguration;
}

async function actionFor(
  pass: PassContext,
  bucket: string,
  { configuration, withoutTags: superset }: Rules,
  { name: key, ...listed }: ListedObject,
): Promise<ExpireAction | TransitionAction | undefined> {
  const now = pass.now();
  const { storageClasses } = pass.settings;
  // A listing shows all that rules ask for but tags.
  const storageClass = listed.attributes[SYSTEM_METADATA.storageClass];
  const systemMetadata =
    storageClass === undefined ? {} : { [SYSTEM_METADATA.storageClass]: storageClass };
  let seen: Pick<ListedObject, 'size' | 'etag' | 'lastModified'> = listed;
  let object = lifecycleObjectOf(key, { ...listed, systemMetadata });
  let tags: string | undefined;
  const wanted = dueAction(superset, object, now, storageClasses);
  if (wanted === undefined) return undefined;
  if (tagsMatter(configuration, object) || !isListed(pass, wanted.action)) {
    const head = await headOf(pass, bucket, key);
    if (head === undefined) return undefined;
    seen = head;
    tags = storedTags(head);
    object = lifecycleObjectOf(key, head);
  }
  const due = dueAction(configuration, object, now, storageClasses);
  if (due === undefined) return undefined;
  const { size, etag, lastModified } = seen;
  const target = { account: pass.account, bucket, key, ruleId: due.ruleId, size, lastModified };
  return due.action === 'expire'
    ? { ...target, action: 'expire', etag, tags }
    : { ...target, action: 'transition', etag, storageClass: due.storageClass };
}

/** Whether the listing tells of what an action changes: the class that an object has by now. */
function isListed({ backend }: PassContext, action: 'expire' | 'transition'): boolean {
  return action === 'expire' || backend.capabilities.listingUpdates;
}

function headOf({ backend, call, account }: PassContext, bucket: string, key: string) {
  return unlessOutOfReach(backend.headObject(call, { account, container: bucket, object: key }));
}
