import { performance } from 'node:perf_hooks';
import type { CallContext, ContainerHead } from '../backend/backend.js';
import {
  ClientAbortedError,
  type Exchange,
  type ExchangeHandler,
  type HeaderList,
  type HeaderMap,
  type SendResult,
} from '../http/exchange.js';
import { STAGE, type StageClock } from '../telemetry/stage-clock.js';
import { nextRequestId } from '../telemetry/request-id.js';
import type { TrustedProxies } from '../http/trusted-proxies.js';
import type { Addressing } from './addressing.js';
import type { Admission, AdmissionTicket } from './admission.js';
import type { Authentication, Authenticator } from './auth/authenticate.js';
import type { Payload } from './auth/payload.js';
import type { PayloadOptions } from './auth/payload-plan.js';
import type { Principal } from './auth/principal.js';
import { authorise } from './authorisation.js';
import { CrossOrigin } from './cross-origin.js';
import { commonHeaders } from './common-headers.js';
import { bucketOfPath, parseEndpoint, refineByHeaders, type Endpoint } from './endpoint.js';
import { errorResponse } from './error-response.js';
import { asS3Error, isServerFault } from './failures.js';
import type { RequestContext, S3Response, Services } from './operation.js';
import { operationFor } from './operations/index.js';
import type { CorsConfiguration } from './rules/cors/configuration.js';
import { corsHeaders } from './rules/cors/response.js';
import { settleOrStream, type PendingDocument } from './pending-document.js';
import { refuseOverrides } from './rules/response-overrides.js';
import { refuseUnprotected } from './rules/protected-metadata.js';
import { refuseHeadersInQuery, refuseUnsupportedHeaders } from './rules/unsupported-headers.js';
import { UNKNOWN_OPERATION, type RequestRecorder, type ResponseFacts } from './request-record.js';
import { S3Error } from './s3-error.js';
import { watchBody, watchPayload, watchResponse } from './stage-watch.js';

/**
 * The one way of every request:
 *
 *     parse → admit → authenticate → authorise → operation → respond → record
 *
 * What every request gets (ids, common headers, the error document, metrics, the log line of a
 * failure) happens here and nowhere else; operations return data.
 */

export interface PipelineOptions {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly addressing: Addressing;
  readonly admission: Admission;
  readonly proxies: TrustedProxies;
  readonly recorder: RequestRecorder;
  readonly log: PipelineLog;
}

export interface PipelineLog {
  error(fields: object, message: string): void;
}

/** nginx's status for a client that left before the answer; seen in metrics only. */
const CLIENT_CLOSED_REQUEST = 499;
const NOTHING_SENT = { bytesOut: 0, firstByteAt: undefined } as const;
/** Whose fault it was that a response was cut short, by what the edge says of it. */
const ABORTED_BY = { client: 'client', source: 'backend', deadline: 'gateway' } as const;

export function createPipeline(options: PipelineOptions): ExchangeHandler {
  const crossOrigin = new CrossOrigin(options.services.backend, options.authenticator);
  return (exchange) => new RequestRun(options, crossOrigin, exchange).run();
}

/** One request on its way; also the context that its operation sees. */
class RequestRun implements RequestContext, CallContext {
  readonly requestId = nextRequestId();
  /** Only of requests whose stages are measured. A field, so that copies of the context have it. */
  readonly watch: StageClock | undefined;
  #endpoint: Endpoint | undefined;
  #authentication: Authentication | undefined;
  #containerHead: Promise<ContainerHead> | undefined;
  #cors: CorsConfiguration | undefined;
  #ticket: AdmissionTicket | undefined;
  #errorCode: string | undefined;

  constructor(
    private readonly options: PipelineOptions,
    private readonly crossOrigin: CrossOrigin,
    private readonly exchange: Exchange,
  ) {
    this.watch = options.recorder.begin(exchange);
  }

  get services(): Services {
    return this.options.services;
  }

