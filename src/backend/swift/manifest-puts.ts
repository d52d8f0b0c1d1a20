import { mapLimited } from '../../lib/promises.js';
import type {
  CallContext,
  ObjectRef,
  Segment,
  ManifestInput,
  PutOutcome,
  WritePrecondition,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { parseJson } from '../../lib/parse-json.js';
import type { Guards } from './guards.js';
import { listingHeaders } from './listing-requests.js';
import { segmentPath, renderEmptySegments } from './manifests.js';
import { deleteAtHeaders, OWN } from './metadata-headers.js';
import type { ObjectHeads, ReadDeps } from './object-heads.js';
import {
  answerOf,
  creationHeaders,
  quotaHeaders,
  type PutAnswer,
  refuseEtagCondition,
} from './put-answer.js';
import { statusError } from './status-errors.js';
import { EMPTY_MD5, largeObjectEtag, putHeaders, unquoted } from './stored-object.js';
import { type RequestHeaders, type SwiftRequest, isBusy, retryWhileBusy } from './transport.js';

/**
 * The answer of Swift's slo middleware to a manifest, in JSON: asked for by `Accept`, and always
 * where the answer began with a heartbeat, whose status says nothing.
 */
interface ManifestAnswer {
  /** The status of the PUT itself. */
  readonly status: number;
  /** The segments in error: the path, percent-encoded, and a status or a few words. */
  readonly problems: readonly (readonly [path: string, problem: string])[];
}

/** Room for 10,000 segments, each with the longest path and a problem. */
const MANIFEST_ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The end of an answer with a heartbeat: blanks, which kept the connection alive, then a document.
 * @throws BackendError Unavailable when it ended before that: the outcome of the PUT is unknown
 */
export function readHeartbeatAnswer(text: string): ManifestAnswer {
  const document = parse(text);
  const said = document?.['Response Status'];
  const status = Number(/^\d{3}/.exec(typeof said === 'string' ? said : '')?.[0]);
  if (document === undefined || Number.isNaN(status)) {
    throw new BackendError('Unavailable', 'the answer to a manifest ended before it said anything');
  }
  return { status, problems: problemsOf(document) };
}

/** An answer without a heartbeat, which may be about something else than segments. */
function readManifestAnswer(status: number, text: string): ManifestAnswer {
  return { status, problems: problemsOf(parse(text)) };
}

/**
 * A segment that cannot be looked at now is no reason to call it another one.
 * @returns undefined when the segments are not to blame
 */
function segmentError({ problems }: ManifestAnswer): BackendError | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const wrong = problems.find(([, problem]) => !UNKNOWN.test(problem));
  const [path, problem] = wrong ?? first;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  const code = wrong === undefined ? 'Unavailable' : 'SegmentMismatch';
  return new BackendError(code, `segment ${path}: ${problem}${more}`);
}

/** Statuses of the HEAD that say nothing of the segment. */
const UNKNOWN = /^(?:401|403|408|429|498|5\d\d) /;

type Document = Readonly<Record<string, unknown>>;

function parse(text: string): Document | undefined {
  const document = parseJson(text);
  return typeof document === 'object' && document !== null ? (document as Document) : undefined;
}

function problemsOf(document: Document | undefined): ManifestAnswer['problems'] {
  const errors = document?.Errors;
  if (!Array.isArray(errors)) return [];
  return errors.map((each: unknown) => {
    const [path, problem] = Array.isArray(each) ? (each as unknown[]) : [];
    return [String(path), String(problem)] as const;
  });
}

/** Swift itself looks at this many of a manifest at once, times its workers. */
const CONCURRENCY = 8;
const SEGMENTS = '+segments';

/**
 * Checks what Swift does not: no segment may be a large object or a link, which Swift would replace
 * by their content, or empty, which Swift refuses. The gateway writes neither to a companion
 * container, so segments in companions need no request; a link that another client has put there is
 * refused by the filter when Swift looks at the segments.
 *
 * @throws BackendError SegmentMismatch
 */
async function checkSegments(
  objectHeads: ObjectHeads,
  context: CallContext,
  ref: ObjectRef,
  segments: readonly Segment[],
): Promise<void> {
  const doubtful = new Map<string, Segment>();
  for (const segment of segments) {
    const { container, object, size } = segment;
    if (container === ref.container && object === ref.object) throw segmentMismatch(segment);
    if (size === 0 || !container.endsWith(SEGMENTS)) doubtful.set(segmentPath(segment), segment);
  }
  await mapLimited([...doubtful.values()], CONCURRENCY, async (segment) => {
    const { container, object, size, etag } = segment;
    const found = await objectHeads.itself(context, { account: ref.account, container, object });
    const head = found?.stored.head;
    const isPlain =
      head !== undefined && head.segmentCount === undefined && !isLink(found?.headers);
    if (!isPlain || head.size !== size || head.etag !== etag) throw segmentMismatch(segment);
  });
}

function isLink(headers: ReadonlyMap<string, string> | undefined): boolean {
  return headers?.has('x-symlink-target') === true;
}

function segmentMismatch(segment: Segment): BackendError {
  const detail = `segment ${segmentPath(segment)} is not an object of this size and ETag`;
  return new BackendError('SegmentMismatch', detail);
}

/**
 * From this many segments on, the proxy is asked to keep the connection alive while it checks them:
 * two at a time by default, some milliseconds each.
 */
const HEARTBEAT_SEGMENTS_MIN = 200;

