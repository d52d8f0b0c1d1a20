import { encodeUriComponentAws } from '../../lib/uri.js';
import type {
  ByteRange,
  CopyInput,
  Metadata,
  ObjectHead,
  ObjectRef,
  CallContext,
  CopyOutcome,
  RemovedManifest,
  WritePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { isFirstPlace, isOurHop } from '../own-hops.js';
import type { Guards } from './guards.js';
import { readEnd } from './links.js';
import { listingHeaders, readListedHash } from './listing-requests.js';
import { deleteAtHeaders, type MetadataLimits } from './metadata-headers.js';
import type { ObjectHeads, ReadDeps } from './object-heads.js';
import type { ObjectReads } from './object-reads.js';
import { creationHeaders, quotaHeaders, readPutAnswer, refuseEtagCondition } from './put-answer.js';
import { isMd5, putHeaders, unquoted } from './stored-object.js';
import {
  type RequestHeaders,
  type SwiftResponse,
  unlessBusy,
  retryWhileBusy,
} from './transport.js';

/** The object that is copied, as it was looked at. */
interface CopySource {
  /** Links were followed: a condition of Swift's on the source would be one on the link. */
  readonly ref: ObjectRef;
  /** The object that has led to it, where the requester has to be asked whether it may read it. */
  readonly ledBy: ObjectRef | undefined;
  readonly head: ObjectHead;
  /** Swift's headers of it. */
  readonly headers: ReadonlyMap<string, string>;
  /** Undefined when all of it is. */
  readonly range: ByteRange | undefined;
}

/** Everything about a copy but its body. */
interface CopyDescription {
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
function describeCopy(input: CopyInput, { head, headers }: CopySource): CopyDescription {
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
function storedEtag({ headers }: CopySource): string {
  return unquoted(headers.get('etag') ?? '');
}

/** Whether the bytes have an MD5 that is known before they are copied. */
function isPlainCopy({ head, headers, range }: CopySource): boolean {
  const isLarge = head.segmentCount !== undefined || headers.has('x-object-manifest');
  return !isLarge && range === undefined;
}

/** The copy's ETag, where it is another one than the MD5 that Swift gives it. */
function keptEtag(source: CopySource): string | undefined {
  const { etag } = source.head;
  return isPlainCopy(source) && isMd5(etag) && etag !== storedEtag(source) ? etag : undefined;
}

/**
 * The headers of a PUT that has Swift copy the very bytes that were looked at (`If-Match` is the
 * source's). Metadata comes from the request alone, but for system metadata, which Swift copies
 * always: each name of the source's that the copy is not to have is overwritten with nothing.
 */
function copyHeaders(
  source: CopySource,
  described: CopyDescription,
  limits: MetadataLimits,
): RequestHeaders {
  const { ref, ledBy, range } = source;
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
    ...(ledBy !== undefined && { 'x-gateway-led-by': percentEncoded(ledBy) }),
    'if-match': `"${storedEtag(source)}"`,
    ...(range !== undefined && { range: `bytes=${range.start}-${range.end}` }),
  };
}

/** As the filter in the proxies reads it: `account/container/object`. */
function percentEncoded({ account, container, object }: ObjectRef): string {
  return [account, container, object].map(encodeUriComponentAws).join('/');
}

/** An attribute that a listing shows cannot be empty: it gets the value it would have anyway. */
function blanked({ headers, head }: CopySource, md5: string | undefined): RequestHeaders {
  const blank: Record<string, string> = {};
  for (const name of headers.keys()) {
    if (!name.startsWith(SYSTEM_METADATA)) continue;
    if (!name.startsWith(OVERRIDE)) blank[name] = '';
    else if (md5 !== undefined) blank[name] = name === `${OVERRIDE}etag` ? md5 : String(head.size);
  }
  return blank;
}

/** The limit of attempts, for a source that other clients keep replacing. */
const ATTEMPTS_MAX = 10;

/** A copy with what its caller asked for. */
interface Copy {
  readonly context: CallContext;
  readonly from: ObjectRef;
  readonly to: ObjectRef;
  readonly input: CopyInput;
  readonly precondition: WritePrecondition | undefined;
}

/** Copies objects inside Swift. */
export class ObjectCopies {
  constructor(
    private readonly deps: ReadDeps,
    private readonly objectHeads: ObjectHeads,
    private readonly guards: Guards,
    private readonly reads: ObjectReads,
  ) {}

  /**
   * Reads the source's head; Swift then copies the source if it still has that ETag, with the
   * metadata that was read; otherwise the copy starts again. A copy onto itself may undo a write
   * that it has not seen.
   * @throws BackendError NoSuchContainer, NoSuchSourceContainer, NoSuchObject, BrokenLink,
   *   GuardMissing, BodyMismatch, StorageFull; Unsupported for a precondition on an ETag;
   *   Unavailable and Timeout, when the outcome is unknown
   */
  async copy(
    context: CallContext,
    from: ObjectRef,
    to: ObjectRef,
    input: CopyInput,
    precondition: WritePrecondition | undefined,
  ): Promise<CopyOutcome> {
    refuseEtagCondition(to, precondition);
    const copy = { context, from, to, input, precondition };
    const { limits } = this.deps;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      throwIfAborted(context);
      const source = await this.#look(copy);
      const { etag } = source.head;
      if (input.sourceEtag !== undefined && input.sourceEtag !== etag) return SOURCE_CHANGED;
      const described = describeCopy(input, source);
      const outcome = await this.#send(copy, source, copyHeaders(source, described, limits));
      if (outcome !== 'again') return outcome;
    }
    const detail = `${from.container}/${from.object} is being replaced again and again`;
    throw new BackendError('Unavailable', detail);
  }

  async #look({ context, from, input }: Copy): Promise<CopySource> {
    try {
      const { head, headers } = await this.reads.look(context, from, { newest: true });
      const range = rangeOf(input.range, head);
      const end = head.link && readEnd(from.account, headers);
      const ref = { ...from, ...end };
      const isOurs = isOurHop(from, ref) || isFirstPlace(from, ref);
      const ledBy = end === undefined || isOurs ? undefined : from;
      return { ref, ledBy, head, headers, range };
    } catch (error) {
      if (!(error instanceof BackendError && error.code === 'NoSuchContainer')) throw error;
      throw new BackendError('NoSuchSourceContainer', error.message, { cause: error });
    }
  }

  async #send(
    copy: Copy,
    source: CopySource,
    described: RequestHeaders,
  ): Promise<CopyOutcome | 'again'> {
    const { context, to, input } = copy;
    const isExclusive = copy.precondition !== undefined;
    const replacedManifest = await this.guards.beforePut(context, to, input);
    if (isExclusive && (await this.#existsUnfiltered(copy))) return PRECONDITION_FAILED;
    const response = await retryWhileBusy(context, to, () =>
      unlessBusy(
        this.deps.transport.request({
          context,
          method: 'PUT',
          ...to,
          headers: {
            ...described,
            ...this.#creationHeaders(copy),
            ...quotaHeaders(copy.input.writeClass),
          },
          body: NOTHING,
          headersTimeoutMs: longestMs(source),
          repeatable: input.guard === undefined && !isExclusive,
        }),
      ),
    );
    if (response.status === 412 || response.status === 404) {
      response.cancel();
      // Another source than the one that was looked at, or none any more.
      if (!(await this.#isSame(copy, source))) return 'again';
      if (response.status === 412) return isExclusive ? PRECONDITION_FAILED : 'again';
      throw new BackendError('NoSuchContainer', `no container ${to.account}/${to.container}`);
    }
    return this.#readOutcome(copy, source, response, replacedManifest);
  }

  async #readOutcome(
    { context, to, input }: Copy,
    source: CopySource,
    response: SwiftResponse,
    replacedManifest: RemovedManifest | undefined,
  ): Promise<CopyOutcome> {
    const answer = await readPutAnswer(to, response, undefined);
    if (answer !== 'created') return { outcome: answer };
    const stored = unquoted(response.headers.get('etag') ?? '');
    if (isPlainCopy(source) && stored !== storedEtag(source)) throw changedOnTheWay(to);
    const { headers } = response;
    const written = { headers, etag: keptEtag(source) ?? stored, replacedManifest };
    return this.guards.afterPut(context, to, input.guard, written);
  }

  /** Without the filter there is no condition on creation: Swift would apply it to the source. */
  #creationHeaders({ precondition }: Copy): RequestHeaders {
    return this.deps.limits.filter === undefined ? {} : creationHeaders(precondition);
  }

  /** Looked at before, then: others may create it meanwhile. */
  async #existsUnfiltered({ context, to }: Copy): Promise<boolean> {
    if (this.deps.limits.filter !== undefined) return false;
    return (await this.objectHeads.itself(context, to)) !== undefined;
  }

  async #isSame(copy: Copy, source: CopySource): Promise<boolean> {
    const now = await this.#look(copy);
    return storedEtag(now) === storedEtag(source);
  }
}