  get endpoint(): Endpoint {
    return known(this.#endpoint);
  }

  get headers(): HeaderMap {
    return known(this.#authentication).headers;
  }

  get principal(): Principal {
    return known(this.#authentication).principal;
  }

  get call(): CallContext {
    return this;
  }

  /** Made only when somebody listens: an AbortController per request is not free. */
  get signal(): AbortSignal {
    return this.exchange.signal;
  }

  get aborted(): boolean {
    return this.exchange.aborted;
  }

  get url(): string {
    const { addressing, proxies } = this.options;
    const { request } = this.exchange;
    return `${proxies.scheme(request)}://${addressing.clientHost(request)}${request.rawPath}`;
  }

  containerHead(): Promise<ContainerHead> {
    return (this.#containerHead ??= this.#headContainer());
  }

  /** Whoever looks at the container learns the bucket's CORS rules, for the response. */
  async #headContainer(): Promise<ContainerHead> {
    const ref = { account: this.principal.account, container: this.endpoint.bucket };
    try {
      const head = await this.services.backend.headContainer(this, ref);
      this.#cors = this.crossOrigin.of(ref, head.systemMetadata);
      return head;
    } catch (error) {
      this.#cors = this.crossOrigin.last(ref, error);
      throw error;
    }
  }

  openPayload(options?: PayloadOptions): Payload {
    const authentication = known(this.#authentication);
    const { body } = this.exchange;
    if (this.watch === undefined) return authentication.openPayload(body, options);
    const payload = authentication.openPayload(watchBody(body, this.watch), options);
    return watchPayload(payload, this.watch);
  }

  async run(): Promise<void> {
    let response: S3Response | undefined;
    try {
      response = await this.#answer();
      const admitted = this.#ticket?.enterDownload(response);
      if (admitted !== undefined) await this.#wait(admitted);
      if (response.failures !== undefined) {
        this.#logFailures(response.failures, 'a part of a request failed');
      }
    } catch (error) {
      response = this.#failure(error);
      // Who is sent away under load is not worth a call of the store.
      if (this.#authentication === undefined && this.#errorCode !== 'SlowDown') {
        this.#cors = await this.#corsOfRefused();
      }
    }
    try {
      await this.#respond(response);
    } finally {
      this.#ticket?.leave();
    }
  }

  async #answer(): Promise<S3Response> {
    const { request } = this.exchange;
    if (request.malformed !== undefined) {
      throw new S3Error('InvalidRequest', request.malformed);
    }
    const { method, rawPath, rawQuery } = request;
    const hostBucket = this.options.addressing.hostBucket(request);
    const parsed = parseEndpoint(method, rawPath, rawQuery, hostBucket);
    this.#endpoint = parsed;
    if (parsed.operation === 'PreflightRequest') {
      // Before anybody is known: a browser sends no credentials with it.
      return this.crossOrigin.preflight(this, request, parsed);
    }
    this.#ticket = this.options.admission.ticket();
    const admitted = this.#ticket.enter(parsed.operation, this.exchange.body.contentLength);
    if (admitted !== undefined) await this.#wait(admitted);
    this.watch?.enter(STAGE.auth);
    this.#authentication = await this.#authenticate(parsed, hostBucket);
    this.options.admission.checkRate(this.principal.accessKey);
    this.watch?.enter(STAGE.authorise);
    if (request.headers.has('origin') && parsed.bucket !== '') {
      // Before the operation, which may remove the bucket.
      await this.containerHead().catch(ignore);
    }
    const endpoint = refineByHeaders(parsed, this.headers);
    this.#endpoint = endpoint;
    if (this.principal.role === 'anonymous') refuseOverrides(endpoint.query);
    const asked = authorise(this);
    if (asked !== undefined) await asked;
    this.watch?.enter(STAGE.route);
    const operation = operationFor(endpoint);
    refuseUnsupportedHeaders(endpoint.operation, this.headers);
    refuseHeadersInQuery(endpoint.query.parameters, this.headers);
    refuseUnprotected(this.services.backend.capabilities, endpoint.operation, this.headers);
    this.watch?.enter(STAGE.render);
    const response = await operation(this);
    return response.pending === undefined ? response : this.#settle(response, response.pending);
  }

  /** Until it is admitted. */
  async #wait(admitted: Promise<void>): Promise<void> {
    this.watch?.enter(STAGE.wait);
    await admitted;
  }

  /** What fails after the answer has begun is logged and counted as if it had failed before. */
  async #settle(response: S3Response, pending: PendingDocument): Promise<S3Response> {
    const failed = (error: unknown): string => {
      const body = this.#failure(error)?.body;
      return typeof body === 'string' ? body : '';
    };
    const { body, headers } = await settleOrStream(pending, failed);
    return { ...response, headers: [...response.headers, ...headers], body };
  }

  async #authenticate({ query }: Endpoint, hostBucket: string): Promise<Authentication> {
    try {
      const { authenticator } = this.options;
      return await authenticator.authenticate(this.exchange.request, query.parameters, hostBucket);
    } catch (error) {
      if (error instanceof S3Error) this.options.recorder.authFailed(error.code);
      throw error;
    }
  }

