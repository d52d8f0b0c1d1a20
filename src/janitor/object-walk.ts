import type { ListedObject } from '../backend/backend.js';
import { mapLimited } from '../lib/promises.js';
import { lifecycleObjectOf } from '../s3/bucket/lifecycles.js';
import { SYSTEM_METADATA } from '../s3/object/attributes.js';
import type { LifecycleConfiguration, LifecycleRule } from '../s3/rules/lifecycle/configuration.js';
import { dueAction } from '../s3/rules/lifecycle/evaluate.js';
import { tagsMatter } from '../s3/rules/lifecycle/filter.js';
import { listedVersions } from '../s3/versions/listing/index-summary.js';
import type { ExpireAction, TransitionAction } from './actions.js';
import { CONCURRENCY, PAGE, type PassContext } from './pass-context.js';
import { isMissing } from './record-store.js';
import { keptVersions } from './version-walk.js';

/** What spares a pass from looking at what no rule is for. */

/**
 * Prefixes below which any rule may want an object, in byte order, none within another: all else
 * need not be listed. Empty when the rules are not about objects.
 */
export function objectPrefixes({ rules }: LifecycleConfiguration): string[] {
  const prefixes = rules.filter(concernsObjects).map(({ filter }) => filter.prefix ?? '');
  prefixes.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const outermost: string[] = [];
  for (const prefix of prefixes) {
    const former = outermost.at(-1);
    // What begins with a prefix follows right behind it.
    if (former === undefined || !prefix.startsWith(former)) outermost.push(prefix);
  }
  return outermost;
}

/** The same rules for objects with any tags: they want whatever the given ones may want, and more. */
export function withoutTags({ rules }: LifecycleConfiguration): LifecycleConfiguration {
  return { rules: rules.map((rule) => ({ ...rule, filter: { ...rule.filter, tags: [] } })) };
}

function concernsObjects({ enabled, expiration, transitions }: LifecycleRule): boolean {
  const expires = expiration !== undefined && !('expiredObjectDeleteMarker' in expiration);
  return enabled && (expires || transitions.length > 0);
}

/**
 * Whether any rule may want a noncurrent version of a key, of which only the listing entry of its
 * index is known.
 */
export function wantsNoncurrent(
  { rules }: LifecycleConfiguration,
  key: string,
  index: ListedObject | undefined,
): boolean {
  // The current one is not noncurrent, and what comes first of the others has none that is newer.
  const newer = index === undefined ? Infinity : (listedVersions(index) ?? Infinity) - 2;
  return rules.some(({ enabled, filter, ...rule }) => {
    if (!enabled || !key.startsWith(filter.prefix ?? '')) return false;
    const { noncurrentVersionExpiration: expiration, noncurrentVersionTransitions } = rule;
    const actions = [...(expiration ? [expiration] : []), ...noncurrentVersionTransitions];
    return actions.some(({ newerNoncurrentVersions: kept = 0 }) => newer >= kept);
  });
}

/**
 * Finds the objects of a bucket that its rules want to go, page by page.
 *
 * @param marker - goes on behind this name
 * @param reached - told the last name of each page when all of it is settled
 */
export async function walkObjects(
  pass: PassContext,
  bucket: string,
  configuration: LifecycleConfiguration,
  marker: string,
  reached: (name: string) => void,
): Promise<void> {
  const rules = { configuration, withoutTags: withoutTags(configuration) };
  let last = marker;
  for (const prefix of objectPrefixes(configuration)) {
    for (let more = true; more;) {
      const ref = { account: pass.account, container: bucket };
      const query = { prefix, marker: last, limit: PAGE };
      const page = await pass.backend.listObjects(pass.call, ref, query);
      // From now on an expiring object stays, behind a delete marker.
      if (keptVersions(await pass.backend.headContainer(pass.call, ref)) !== undefined) return;
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
  const wanted = dueAction(superset, object, now, storageClasses);
  if (wanted === undefined) return undefined;
  if (tagsMatter(configuration, object) || !isListed(pass, wanted.action)) {
    const head = await headOf(pass, bucket, key);
    if (head === undefined) return undefined;
    seen = head;
    object = lifecycleObjectOf(key, head);
  }
  const due = dueAction(configuration, object, now, storageClasses);
  if (due === undefined) return undefined;
  const { size, etag, lastModified } = seen;
  const target = { account: pass.account, bucket, key, ruleId: due.ruleId, size, lastModified };
  return due.action === 'expire'
    ? { ...target, action: 'expire', etag }
    : { ...target, action: 'transition', etag, storageClass: due.storageClass };
}

/** Whether the listing tells of what an action changes: the class that an object has by now. */
function isListed({ backend }: PassContext, action: 'expire' | 'transition'): boolean {
  return action === 'expire' || backend.capabilities.listingUpdates;
}

async function headOf({ backend, call, account }: PassContext, bucket: string, key: string) {
  try {
    return await backend.headObject(call, { account, container: bucket, object: key });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