/** A put with what its caller asked for. */
interface Put {
  readonly context: CallContext;
  readonly ref: ObjectRef;
  readonly input: ManifestInput;
  readonly precondition: WritePrecondition | undefined;
}

interface Answered {
  readonly answer: PutAnswer;
  /** None behind a heartbeat. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Stores large objects, as static large objects of Swift's. */
export class ManifestPuts {
  constructor(
    private readonly deps: ReadDeps,
    private readonly objectHeads: ObjectHeads,
    private readonly guards: Guards,
  ) {}

  /**
   * Stores a manifest. Swift checks the segments before it stores the manifest: if one is replaced
   * or deleted in between, the large object cannot be read from that segment on.
   * @throws BackendError NoSuchContainer, GuardMissing, SegmentMismatch, StorageFull; Unsupported
   *   for too many segments, and for a precondition on an ETag; Unavailable and Timeout, when the
   *   outcome is unknown
   */
  async put(
    context: CallContext,
    ref: ObjectRef,
    input: ManifestInput,
    precondition: WritePrecondition | undefined,
  ): Promise<PutOutcome> {
    refuseEtagCondition(ref, precondition);
    this.#checkCount(input.segments.length);
    await checkSegments(this.objectHeads, context, ref, input.segments);
    const replacedManifest = await this.guards.beforePut(context, ref, input);
    const { answer, headers } = await this.#send({ context, ref, input, precondition });
    if (answer !== 'created') return { outcome: answer };
    const written = { headers, etag: this.#etagOf(input, headers), replacedManifest };
    return this.guards.afterPut(context, ref, input.guard, written);
  }

  #checkCount(count: number): void {
    const max = this.deps.limits.manifestSegmentsMax;
    if (count >= 1 && count <= max) return;
    const detail = `a large object has 1 to ${max} segments, not ${count}`;
    throw new BackendError('Unsupported', detail);
  }

  async #send(put: Put): Promise<Answered> {
    const { context, ref, precondition } = put;
    const named = put.input.segments.filter(({ size }) => size > 0);
    const request = { ...this.#request(put, named), headers: this.#headers(put, named) };
    return retryWhileBusy(context, ref, async () => {
      const response = await this.deps.transport.request(request);
      const { status, headers } = response;
      const isCertain = status !== 202 || !hasHeartbeat(named);
      if (isBusy(response)) {
        response.cancel();
        return 'busy';
      }
      if (isCertain && status === 201) {
        response.cancel();
        return { answer: 'created', headers };
      }
      const text = await response.text(MANIFEST_ANSWER_BYTES_MAX);
      const answered = isCertain ? readManifestAnswer(status, text) : readHeartbeatAnswer(text);
      const answer = answerOf(answered.status, precondition);
      if (answer !== undefined) return { answer, headers: isCertain ? headers : NO_HEADERS };
      // In an answer with a heartbeat, the filter's headers are missing.
      if (!isCertain && answered.status === 409 && precondition !== undefined) return 'busy';
      const subject = `PUT ${ref.account}/${ref.container}/${ref.object}`;
      const retryAfter = headers.get('retry-after');
      throw (
        segmentError(answered) ??
        statusError('manifest_put', answered.status, subject, text, retryAfter)
      );
    });
  }

  /**
   * The request. A large object without bytes is stored as an ordinary object: a manifest needs a
   * first segment.
   */
  #request({ context, ref }: Put, named: readonly Segment[]): SwiftRequest {
    const request = { context, method: 'PUT', ...ref } as const;
    if (named.length === 0) return { ...request, body: Buffer.alloc(0) };
    const list = named.map((segment) => ({
      path: segmentPath(segment),
      size_bytes: segment.size,
      etag: segment.etag,
    }));
    const query = hasHeartbeat(named) ? `${MANIFEST_QUERY}&heartbeat=on` : MANIFEST_QUERY;
    return { ...request, query, body: Buffer.from(JSON.stringify(list)) };
  }

  #headers({ input, precondition }: Put, named: readonly Segment[]): RequestHeaders {
    const { contentType, headers, metadata, etag } = input;
    const { segments, listingAttributes: attributes } = input;
    const empty = renderEmptySegments(segments);
    const systemMetadata =
      empty === undefined
        ? input.systemMetadata
        : { ...input.systemMetadata, [OWN.emptySegments]: empty };
    const segmentCount = segments.length;
    const described = { contentType, headers, metadata, systemMetadata, etag, segmentCount };
    const md5 = named.length === 0 ? EMPTY_MD5 : undefined;
    return {
      accept: 'application/json',
      ...putHeaders(described, this.deps.limits),
      ...(this.deps.limits.filter !== undefined && listingHeaders({ md5, etag, attributes })),
      ...deleteAtHeaders(input.deleteAt),
      ...creationHeaders(precondition),
      ...quotaHeaders(input.writeClass),
    };
  }

  /**
   * The ETag that later reads return: without the filter, the one that Swift computes from the
   * segments.
   */
  #etagOf({ etag }: ManifestInput, headers: ReadonlyMap<string, string>): string {
    if (this.deps.limits.filter !== undefined) return etag;
    return largeObjectEtag(unquoted(headers.get('etag') ?? ''));
  }
}

function hasHeartbeat(named: readonly Segment[]): boolean {
  return named.length >= HEARTBEAT_SEGMENTS_MIN;
}

const MANIFEST_QUERY = 'multipart-manifest=put';
const NO_HEADERS: ReadonlyMap<string, string> = new Map();
