import { encodeUriComponentAws } from '../../lib/uri.js';
import type { ByteRange, CopyInput, Metadata, ObjectHead, ObjectRef } from '../backend.js';
import { deleteAtHeaders } from './expiry-headers.js';
import { listingHeaders, readListedHash } from './listing-entry.js';
import { isMd5 } from './md5.js';
import { putHeaders, unquoted } from './stored-object.js';
import type { RequestHeaders } from './transport.js';
import type { MetadataLimits } from './user-metadata.js';

/** What is copied, as it was looked at. */
export interface CopySource {
  /** Links were followed. */
  readonly ref: ObjectRef;
  readonly head: ObjectHead;
  /** What Swift said of it. */
  readonly headers: ReadonlyMap<string, string>;
  /** Undefined when all of it is. */
  readonly range: ByteRange | undefined;
}

/** What a copy is but for its body. */
export interface CopyDescription {
  readonly contentType: string;
  readonly headers: Metadata;
  readonly metadata: Metadata;
  readonly systemMetadata: Metadata;
  readonly listingAttributes: Metadata;
  readonly deleteAt: number | undefined;
}

const SYSTEM_METADATA = 'x-gateway-sysmeta-object-';
const OVERRIDE = `${SYSTEM_METADATA}container-update-override-`;

/** Each field of the input stands for the whole of it; without it the source's is kept. */
export function describeCopy(input: CopyInput, { head, headers }: CopySource): CopyDescription {
  const { attributes } = readListedHash(headers.get(`${OVERRIDE}etag`) ?? '');
  return {
    contentType: input.contentType ?? head.contentType,
    headers: input.headers ?? head.headers,
    metadata: input.metadata ?? head.metadata,
    systemMetadata: input.systemMetadata ?? head.systemMetadata,
    listingAttributes: input.listingAttributes ?? attributes,
    deleteAt: (input.deleteAt === undefined ? head.deleteAt : input.deleteAt) ?? undefined,
  };
}

/** Swift's own, which is the MD5 of what an ordinary object holds. */
export function storedEtag({ headers }: CopySource): string {
  return unquoted(headers.get('etag') ?? '');
}

/** Whether the bytes have an MD5 that is known before they are copied. */
export function isPlainCopy({ head, headers, range }: CopySource): boolean {
  const isLarge = head.segmentCount !== undefined || headers.has('x-object-manifest');
  return !isLarge && range === undefined;
}

/** The copy's ETag, where it is another one than the MD5 that Swift gives it. */
export function keptEtag(source: CopySource): string | undefined {
  const { etag } = source.head;
  return isPlainCopy(source) && isMd5(etag) && etag !== storedEtag(source) ? etag : undefined;
}

/**
 * The headers of a PUT that has Swift copy the very bytes that were looked at (`If-Match` is the
 * source's). Metadata comes from the request alone, but for system metadata, which Swift copies
 * always: each name of the source's that the copy is not to have is overwritten with nothing.
 */
export function copyHeaders(
  source: CopySource,
  described: CopyDescription,
  limits: MetadataLimits,
): RequestHeaders {
  const { ref, range } = source;
  const etag = keptEtag(source);
  const md5 = isPlainCopy(source) ? storedEtag(source) : undefined;
  const own = {
    ...putHeaders({ ...described, etag }, limits),
    ...listingHeaders({ md5, etag, attributes: described.listingAttributes }),
  };
  return {
    ...blanked(source, md5),
    ...own,
    ...deleteAtHeaders(described.deleteAt),
    'x-copy-from': `${encodeUriComponentAws(ref.container)}/${encodeUriComponentAws(ref.object)}`,
    'x-copy-from-account': encodeUriComponentAws(ref.account),
    'x-fresh-metadata': 'true',
    'if-match': `"${storedEtag(source)}"`,
    ...(range !== undefined && { range: `bytes=${range.start}-${range.end}` }),
  };
}

/** What a listing shows cannot be nothing: then it is what it would be anyway. */
function blanked({ headers, head }: CopySource, md5: string | undefined): RequestHeaders {
  const blank: Record<string, string> = {};
  for (const name of headers.keys()) {
    if (!name.startsWith(SYSTEM_METADATA)) continue;
    if (!name.startsWith(OVERRIDE)) blank[name] = '';
    else if (md5 !== undefined) blank[name] = name === `${OVERRIDE}etag` ? md5 : String(head.size);
  }
  return blank;
}
