import type {
  ObjectBody,
  ByteRange,
  CallContext,
  GetObjectResult,
  ObjectHead,
  ObjectRef,
  RangeSpec,
  ReadOptions,
  Segment,
} from '../backend.js';
import { BackendError, isCode } from '../errors.js';
import { resolveRange } from '../ranges.js';
import {
  isForeignPointer,
  isIndexBehindLink,
  readFollowedLink,
  readOwnTarget,
  readStoreLink,
} from './links.js';
import { parseEmptySegments, withEmptySegments, readManifest } from './manifests.js';
import { OWN, readSystemValue } from './metadata-headers.js';
import { ITSELF, ITSELF_UNJOINED, type ReadDeps } from './object-heads.js';
import { answerError } from './status-errors.js';
import { readStoredObject } from './stored-object.js';
import {
  deniedError,
  type SwiftResponse,
  type RequestHeaders,
  type SwiftMethod,
} from './transport.js';

/**
 * Bodies up to this size are read before the answer is told of: they come with the headers, as a
 * rule, and a buffer costs a reader less than a stream.
 */
const WHOLE_BYTES_MAX = 16_384;

const EMPTY = Buffer.alloc(0);

/** @throws BackendError Unavailable, Timeout when a small body is not whole */
async function bodyOfAnswer(response: SwiftResponse, length: number): Promise<ObjectBody> {
  if (length > WHOLE_BYTES_MAX) {
    return {
      length,
      source: response.body,
      cancel: () => {
        response.cancel();
      },
    };
  }
  // Its memory has others' bytes in it until it is filled.
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for await (const chunk of response.body) {
    if (at + chunk.length > length) throw otherBytes(`more than ${length} bytes`);
    at += chunk.copy(bytes, at);
  }
  if (at !== length) throw otherBytes(`${at} of ${length} bytes`);
  return wholeBody(bytes);
}

function emptyBody(): ObjectBody {
  return wholeBody(EMPTY);
}

function wholeBody(source: Buffer): ObjectBody {
  return { length: source.length, source, cancel: () => undefined };
}

/** Reads objects. */
export class ObjectReads {
  constructor(private readonly deps: ReadDeps) {}

  /** @throws BackendError NoSuchContainer, NoSuchObject, BrokenLink */
  async head(context: CallContext, ref: ObjectRef, options: ReadOptions = {}): Promise<ObjectHead> {
    if (options.linkItself === true) return this.#headItself(context, ref, options);
    return (await this.look(context, ref, options)).head;
  }

  /** The same, links followed, with all that Swift said. @throws as head */
  async look(
    context: CallContext,
    ref: ObjectRef,
    options: ReadOptions,
  ): Promise<{ readonly head: ObjectHead; readonly headers: ReadonlyMap<string, string> }> {
    const response = await this.#request('HEAD', context, ref, options);
    response.cancel();
    return { head: this.#readHead(ref, response), headers: response.headers };
  }

  async #headItself(
    context: CallContext,
    ref: ObjectRef,
    options: ReadOptions,
  ): Promise<ObjectHead> {
    const response = await this.#requestItself(context, ref, options);
    response.cancel();
    const { head } = readStoredObject(response.headers);
    const target = readOwnTarget(ref, response.headers);
    if (target === undefined) return head;
    const { etag, lastModified, systemMetadata } = head;
    return { ...head, link: { target, etag, lastModified, systemMetadata } };
  }