  /** The answer to a failure; undefined when nobody is there to read it. */
  #failure(thrown: unknown): S3Response | undefined {
    this.watch?.enter(STAGE.unattributed);
    if (thrown instanceof ClientAbortedError || this.exchange.aborted) return undefined;
    const error = asS3Error(thrown);
    this.#errorCode = error.code;
    this.#logFailures([error], 'a request failed');
    return errorResponse(error, this.#endpoint, this.exchange.request.method, this.requestId);
  }

  /** The rules for the refusal of a request that has not come far enough to be let in. */
  async #corsOfRefused(): Promise<CorsConfiguration | undefined> {
    const { request } = this.exchange;
    if (!request.headers.has('origin') || request.malformed !== undefined) return undefined;
    if (this.#endpoint?.operation === 'PreflightRequest') return undefined;
    const hostBucket = this.options.addressing.hostBucket(request);
    const bucket = this.#endpoint?.bucket ?? bucketOfPath(request.rawPath, hostBucket);
    return bucket === '' ? undefined : this.crossOrigin.find(this, request, bucket);
  }

  /** One line for those that are the service's fault. */
  #logFailures(failures: readonly S3Error[], message: string): void {
    const ours = failures.filter(isServerFault);
    const [error] = ours;
    if (error === undefined) return;
    this.options.log.error(
      {
        request_id: this.requestId,
        remote: this.options.proxies.clientAddress(this.exchange.request),
        operation: this.#endpoint?.operation ?? UNKNOWN_OPERATION,
        error_code: error.code,
        err: error.cause ?? error,
        ...(ours.length > 1 ? { failures: ours.length } : {}),
      },
      message,
    );
  }

  async #respond(response: S3Response | undefined): Promise<void> {
    const { exchange } = this;
    if (response === undefined) {
      exchange.cut();
      this.#record({ ...NOTHING_SENT, status: CLIENT_CLOSED_REQUEST, abortedBy: 'client' });
      return;
    }
    this.watch?.enter(STAGE.write);
    const firstByteAt = performance.now();
    const sent = await this.#send(response);
    if (sent.abortedBy === 'source' && sent.error !== undefined) {
      this.options.log.error(
        { request_id: this.requestId, operation: this.#endpoint?.operation, err: sent.error },
        'a response was cut short',
      );
    }
    this.#record({
      status: response.status,
      bytesOut: sent.bytesSent,
      abortedBy: sent.abortedBy && ABORTED_BY[sent.abortedBy],
      firstByteAt,
    });
  }

  /** @throws InvalidResponseError for a response that HTTP cannot carry: the edge answers 500 */
  async #send(response: S3Response): Promise<SendResult> {
    try {
      return await this.exchange.respond({
        status: response.status,
        headers: [...response.headers, ...this.#corsHeaders(), ...commonHeaders(this.requestId)],
        body: watchResponse(response.body, this.watch),
        contentLength: response.contentLength,
      });
    } catch (error) {
      this.#errorCode = 'InternalError';
      this.#record({ ...NOTHING_SENT, status: 500, abortedBy: null });
      throw error;
    }
  }

  #corsHeaders(): HeaderList {
    const { method, headers } = this.exchange.request;
    return corsHeaders(method, headers, this.#cors);
  }

  #record(response: ResponseFacts): void {
    const { requestId, exchange, watch } = this;
    this.options.recorder.end(
      {
        requestId,
        exchange,
        watch,
        endpoint: this.#endpoint,
        principal: this.#authentication?.principal,
        errorCode: this.#errorCode,
      },
      response,
    );
  }
}

function ignore(): void {
  // Somebody else meets the same failure, and reports it.
}

/** The pipeline's own order guarantees it: an operation runs after parsing and authentication. */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the request has not come that far');
  return value;
}
