import { hash } from 'node:crypto';
import type {
  CallContext,
  ObjectRef,
  ObjectSeal,
  PutObjectInput,
  PutOutcome,
  RemovedManifest,
  WritePrecondition,
} from '../backend.js';
import { collectBody, isSized, withSize, type Intake, type SizedIntake } from '../body-intake.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { joined } from '../metadata-patch.js';
import { deleteAtHeaders } from './metadata-headers.js';
import {
  encodeFooters,
  FOOTERS_BYTES,
  FOOTERS_HEADER,
  heldBody,
  sealedStream,
  sealFooters,
} from './sealed-body.js';
import type { Guards } from './guards.js';
import { listingHeaders } from './listing-requests.js';
import { isMd5, type Description, putHeaders, unquoted } from './stored-object.js';
import type { ReadDeps } from './object-heads.js';
import {
  creationHeaders,
  orderHeaders,
  quotaHeaders,
  type PutAnswer,
  readPutAnswer,
  refuseEtagCondition,
} from './put-answer.js';
import {
  type RequestBody,
  type RequestHeaders,
  type SwiftResponse,
  unlessBusy,
  retryWhileBusy,
} from './transport.js';

/**
 * Bodies up to this size are collected: sealed before the request, checked by Swift against their
 * MD5, and sent again when a connection breaks. Larger ones are sent as they come.
 */
export const COLLECTED_BYTES_MAX = 65_536;

/** A put with what its caller asked for. */
interface Put {
  readonly context: CallContext;
  readonly ref: ObjectRef;
  readonly input: PutObjectInput;
  readonly precondition: WritePrecondition | undefined;
}

/** The outcome of sending a body. */
interface Sent {
  readonly answer: PutAnswer;
  readonly headers: ReadonlyMap<string, string>;
  /** The ETag that later reads return. */
  readonly etag: string;
  readonly replacedManifest: RemovedManifest | undefined;
}

/** Stores objects. */
export class ObjectPuts {
  constructor(
    private readonly deps: ReadDeps,
    private readonly guards: Guards,
    /** Whether segments of what a small write replaces are left to the janitor. */
    private readonly segmentsAreSwept: boolean,
  ) {}

  /**
   * @throws BackendError NoSuchContainer, GuardMissing, BodyMismatch, StorageFull; Unsupported for
   *   a precondition on an ETag; Unavailable and Timeout, when the outcome is unknown; what the
   *   body throws
   */
  async put(
    context: CallContext,
    ref: ObjectRef,
    input: PutObjectInput,
    precondition: WritePrecondition | undefined,
  ): Promise<PutOutcome> {
    refuseEtagCondition(ref, precondition);
    const put = { context, ref, input, precondition };
    const given = { body: input.body, size: input.size, context };
    const { answer, ...written } = await withSize(given, COLLECTED_BYTES_MAX, (intake) =>
      isSized(intake) && (Buffer.isBuffer(intake.body) || intake.size <= COLLECTED_BYTES_MAX)
        ? this.#sendWhole(put, intake)
        : this.#sendStream(put, intake),
    );
    if (answer !== 'created') return { outcome: answer };
    return this.guards.afterPut(context, ref, input.guard, written);
  }