  /** A manifest that leads to what may not be read can be asked for what it is itself. */
  async #requestItself(
    context: CallContext,
    ref: ObjectRef,
    options: ReadOptions,
  ): Promise<SwiftResponse> {
    try {
      return await this.#request('HEAD', context, ref, options, { query: ITSELF });
    } catch (error) {
      if (!isCode(error, 'Denied')) throw error;
      return this.#request('HEAD', context, ref, options, { query: ITSELF_UNJOINED });
    }
  }

  /** @throws as head; BackendError Corrupt for a large object whose first segment is not there */
  async get(
    context: CallContext,
    ref: ObjectRef,
    range: RangeSpec | undefined,
    options: ReadOptions = {},
  ): Promise<GetObjectResult> {
    const headers = range === undefined ? {} : rangeHeader(range);
    if (headers === 'unsatisfiable') return this.#outOfRange(context, ref, options);
    const response = await this.#request('GET', context, ref, options, { headers });
    if (response.status !== 416 || response.headers.has('etag')) {
      return this.#readResult(ref, range, response);
    }
    // That answer says no more of a dynamic manifest than its size.
    response.cancel();
    return this.#outOfRange(context, ref, options);
  }

  async #outOfRange(
    context: CallContext,
    ref: ObjectRef,
    options: ReadOptions,
  ): Promise<GetObjectResult> {
    const head = await this.head(context, ref, options);
    return { head, range: 'unsatisfiable', body: emptyBody() };
  }

  async #readResult(
    ref: ObjectRef,
    spec: RangeSpec | undefined,
    response: SwiftResponse,
  ): Promise<GetObjectResult> {
    try {
      const head = this.#readHead(ref, response);
      const range = spec === undefined ? undefined : resolveRange(spec, head.size);
      if (range === 'unsatisfiable' || response.status === 416) {
        response.cancel();
        return { head, range: 'unsatisfiable', body: emptyBody() };
      }
      checkRange(range, head, response);
      const length = range === undefined ? head.size : range.end - range.start + 1;
      return { head, range, body: await bodyOfAnswer(response, length) };
    } catch (error) {
      response.cancel();
      throw error;
    }
  }

  /** Undefined for what is no large object. @throws as head */
  async segments(
    context: CallContext,
    ref: ObjectRef,
    options: ReadOptions = {},
  ): Promise<readonly Segment[] | undefined> {
    const query = 'multipart-manifest=get';
    const response = await this.#request('GET', context, ref, options, { query });
    const { headers } = response;
    const empty = parseEmptySegments(readSystemValue(headers, 'object', OWN.emptySegments));
    if (headers.get('x-static-large-object')?.toLowerCase() !== 'true') {
      response.cancel();
      this.#readHead(ref, response);
      return empty.length === 0 ? undefined : withEmptySegments([], empty);
    }
    // The entry that is kept of a segment is longer than the one that was sent.
    const text = await response.text(2 * this.deps.limits.manifestBytesMax);
    return withEmptySegments(readManifest(text), empty);
  }

  /** @throws BackendError Denied for what a filter that does not ask has followed, and for an index */
  #readHead(ref: ObjectRef, { headers }: SwiftResponse): ObjectHead {
    const { head } = readStoredObject(headers);
    const link = readFollowedLink(ref, headers, head);
    const isAsked = this.deps.limits.filter?.hopRights === true;
    if ((!isAsked && isForeignPointer(ref, headers)) || isIndexBehindLink(ref, headers)) {
      throw deniedError(`${ref.account}/${ref.container}/${ref.object}`);
    }
    if (link !== undefined) return { ...head, link };
    const storeLink = readStoreLink(headers);
    return storeLink === undefined ? head : { ...head, storeLink };
  }

  /** An answer that tells of the object: with its body, with a part of it, or with why not. */
  async #request(
    method: SwiftMethod,
    context: CallContext,
    ref: ObjectRef,
    options: ReadOptions,
    more: { readonly query?: string; readonly headers?: RequestHeaders } = {},
  ): Promise<SwiftResponse> {
    const response = await this.deps.transport.request({
      context,
      method,
      ...ref,
      query: more.query,
      headers: {
        ...more.headers,
        ...(options.newest === true && { 'x-newest': 'true' }),
        ...(options.openExpired === true && { 'x-open-expired': 'true' }),
      },
    });
    const { status } = response;
    if (status === 200 || status === 206 || status === 416) return response;
    if (status === 404) throw await this.#missing(context, ref, response);
    const error = await answerError('object', method, ref, response);
    if (status === 409) throw conflictOf(method, ref, response, error);
    throw error;
  }

  /** Swift does not say what is missing: the target of a link, the object or the container. */
  async #missing(
    context: CallContext,
    ref: ObjectRef,
    response: SwiftResponse,
  ): Promise<BackendError> {
    response.cancel();
    if (response.headers.has('content-location')) {
      return broken(ref, isForeignPointer(ref, response.headers));
    }
    await this.deps.heads.head(context, ref);
    return new BackendError('NoSuchObject', `no object ${ref.container}/${ref.object}`);
  }
}

/**
 * The error for a link that cannot be followed, or segments that cannot be joined. Only GET says
 * which of the two, and only GET checks segments. Links to links are of clients of Swift; one that is
 * fixed to another content of its target may be ours.
 */
function conflictOf(
  method: SwiftMethod,
  ref: ObjectRef,
  { headers }: SwiftResponse,
  error: BackendError,
): BackendError {
  const isLink = error.code === 'BrokenLink' || /symlink/i.test(error.message);
  if (method !== 'HEAD' && !isLink) return new BackendError('Corrupt', error.message);
  return broken(ref, !headers.has('content-location') || isForeignPointer(ref, headers));
}

function broken({ container, object }: ObjectRef, isOfClient: boolean): BackendError {
  const message = `${container}/${object} is a link that leads to no object`;
  return new BackendError('BrokenLink', message, { isOfClient });
}

function rangeHeader(spec: RangeSpec): RequestHeaders | 'unsatisfiable' {
  if ('suffix' in spec)
    return spec.suffix > 0 ? { range: `bytes=-${spec.suffix}` } : 'unsatisfiable';
  const { first, last = Infinity } = spec;
  if (last < first) return 'unsatisfiable';
  return { range: `bytes=${first}-${Number.isFinite(last) ? last : ''}` };
}

/**
 * A body is given on as the range that its head names: it has to be that range, and as long. Its
 * connection sees to it that it is as long as its Content-Length.
 * @throws BackendError Unavailable when Swift gives other bytes than it was asked for
 */
function checkRange(
  range: ByteRange | undefined,
  { size }: ObjectHead,
  { status, headers }: SwiftResponse,
): void {
  const given = /^bytes (\d+)-(\d+)\/\d+$/.exec(headers.get('content-range') ?? '');
  if ((status === 206) !== (given !== null)) {
    throw otherBytes(
      `status ${status} and Content-Range ${headers.get('content-range') ?? 'none'}`,
    );
  }
  const [start, end] = given === null ? [0, size - 1] : [Number(given[1]), Number(given[2])];
  const wanted = range ?? { start: 0, end: size - 1 };
  if (start !== wanted.start || end !== wanted.end || (range === undefined && given !== null)) {
    throw new BackendError('Unavailable', 'the object was replaced while it was being read');
  }
  const length = headers.get('content-length');
  if (length !== String(end - start + 1)) {
    throw otherBytes(`Content-Length ${length ?? 'none'} for bytes ${start} to ${end}`);
  }
}

function otherBytes(given: string): BackendError {
  return new BackendError('Unavailable', `Swift's answer is not what was asked for: ${given}`);
}
