import { performance } from 'node:perf_hooks';
import type { ContainerHead } from '../../backend/backend.js';
import { andThen, type MaybePromise } from '../../lib/promises.js';
import {
  ClientAbortedError,
  type Exchange,
  type HeaderMap,
  type SendResult,
} from '../../http/exchange.js';
import { STAGE, type StageClock } from '../../telemetry/stage-clock.js';
import { nextRequestId } from '../../telemetry/request-id.js';
import type { AdmissionTicket } from './admission.js';
import type { Authentication } from '../auth/authenticate.js';
import { type Payload, requireLength, type PayloadOptions } from '../auth/payload-plan.js';
import type { Principal } from '../auth/principal.js';
import { authorise } from './authorisation.js';
import { type CrossOrigin, RequestCors } from './cors.js';
import { commonHeaders, errorResponse, asS3Error, logFailures } from './failures.js';
import { parseEndpoint, refineByHeaders, refuseVersionId } from '../endpoint/endpoint.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type {
  BucketFreshness,
  OperationFacts,
  RequestContext,
  S3Response,
  Services,
} from '../operation.js';
import { operationFacts } from '../operations.js';
import { settleOrStream, type PendingDocument } from './pending-document.js';
import { BucketHead } from './bucket-head.js';
import { RequestCall } from './request-call.js';
import { refuseUnsupported } from './refuse-unsupported.js';
import { refuseOverrides } from '../rules/response-overrides.js';
import type { PipelineOptions } from '../pipeline.js';
import {
  ABORTED_BY,
  CLIENT_LEFT,
  NOTHING_SENT,
  type ResponseFacts,
  watchBody,
  watchPayload,
  watchResponse,
} from './request-record.js';
import { S3Error } from '../errors.js';

/** One request on its way; also the context that its operation sees. */
export class RequestRun implements RequestContext {
  readonly requestId = nextRequestId();
  /** The stage clock; undefined if the request's stages are not measured. */
  readonly watch: StageClock | undefined;
  readonly call: RequestCall;
  #endpoint: Endpoint | undefined;
  #facts: OperationFacts | undefined;
  #authentication: Authentication | undefined;
  readonly #bucketHead = new BucketHead((options) => this.#headContainer(options));
  readonly #cors: RequestCors;
  #ticket: AdmissionTicket | undefined;
  #errorCode: string | undefined;

  constructor(
    private readonly options: PipelineOptions,
    private readonly crossOrigin: CrossOrigin,
    private readonly exchange: Exchange,
  ) {
    const { requestId } = this;
    const watch = options.recorder.begin(exchange);
    this.watch = watch;
    this.call = new RequestCall(requestId, exchange, watch);
    this.#cors = new RequestCors(crossOrigin, exchange.request);
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

  get url(): string {
    const { addressing, proxies } = this.options;
    const { request } = this.exchange;
    return `${proxies.scheme(request)}://${addressing.clientHost(request)}${request.rawPath}`;
  }

  containerHead(freshness?: BucketFreshness): Promise<ContainerHead> {
    return this.#bucketHead.get(freshness);
  }

  /** Reads the container, and remembers the bucket's CORS rules for the response. */
  async #headContainer(options: { newest: boolean }): Promise<ContainerHead> {
    const ref = { account: this.principal.account, container: this.endpoint.bucket };
    try {
      const head = await this.services.backend.headContainer(this.call, ref, options);
      this.#cors.found(ref, head);
      return head;
    } catch (error) {
      this.#cors.missed(ref, error);
      throw error;
    }
  }

