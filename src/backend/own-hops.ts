import type { ObjectRef } from './refs.js';

/**
 * Whether what a store follows on the way to an object is Ringway's own: a link to a version, a part
 * of a multipart upload. Metadata proves nothing, because a copy by a client of the store carries it
 * along; the place does. The gateway alone writes to `<bucket>+versions`, and the names there and in
 * `<bucket>+segments` contain the key:
 *
 *     <bucket>+versions   <hex(key)>/<32 hex>                a version
 *                         <hex(key)>/index.json              the first one, if it says its id: else an
 *                                                            index, which no pointer opens
 *     <bucket>+segments   <key>/<upload id>/<part number>    a part
 *
 * A user who writes such a pointer reaches what belongs to a key that he may write, and no more.
 */

export const VERSIONS_SUFFIX = '+versions';
export const SEGMENTS_SUFFIX = '+segments';

const VERSION_NAME = /^([0-9a-f]+)\/[0-9a-f]{32}$/;
const FIRST_NAME = /^([0-9a-f]+)\/index\.json$/;
/** Split from the right: a key may look like an upload id or a part number. */
const PART_NAME = /^(.+)\/[A-Za-z0-9_-]{32,128}\/[1-9][0-9]{0,4}$/s;

/**
 * @param first the object that the call names: a key of a bucket, or a version of one
 * @param hop an object that the store is led to from there, at whatever distance
 * @returns whether the hop is a version or a part of the same key in the same bucket
 */
export function isOurHop(first: ObjectRef, hop: ObjectRef): boolean {
  if (first.account !== hop.account) return false;
  const { container, object } = first;
  if (isOfKey(container, Buffer.from(object).toString('hex'), hop)) return true;
  const key = VERSION_NAME.exec(object)?.[1];
  if (key === undefined || !container.endsWith(VERSIONS_SUFFIX)) return false;
  return isOfKey(container.slice(0, -VERSIONS_SUFFIX.length), key, hop);
}

/** The name in system metadata under which a version says its id. */
export const VERSION_ID = 's3-version-id';

/**
 * The place of a first version is that of its key's index.
 * @param first a key of a bucket
 * @param hop as of {@link isOurHop}
 */
export function isFirstPlace({ account, container, object }: ObjectRef, hop: ObjectRef): boolean {
  const key = FIRST_NAME.exec(hop.object)?.[1];
  if (key === undefined || account !== hop.account) return false;
  return (
    hop.container === container + VERSIONS_SUFFIX && key === Buffer.from(object).toString('hex')
  );
}

/** @param hexKey the key's UTF-8, in lower-case hexadecimal digits */
function isOfKey(bucket: string, hexKey: string, { container, object }: ObjectRef): boolean {
  if (container === bucket + VERSIONS_SUFFIX) return VERSION_NAME.exec(object)?.[1] === hexKey;
  if (container !== bucket + SEGMENTS_SUFFIX) return false;
  const key = PART_NAME.exec(object)?.[1];
  return key !== undefined && Buffer.from(key).toString('hex') === hexKey;
}