/** Undefined when it is all of the source. @throws BackendError BodyMismatch */
function rangeOf(wanted: ByteRange | undefined, { size }: ObjectHead): ByteRange | undefined {
  if (wanted === undefined) return undefined;
  const { start, end } = wanted;
  if (start >= 0 && start <= end && end < size) {
    return start === 0 && end === size - 1 ? undefined : wanted;
  }
  const detail = `bytes ${start} to ${end} are not inside an object of ${size} bytes`;
  throw new BackendError('BodyMismatch', detail);
}

/** The answer comes when all is copied, and that segment by segment: by far the slowest of disks. */
function longestMs({ head, range }: CopySource): number {
  const bytes = range === undefined ? head.size : range.end - range.start + 1;
  return COPY_MS_MIN + bytes / COPY_BYTES_PER_MS_MIN + (head.segmentCount ?? 0) * SEGMENT_MS_MAX;
}

const COPY_MS_MIN = 60_000;
const COPY_BYTES_PER_MS_MIN = 5_000;
const SEGMENT_MS_MAX = 500;

function changedOnTheWay({ container, object }: ObjectRef): BackendError {
  return new BackendError('Corrupt', `the copy ${container}/${object} has other bytes`);
}

const NOTHING = Buffer.alloc(0);
const PRECONDITION_FAILED: CopyOutcome = { outcome: 'precondition_failed' };
const SOURCE_CHANGED: CopyOutcome = { outcome: 'source_changed' };
