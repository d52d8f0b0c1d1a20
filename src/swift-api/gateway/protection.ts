import type { ContainerHead, ContainerRef } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import type { Call } from '../call.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';

/** A timestamp as Swift writes it, maybe with an offset behind it. */
const TIMESTAMP = /^(\d{1,12})\.(\d{3})\d{0,6}(?:_[0-9a-f]{1,16})?$/;

/** The very object that a change is of. */
interface Seen {
  readonly etag: string;
  readonly lastModified: number;
}

/**
 * Checks a gateway's `X-Gateway-Not-Newer`: an object is changed or deleted only while it is not
 * newer than a time.
 * @returns undefined when the request does not ask for it
 * @throws SwiftError 400; 409 when it is newer
 */
export async function notNewer(call: Call<ObjectTarget>): Promise<Seen | undefined> {
  const { api, context, target, headers, gateway } = call;
  const given = headers.get('x-gateway-not-newer');
  if (!gateway || given === undefined) return undefined;
  const [, seconds, milliseconds] = TIMESTAMP.exec(given) ?? [];
  if (seconds === undefined || milliseconds === undefined) {
    throw new SwiftError(400, 'X-Gateway-Not-Newer is a timestamp with a DELETE or a POST\n', TEXT);
  }
  const limit = Number(seconds) * 1000 + Number(milliseconds);
  const itself = { linkItself: true };
  const { etag, lastModified } = await api.backend.headObject(context, target, itself);
  if (lastModified > limit) throw new SwiftError(409);
  return { etag, lastModified };
}

const VERSIONS = '+versions';
const SEGMENTS = '+segments';
/** System metadata of a bucket with Object Lock. */
const LOCK = 's3-object-lock';
const ARCHIVE = 'An archive of object versions is written by the S3 gateway only\n';
const LOCKED = 'A bucket with Object Lock is written by the S3 gateway only\n';
/** Headers by which the owner may change a bucket with Object Lock, by POST and by nothing else. */
const OWNERS: ReadonlySet<string> = new Set([
  ...['read', 'write'].flatMap((list) => [`x-container-${list}`, `x-remove-container-${list}`]),
  ...['', '-2'].map((which) => `x-remove-container-meta-temp-url-key${which}`),
]);
/** How headers begin that change a container. */
const CHANGES = ['x-container-', 'x-remove-', 'x-versions-', 'x-history-'];

/**
 * The objects that only a gateway may write, by the rule of the filter in ops/swift/: archives of
 * versions, and buckets with Object Lock with all that belongs to them. A client of the store must
 * not be able to undo what S3 has promised. The access rules of a bucket and of its segments are
 * its owner's to set, locked or not, and so is the end of its TempURL keys: that deletes nothing, and
 * writers whom the rules let in are refused as the owner is.
 *
 * @param head - the container's own, where it is known
 * @throws SwiftError 403
 */
export async function checkWritable(
  { api, context, gateway }: Call,
  { account, container }: ContainerRef,
  head: ContainerHead | undefined,
): Promise<void> {
  if (gateway) return;
  if (container.endsWith(VERSIONS)) throw new SwiftError(403, ARCHIVE, TEXT);
  let locked = head;
  if (container.endsWith(SEGMENTS)) {
    const bucket = { account, container: container.slice(0, -SEGMENTS.length) };
    locked = await api.backend.headContainer(context, bucket).catch(orMissing);
  }
  const lock = locked?.systemMetadata[LOCK];
  if (lock !== undefined && lock !== '') throw new SwiftError(403, LOCKED, TEXT);
}

/**
 * Tells whether a POST to a container changes only what its owner may change with Object Lock, too.
 * The caller makes sure that the request is no bulk deletion, which is a POST as well.
 *
 * @param container - the container that the headers are for
 */
export function mayItsOwnerChange(headers: Call['headers'], container: string): boolean {
  if (container.endsWith(VERSIONS)) return false;
  const changes = [...headers]
    .map(([name]) => name)
    .filter((name) => CHANGES.some((prefix) => name.startsWith(prefix)));
  return changes.length > 0 && changes.every((name) => OWNERS.has(name));
}

/** For a name of no container; what else went wrong is thrown. */
export function orMissing(error: unknown): undefined {
  if (!isCode(error, 'NoSuchContainer', 'NameTooLong')) throw error;
}