  async #sendWhole(put: Put, intake: SizedIntake): Promise<Sent> {
    const { context, ref, input } = put;
    const body = await collectBody(intake);
    const seal = input.seal?.();
    throwIfAborted(context);
    // A look at what is replaced would be half of the work that a small write is, and nearly always
    // in vain.
    const { replacedManifest } = this.segmentsAreSwept
      ? await this.guards.beforeBlindPut(context, input.guard)
      : { replacedManifest: await this.guards.beforePut(context, ref, input, put.precondition) };
    // A seal brings the MD5, as a rule; if it is none, Swift says so.
    let md5 = seal?.etag !== undefined && isMd5(seal.etag) ? seal.etag : hash('md5', body);
    let response = await this.#sendSealed(put, body, seal, md5);
    if (response.status === 422 && md5 === seal?.etag) {
      md5 = hash('md5', body);
      if (md5 !== seal.etag) {
        response.cancel();
        response = await this.#sendSealed(put, body, seal, md5);
      }
    }
    const answer = await readPutAnswer(ref, response, put.precondition);
    if (answer === 'created') requireEtag(ref, md5, response);
    return { answer, headers: response.headers, etag: seal?.etag ?? md5, replacedManifest };
  }

  #sendSealed(
    put: Put,
    body: Buffer,
    seal: ObjectSeal | undefined,
    md5: string,
  ): Promise<SwiftResponse> {
    const { input } = put;
    const etag = seal?.etag === md5 ? undefined : seal?.etag;
    const attributes = joined(input.listingAttributes, seal?.listingAttributes);
    const systemMetadata = joined(input.systemMetadata, seal?.systemMetadata);
    const headers = {
      ...this.#describe(input, { systemMetadata, etag }),
      ...listingHeaders({ md5, etag, attributes }),
      etag: md5,
    };
    return retryWhileBusy(put.context, put.ref, () =>
      unlessBusy(this.#request(put, headers, body)),
    );
  }

  async #sendStream(put: Put, intake: Intake): Promise<Sent> {
    const { ref, input } = put;
    const { systemMetadata, listingAttributes } = input;
    const { limits } = this.deps;
    const stream = sealedStream({ ...input, body: intake.body });
    const hasFooters = stream.seal !== undefined && limits.filter !== undefined;
    let seal: ObjectSeal | undefined;
    let replacedManifest: RemovedManifest | undefined;
    const source = heldBody({ ...intake, body: stream.body }, async () => {
      seal = stream.seal?.();
      replacedManifest = await this.guards.beforePut(put.context, ref, input, put.precondition);
      if (!hasFooters || seal === undefined) return undefined;
      return encodeFooters(sealFooters(seal, listingAttributes, limits));
    });
    const headers = {
      ...this.#describe(input, { systemMetadata }),
      ...(hasFooters && FOOTERS_HEADERS),
    };
    const footersBytes = hasFooters ? FOOTERS_BYTES : 0;
    const size = isSized(intake) ? intake.size + footersBytes : undefined;
    const response = await this.#request(put, headers, { source, size });
    const answer = await readPutAnswer(ref, response, put.precondition);
    const md5 = seal?.etag !== undefined && isMd5(seal.etag) ? seal.etag : undefined;
    if (answer === 'created' && md5 !== undefined) requireEtag(ref, md5, response);
    const etag = seal?.etag ?? unquoted(response.headers.get('etag') ?? '');
    return { answer, headers: response.headers, etag, replacedManifest };
  }

  #describe(
    { contentType, headers, metadata, deleteAt }: PutObjectInput,
    more: Pick<Description, 'systemMetadata' | 'etag'>,
  ): RequestHeaders {
    const described = { contentType, headers, metadata, ...more };
    return { ...putHeaders(described, this.deps.limits), ...deleteAtHeaders(deleteAt) };
  }

  #request(
    { context, ref, input, precondition }: Put,
    headers: RequestHeaders,
    body: RequestBody,
  ): Promise<SwiftResponse> {
    return this.deps.transport.request({
      context,
      method: 'PUT',
      ...ref,
      headers: {
        ...headers,
        ...creationHeaders(precondition),
        ...orderHeaders(input.order),
        ...quotaHeaders(input.writeClass),
      },
      body,
      // A write that depends on nothing may be repeated: to write the same again changes nothing.
      repeatable: Buffer.isBuffer(body) && precondition === undefined && input.guard === undefined,
    });
  }
}

/**
 * A filter takes the ETag away, for the footers may have another one. A proxy that has none would
 * take the footers for content: it finds that the body is not what it was said to be.
 */
const FOOTERS_HEADERS: RequestHeaders = {
  [FOOTERS_HEADER]: String(FOOTERS_BYTES),
  etag: '0'.repeat(32),
};

/** Swift has compared it before, where it was told in time. @throws BackendError Corrupt */
function requireEtag(ref: ObjectRef, md5: string, { headers }: SwiftResponse): void {
  const stored = unquoted(headers.get('etag') ?? '');
  if (stored === md5) return;
  const detail = `the body of ${ref.container}/${ref.object} was stored with MD5 ${stored}`;
  throw new BackendError('Corrupt', `${detail} instead of ${md5}`);
}
