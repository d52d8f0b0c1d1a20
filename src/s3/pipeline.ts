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
import type { FinishedRequest } from '../telemetry/metrics.js';
import { hostId, nextRequestId } from '../telemetry/request-id.js';
import type { TrustedProxies } from '../http/trusted-proxies.js';
import type { Addressing } from './addressing.js';
import type { Authentication, Authenticator } from './auth/authenticate.js';
import type { Payload } from './auth/payload.js';
import type { PayloadOptions } from './auth/payload-plan.js';
import type { Principal } from './auth/principal.js';
import { authorise } from './authorisation.js';
import { CrossOrigin } from './cross-origin.js';
import { bucketOfPath, parseEndpoint, refineByHeaders, type Endpoint } from './endpoint.js';
import { errorResponse } from './error-response.js';
import { asS3Error, isServerFault } from './failures.js';
import type { RequestContext, S3Response, Services } from './operation.js';
import { operationFor } from './operations/index.js';
import type { CorsConfiguration } from './rules/cors/configuration.js';
import { corsHeaders } from './rules/cors/response.js';
import { settleOrStream, type PendingDocument } from './pending-document.js';
import { refuseOverrides } from './rules/response-overrides.js';
import { refuseHeadersInQuery, refuseUnsupportedHeaders } from './rules/unsupported-headers.js';
import { S3Error } from './s3-error.js';

/**
 * The one way of every request:
 *
 *     parse → authenticate → authorise → operation → respond → record
 *
 * What every request gets (ids, common headers, the error document, metrics, the log line of a
 * failure) happens here and nowhere else; operations return data.
 */

export interface PipelineOptions {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly addressing: Addressing;
  readonly proxies: TrustedProxies;
  readonly metrics: PipelineMetrics;
  readonly log: PipelineLog;
}

/** The part of the telemetry that the pipeline feeds. */
export interface PipelineMetrics {
  requestStarted(): void;
  requestFinished(record: FinishedRequest): void;
  authFailed(reason: string): void;
}

export interface PipelineLog {
  error(fields: object, message: string): void;
}

/** Until the request line is understood. */
const UNKNOWN_OPERATION = 'Unknown';
/** nginx's status for a client that left before the answer; seen in metrics only. */
const CLIENT_CLOSED_REQUEST = 499;

export function createPipeline(options: PipelineOptions): ExchangeHandler {
  const crossOrigin = new CrossOrigin(options.services.backend, options.authenticator);
  return (exchange) => new RequestRun(options, crossOrigin, exchange).run();
}

/** One request on its way; also the context that its operation sees. */
class RequestRun implements RequestContext, CallContext {
  readonly requestId = nextRequestId();
  #endpoint: Endpoint | undefined;
  #authentication: Authentication | undefined;
  #containerHead: Promise<ContainerHead> | undefined;
  #cors: CorsConfiguration | undefined;
  #errorCode: string | undefined;

  constructor(
    private readonly options: PipelineOptions,
    private readonly crossOrigin: CrossOrigin,
    private readonly exchange: Exchange,
  ) {}

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
    return known(this.#authentication).openPayload(this.exchange.body, options);
  }

  async run(): Promise<void> {
    this.options.metrics.requestStarted();
    let response: S3Response | undefined;
    try {
      response = await this.#answer();
      if (response.failures !== undefined) {
        this.#logFailures(response.failures, 'a part of a request failed');
      }
    } catch (error) {
      response = this.#failure(error);
      if (this.#authentication === undefined) this.#cors = await this.#corsOfRefused();
    }
    await this.#respond(response);
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
    this.#authentication = await this.#authenticate(parsed, hostBucket);
    if (request.headers.has('origin') && parsed.bucket !== '') {
      // Before the operation, which may remove the bucket.
      await this.containerHead().catch(ignore);
    }
    const endpoint = refineByHeaders(parsed, this.headers);
    this.#endpoint = endpoint;
    if (this.principal.role === 'anonymous') refuseOverrides(endpoint.query);
    const asked = authorise(this);
    if (asked !== undefined) await asked;
    const operation = operationFor(endpoint);
    refuseUnsupportedHeaders(endpoint.operation, this.headers);
    refuseHeadersInQuery(endpoint.query.parameters, this.headers);
    const response = await operation(this);
    return response.pending === undefined ? response : this.#settle(response, response.pending);
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
      if (error instanceof S3Error) this.options.metrics.authFailed(error.code);
      throw error;
    }
  }

  /** The answer to a failure; undefined when nobody is there to read it. */
  #failure(thrown: unknown): S3Response | undefined {
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
      this.#record(CLIENT_CLOSED_REQUEST, 0, true, undefined);
      return;
    }
    const firstByteAt = performance.now();
    const sent = await this.#send(response);
    if (sent.abortedBy === 'source' && sent.error !== undefined) {
      this.options.log.error(
        { request_id: this.requestId, operation: this.#endpoint?.operation, err: sent.error },
        'a response was cut short',
      );
    }
    this.#record(response.status, sent.bytesSent, sent.abortedBy === 'client', firstByteAt);
  }

  /** @throws InvalidResponseError for a response that HTTP cannot carry: the edge answers 500 */
  async #send(response: S3Response): Promise<SendResult> {
    try {
      return await this.exchange.respond({
        status: response.status,
        headers: [...response.headers, ...this.#corsHeaders(), ...this.#commonHeaders()],
        body: response.body,
        contentLength: response.contentLength,
      });
    } catch (error) {
      this.#errorCode = 'InternalError';
      this.#record(500, 0, false, undefined);
      throw error;
    }
  }

  #corsHeaders(): HeaderList {
    const { method, headers } = this.exchange.request;
    return corsHeaders(method, headers, this.#cors);
  }

  #commonHeaders(): readonly (readonly [string, string])[] {
    return [
      ['x-amz-request-id', this.requestId],
      ['x-amz-id-2', hostId(this.requestId)],
      ['Server', 'Ringway'],
    ];
  }

  #record(
    status: number,
    bytesOut: number,
    aborted: boolean,
    firstByteAt: number | undefined,
  ): void {
    const { startedAt } = this.exchange;
    this.options.metrics.requestFinished({
      operation: this.#endpoint?.operation ?? UNKNOWN_OPERATION,
      status,
      errorCode: this.#errorCode,
      durationS: (performance.now() - startedAt) / 1000,
      ttfbS: firstByteAt === undefined ? undefined : (firstByteAt - startedAt) / 1000,
      bytesIn: this.exchange.body.bytesReceived,
      bytesOut,
      aborted,
    });
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