  openPayload(options?: PayloadOptions): Payload {
    const authentication = known(this.#authentication);
    const { body, request } = this.exchange;
    requireLength(request.headers, options);
    if (this.watch === undefined) return authentication.openPayload(body, options);
    const payload = authentication.openPayload(watchBody(body, this.watch), options);
    return watchPayload(payload, this.watch);
  }

  /** Runs the request; returns no promise if nothing has to be awaited. */
  run(): MaybePromise<void> {
    let response: MaybePromise<S3Response>;
    try {
      response = andThen(this.#answer(), (answer) => this.#admitAnswer(answer));
    } catch (error) {
      return this.#refuse(error);
    }
    if (!(response instanceof Promise)) return this.#finish(response);
    return response.then(
      (answer) => this.#finish(answer),
      (error: unknown) => this.#refuse(error),
    );
  }

  async #refuse(error: unknown): Promise<void> {
    const response = this.#failure(error);
    // A request refused for load must not cost a call of the store.
    if (this.#authentication === undefined && this.#errorCode !== 'SlowDown') {
      await this.#cors.ofRefused(this.call, this.#endpoint, this.options.addressing);
    }
    await this.#finish(response);
  }

  #finish(response: S3Response | undefined): MaybePromise<void> {
    let responding: MaybePromise<void>;
    try {
      responding = this.#respond(response);
    } catch (error) {
      this.#ticket?.leave();
      throw error;
    }
    if (responding instanceof Promise) return responding.finally(() => this.#ticket?.leave());
    this.#ticket?.leave();
  }

  /** Its body may have to wait for memory. */
  #admitAnswer(response: S3Response): MaybePromise<S3Response> {
    const admitted = this.#ticket?.enterDownload(response);
    return admitted === undefined
      ? this.#logged(response)
      : this.#wait(admitted).then(() => this.#logged(response));
  }

