import { encodeUriComponentAws, percentDecoded } from '../../lib/uri.js';
import type {
  DeletePrecondition,
  FollowedLink,
  LinkTarget,
  ObjectHead,
  ObjectRef,
  CallContext,
  LinkInput,
  Metadata,
  PutOutcome,
  WritePrecondition,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { patched } from '../metadata-patch.js';
import { isFirstPlace, isOurHop, VERSION_ID } from '../own-hops.js';
import type { Guards } from './guards.js';
import { listingHeaders } from './listing-requests.js';
import {
  deleteAtHeaders,
  OWN,
  readSystemMetadata,
  readSystemValue,
  systemMetadataHeaders,
} from './metadata-headers.js';
import type { ReadDeps } from './object-heads.js';
import {
  creationHeaders,
  orderHeaders,
  quotaHeaders,
  readPutAnswer,
  refuseEtagCondition,
} from './put-answer.js';
import { unquoted, readUpdateDocument, EMPTY_MD5, putHeaders } from './stored-object.js';
import { readTimestamp } from './timestamps.js';
import { type RequestHeaders, unlessBusy, retryWhileBusy } from './transport.js';

/**
 * Swift's answers about symlinks. A followed one answers with the headers of its target and says so
 * in `Content-Location`; the filter adds the link's own headers.
 */

/**
 * @param head of what was read
 * @returns undefined when no link was followed; where a link leads to a link, which Swift follows
 *   too, what is told is of the first
 */
export function readFollowedLink(
  { account }: ObjectRef,
  headers: ReadonlyMap<string, string>,
  head: ObjectHead,
): FollowedLink | undefined {
  // That link is internal to Swift: see readStoreLink.
  if (isStoreVersion(headers)) return undefined;
  const target = readEnd(account, headers);
  if (target === undefined) return undefined;
  const time = headers.get('x-gateway-link-timestamp');
  // Without the filter only the link's target is known.
  if (time === undefined) {
    const { etag, lastModified } = head;
    return { target, etag, lastModified, systemMetadata: {} };
  }
  const update = readUpdateDocument(headers, time, 'link_transient');
  const etag = readSystemValue(headers, 'link', OWN.etag);
  return {
    target: firstTarget(account, headers) ?? target,
    etag: etag ?? unquoted(headers.get('x-gateway-link-etag') ?? ''),
    lastModified: readTimestamp(time),
    systemMetadata: patched(readSystemMetadata(headers, 'link'), update?.systemMetadata),
  };
}

/**
 * Whether an answer was reached by what is not Ringway's own, as far as it tells: of a chain of links,
 * the segments of a static manifest, and links among segments nothing can be seen.
 */
export function isForeignPointer(ref: ObjectRef, headers: ReadonlyMap<string, string>): boolean {
  if (headers.has('x-object-manifest')) return true;
  const end = endOf(ref, headers);
  return end !== undefined && !isOurHop(ref, end) && !isFirstPlace(ref, end);
}

/** The index of a key is opened by no link, also not by one that a client puts at the key. */
export function isIndexBehindLink(ref: ObjectRef, headers: ReadonlyMap<string, string>): boolean {
  const end = endOf(ref, headers);
  if (end === undefined || !isFirstPlace(ref, end)) return false;
  return readSystemValue(headers, 'object', VERSION_ID) === undefined;
}

function endOf(
  { account }: ObjectRef,
  headers: ReadonlyMap<string, string>,
): ObjectRef | undefined {
  const end = isStoreVersion(headers) ? undefined : readEnd(account, headers);
  return end && { account, ...end };
}

/** Where a link that was followed has led in the end. @returns undefined when none was */
export function readEnd(
  account: string,
  headers: ReadonlyMap<string, string>,
): LinkTarget | undefined {
  const path = percentDecoded(headers.get('content-location') ?? '');
  const [, end, container, object] = /^\/v1\/([^/]+)\/([^/]+)\/(.+)$/s.exec(path ?? '') ?? [];
  if (end === undefined || container === undefined || object === undefined) return undefined;
  return { ...(end !== account && { account: end }), container, object };
}

/**
 * In a container whose versions Swift itself keeps, or has kept, an object is a link to its newest
 * version there.
 *
 * @returns undefined of any other object, and without the filter, which tells of it
 */
export function readStoreLink(headers: ReadonlyMap<string, string>): ObjectHead['storeLink'] {
  const time = headers.get('x-gateway-link-timestamp');
  if (time === undefined || !isStoreVersion(headers)) return undefined;
  const etag = unquoted(headers.get('x-gateway-link-etag') ?? '');
  return { etag, lastModified: readTimestamp(time) };
}

/** Without the filter it is not known where a link of such a container leads. */
function isStoreVersion(headers: ReadonlyMap<string, string>): boolean {
  if (!headers.has('x-object-version-id')) return false;
  const target = firstTarget('', headers);
  return target === undefined
    ? !headers.has('x-gateway-link-timestamp')
    : target.container.startsWith(RESERVED);
}

/** Names that begin so are of Swift's own containers. */
const RESERVED = '\0';

/** The target of the link that was read, as it says itself; undefined without the filter. */
function firstTarget(
  account: string,
  headers: ReadonlyMap<string, string>,
): LinkTarget | undefined {
  const name = 'x-gateway-link-sysmeta-symlink-target';
  return readTarget(account, headers.get(name), headers.get(`${name}-account`));
}

/**
 * The target that a link itself names, read with `?symlink=get`.
 * @returns undefined of an object that is no link
 */
export function readOwnTarget(
  { account }: ObjectRef,
  headers: ReadonlyMap<string, string>,
): LinkTarget | undefined {
  return readTarget(
    account,
    headers.get('x-symlink-target'),
    headers.get('x-symlink-target-account'),
  );
}

/**
 * @param account of the link
 * @param path percent-encoded, as is `other`, the account that it names
 */
function readTarget(
  account: string,
  path: string | undefined,
  other: string | undefined,
): LinkTarget | undefined {
  const decoded = path === undefined ? undefined : percentDecoded(path);
  const slash = decoded?.indexOf('/') ?? -1;
  if (decoded === undefined || slash === -1) return undefined;
  const end = other === undefined || other === '' ? account : percentDecoded(other);
  // An account that cannot be read is none of ours.
  const elsewhere = end === account ? {} : { account: end ?? '' };
  return { ...elsewhere, container: decoded.slice(0, slash), object: decoded.slice(slash + 1) };
}

/**
 * The system metadata of a static link of Swift's. Asked for one in its own way, Swift looks at the
 * target first, which the writer of the link has just written.
 */
function fixedTo({ etag, size }: LinkInput): Metadata {
  return { 'symlink-target-etag': etag, 'symlink-target-bytes': String(size) };
}

const PRESENT: DeletePrecondition = { present: true };

/** Stores links, as symlinks of Swift's. */
export class LinkPuts {
  constructor(
    private readonly deps: ReadDeps,
    private readonly guards: Guards,
  ) {}

  /**
   * @throws BackendError NoSuchContainer, GuardMissing, StorageFull; Unsupported for a link to
   *   itself, for a cluster without symlinks, and for a precondition on an ETag; Unavailable and
   *   Timeout, when the outcome is unknown
   */
  async put(
    context: CallContext,
    ref: ObjectRef,
    input: LinkInput,
    precondition: WritePrecondition | undefined,
  ): Promise<PutOutcome> {
    refuseEtagCondition(ref, precondition);
    this.#requireLinks(ref, input);
    const { behind } = input;
    const replacedManifest =
      behind === undefined
        ? await this.guards.beforePut(context, ref, input, precondition)
        : undefined;
    const headers = {
      ...this.#describe(input),
      ...creationHeaders(precondition),
      ...orderHeaders(input.order),
      ...(behind !== undefined && { 'x-gateway-behind-link': String(behind) }),
      // It has no bytes, and ends what was measured when its target was written.
      ...quotaHeaders('deletion'),
    };
    const repeatable = precondition === undefined && input.guard === undefined;
    const body = Buffer.alloc(0);
    const request = { context, method: 'PUT', ...ref, headers, body, repeatable } as const;
    const response = await retryWhileBusy(context, ref, () =>
      unlessBusy(this.deps.transport.request(request)),
    );
    const condition = behind === undefined ? precondition : PRESENT;
    const answer = await readPutAnswer(ref, response, condition);
    if (answer !== 'created') return { outcome: answer };
    const { headers: told } = response;
    const written = { headers: told, etag: input.etag, replacedManifest };
    return this.guards.afterPut(context, ref, input.guard, written);
  }

  #requireLinks({ container, object }: ObjectRef, { target }: LinkInput): void {
    if (!this.deps.limits.hasSymlinks) {
      throw new BackendError('Unsupported', 'the cluster has no symlinks');
    }
    if (target.container !== container || target.object !== object) return;
    throw new BackendError('Unsupported', `${container}/${object} cannot be a link to itself`);
  }

  /** Its ETag is in its metadata whatever it looks like: Swift's own is that of no bytes. */
  #describe(input: LinkInput): RequestHeaders {
    const { contentType, systemMetadata, etag, size, listingAttributes: attributes } = input;
    const { container, object } = input.target;
    return {
      ...putHeaders({ contentType, systemMetadata, etag }, this.deps.limits),
      ...(input.isFixed === true && systemMetadataHeaders('object', fixedTo(input))),
      ...listingHeaders({ md5: EMPTY_MD5, etag, attributes, size }),
      ...deleteAtHeaders(input.deleteAt),
      'x-symlink-target': `${encodeUriComponentAws(container)}/${encodeUriComponentAws(object)}`,
    };
  }
}
