import type {
  CallContext,
  ManifestInput,
  ObjectRef,
  PutOutcome,
  Segment,
  WritePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { deleteAtHeaders } from './expiry-headers.js';
import type { Guards } from './guards.js';
import { listingHeaders } from './listing-entry.js';
import {
  MANIFEST_ANSWER_BYTES_MAX,
  readHeartbeatAnswer,
  readManifestAnswer,
  segmentError,
} from './manifest-answer.js';
import { EMPTY_MD5 } from './md5.js';
import type { ObjectLooks } from './object-looks.js';
import {
  answerOf,
  creationHeaders,
  type PutAnswer,
  refuseEtagCondition,
  timeOfPut,
} from './put-answer.js';
import { checkSegments } from './segment-checks.js';
import { renderEmptySegments, segmentPath } from './segment-names.js';
import { statusError } from './status-errors.js';
import { largeObjectEtag, putHeaders, unquoted } from './stored-object.js';
import { OWN } from './system-metadata.js';
import type { RequestHeaders, SwiftRequest } from './transport.js';
import { isBusy, whileBusy } from './while-busy.js';
import type { ReadParts } from './read-parts.js';

/**
 * From here on the proxy is asked to keep the connection alive while it looks at the segments: two
 * at a time by default, at some milliseconds each.
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
    private readonly parts: ReadParts,
    private readonly looks: ObjectLooks,
    private readonly guards: Guards,
  ) {}

  /**
   * Swift looks at the segments before it stores the manifest: one that is replaced or deleted in
   * between leaves a large object that cannot be read from there on.
   * @throws BackendError NoSuchContainer, GuardMissing, SegmentMismatch, StorageFull; Unsupported for
   *   too many segments, and for a precondition on an ETag; Unavailable and Timeout, when nobody
   *   knows what became of it
   */
  async put(
    context: CallContext,
    ref: ObjectRef,
    input: ManifestInput,
    precondition: WritePrecondition | undefined,
  ): Promise<PutOutcome> {
    refuseEtagCondition(ref, precondition);
    this.#checkCount(input.segments.length);
    await checkSegments(this.looks, context, ref, input.segments);
    const [replacedManifest] = await Promise.all([
      this.looks.manifest(context, ref),
      this.guards.check(context, input.guard),
    ]);
    throwIfAborted(context);
    const { answer, headers } = await this.#send({ context, ref, input, precondition });
    if (answer !== 'created') return { outcome: answer };
    const lastModified = await timeOfPut(this.looks, context, ref, headers);
    await this.guards.consume(context, input.guard, ref);
    const etag = this.#etagOf(input, headers);
    const created = { outcome: 'created', etag, lastModified } as const;
    return replacedManifest === undefined ? created : { ...created, replacedManifest };
  }

  #checkCount(count: number): void {
    const max = this.parts.limits.manifestSegmentsMax;
    if (count >= 1 && count <= max) return;
    const detail = `a large object has 1 to ${max} segments, not ${count}`;
    throw new BackendError('Unsupported', detail);
  }

  async #send(put: Put): Promise<Answered> {
    const { context, ref, precondition } = put;
    const named = put.input.segments.filter(({ size }) => size > 0);
    const request = { ...this.#request(put, named), headers: this.#headers(put, named) };
    return whileBusy(context, ref, async () => {
      const response = await this.parts.transport.request(request);
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
      // Behind a heartbeat, what the filter says of it is not to be seen.
      if (!isCertain && answered.status === 409 && precondition !== undefined) return 'busy';
      const subject = `PUT ${ref.account}/${ref.container}/${ref.object}`;
      const retryAfter = headers.get('retry-after');
      throw (
        segmentError(answered) ??
        statusError('manifest_put', answered.status, subject, text, retryAfter)
      );
    });
  }

  /** Of no bytes, an ordinary object: a manifest has a first segment. */
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
      ...putHeaders(described, this.parts.limits),
      ...(this.parts.limits.filter !== undefined && listingHeaders({ md5, etag, attributes })),
      ...deleteAtHeaders(input.deleteAt),
      ...creationHeaders(precondition),
    };
  }

  /** As later reads tell it: without the filter, what Swift makes of the segments. */
  #etagOf({ etag }: ManifestInput, headers: ReadonlyMap<string, string>): string {
    if (this.parts.limits.filter !== undefined) return etag;
    return largeObjectEtag(unquoted(headers.get('etag') ?? ''));
  }
}

function hasHeartbeat(named: readonly Segment[]): boolean {
  return named.length >= HEARTBEAT_SEGMENTS_MIN;
}

const MANIFEST_QUERY = 'multipart-manifest=put';
const NO_HEADERS: ReadonlyMap<string, string> = new Map();