  #logged(response: S3Response): S3Response {
    if (response.failures !== undefined) {
      this.#logFailures(response.failures, 'a part of a request failed');
    }
    return response;
  }

  #answer(): MaybePromise<S3Response> {
    const { request } = this.exchange;
    if (request.malformed !== undefined) {
      throw new S3Error('InvalidRequest', request.malformed);
    }
    const { method, rawPath, rawQuery } = request;
    const hostBucket = this.options.addressing.hostBucket(request);
    const parsed = parseEndpoint(method, rawPath, rawQuery, hostBucket);
    this.#endpoint = parsed;
    if (parsed.operation === 'PreflightRequest') {
      // A preflight has no credentials, so it is answered before authentication.
      return this.crossOrigin.preflight(this.call, request, parsed);
    }
    // A copy weighs more than an upload: its headers tell, which are authenticated only later.
    const facts = operationFacts(refineByHeaders(parsed, request.headers).operation);
    this.#facts = facts;
    if (!facts.takesVersionId) refuseVersionId(parsed);
    this.#ticket = this.options.admission.ticket();
    const admitted = this.#ticket.enter(facts.weight, this.exchange.body.contentLength);
    return admitted === undefined
      ? this.#identify(parsed, hostBucket)
      : this.#wait(admitted).then(() => this.#identify(parsed, hostBucket));
  }

  #identify(parsed: Endpoint, hostBucket: string): MaybePromise<S3Response> {
    this.watch?.enter(STAGE.auth);
    return andThen(this.#authenticate(parsed, hostBucket), (authentication) => {
      this.#authentication = authentication;
      this.call.identified(this.principal, authentication.headers.get('referer'));
      this.options.admission.checkRate(this.principal.accessKey);
      this.watch?.enter(STAGE.authorise);
      if (!this.exchange.request.headers.has('origin') || parsed.bucket === '') {
        return this.#authorise(parsed);
      }
      // Read before the operation, which may remove the bucket; another call reports a failure.
      return this.containerHead()
        .catch(() => undefined)
        .then(() => this.#authorise(parsed));
    });
  }

  #authorise(parsed: Endpoint): MaybePromise<S3Response> {
    const endpoint = refineByHeaders(parsed, this.headers);
    this.#endpoint = endpoint;
    if (this.principal.role === 'anonymous') refuseOverrides(endpoint.query);
    // A presigned URL may carry the header that tells a copy.
    const facts = endpoint === parsed ? known(this.#facts) : operationFacts(endpoint.operation);
    this.#facts = facts;
    const asked = authorise(this, facts);
    return asked === undefined
      ? this.#operate(endpoint, facts)
      : asked.then(() => this.#operate(endpoint, facts));
  }

  #operate(endpoint: Endpoint, facts: OperationFacts): MaybePromise<S3Response> {
    this.watch?.enter(STAGE.route);
    const { capabilities } = this.services.backend;
    const handler = refuseUnsupported(endpoint, facts, this.headers, capabilities);
    this.watch?.enter(STAGE.render);
    return andThen(handler(this), (response) =>
      response.pending === undefined ? response : this.#settle(response, response.pending),
    );
  }

  /** Waits until the request is admitted. */
  async #wait(admitted: Promise<void>): Promise<void> {
    this.watch?.enter(STAGE.wait);
    await admitted;
  }

  /** A failure after the answer has begun is logged and counted as one before it. */
  async #settle(response: S3Response, pending: PendingDocument): Promise<S3Response> {
    const failed = (error: unknown): string => {
      const body = this.#failure(error)?.body;
      return typeof body === 'string' ? body : '';
    };
    const { body, headers } = await settleOrStream(pending, failed);
    return { ...response, headers: [...response.headers, ...headers], body };
  }

  #authenticate({ query }: Endpoint, hostBucket: string): MaybePromise<Authentication> {
    const refused = (error: unknown): never => {
      if (error instanceof S3Error) this.options.recorder.authFailed(error.code);
      throw error;
    };
    try {
      const { authenticator } = this.options;
      const { request } = this.exchange;
      const found = authenticator.authenticate(request, query.parameters, hostBucket);
      return found instanceof Promise ? found.catch(refused) : found;
    } catch (error) {
      return refused(error);
    }
  }

  /** The answer to a failure; undefined when the client is gone. */
  #failure(thrown: unknown): S3Response | undefined {
    this.watch?.enter(STAGE.unattributed);
    if (thrown instanceof ClientAbortedError || this.exchange.aborted) return undefined;
    const error = asS3Error(thrown);
    this.#errorCode = error.code;
    this.#logFailures([error], 'a request failed');
    return errorResponse(error, this.#endpoint, this.exchange.request.method, this);
  }

  #logFailures(failures: readonly S3Error[], message: string): void {
    const { log, proxies } = this.options;
    const operation = this.#endpoint?.operation;
    const remote = (): string => proxies.clientAddress(this.exchange.request);
    logFailures(log, failures, message, { requestId: this.requestId, operation, remote });
  }

  #respond(response: S3Response | undefined): MaybePromise<void> {
    const { exchange } = this;
    if (response === undefined) {
      exchange.cut();
      this.#record(CLIENT_LEFT);
      return;
    }
    this.watch?.enter(STAGE.write);
    const firstByteAt = performance.now();
    return andThen(this.#send(response), (sent) => {
      this.#sent(response.status, sent, firstByteAt);
    });
  }

  #sent(status: number, sent: SendResult, firstByteAt: number): void {
    if (sent.abortedBy === 'source' && sent.error !== undefined) {
      this.options.log.error(
        { request_id: this.requestId, operation: this.#endpoint?.operation, err: sent.error },
        'a response was cut short',
      );
    }
    this.#record({
      status,
      bytesOut: sent.bytesSent,
      abortedBy: sent.abortedBy && ABORTED_BY[sent.abortedBy],
      firstByteAt,
    });
  }

  /** @throws InvalidResponseError for a response that HTTP cannot carry: the edge answers 500 */
  #send(response: S3Response): MaybePromise<SendResult> {
    try {
      return this.exchange.respond({
        status: response.status,
        headers: [...response.headers, ...this.#cors.headers, ...commonHeaders(this.requestId)],
        body: watchResponse(response.body, this.watch),
        contentLength: response.contentLength,
      });
    } catch (error) {
      this.#errorCode = 'InternalError';
      this.#record({ ...NOTHING_SENT, status: 500, abortedBy: null });
      throw error;
    }
  }

  #record(response: ResponseFacts): void {
    const { requestId, exchange, watch } = this;
    this.options.recorder.end(
      {
        requestId,
        exchange,
        watch,
        endpoint: this.#endpoint,
        path: this.#facts?.path ?? 'other',
        principal: this.#authentication?.principal,
        errorCode: this.#errorCode,
      },
      response,
    );
  }
}

/** The pipeline's own order guarantees it: an operation runs after parsing and authentication. */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the request has not come that far');
  return value;
}
