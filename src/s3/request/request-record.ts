import { performance } from 'node:perf_hooks';
import type { RequestBody, Exchange } from '../../http/exchange.js';
import type { TrustedProxies } from '../../http/trusted-proxies.js';
import type { ByteSource } from '../../lib/cancellation.js';
import { withoutSecrets, type AccessEntry, type AccessLog } from '../../telemetry/access-log.js';
import type { FinishedRequest } from '../../telemetry/metrics.js';
import { RequestTrace } from '../../telemetry/request-trace.js';
import { STAGE, StageClock } from '../../telemetry/stage-clock.js';
import type { RequestPath, StageMetrics } from '../../telemetry/stage-metrics.js';
import type { Payload } from '../auth/payload-plan.js';
import type { Principal } from '../auth/principal.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { S3Response } from '../operation.js';

/** A body whose reader is in `stage` while it waits for bytes. */
function watchSource(source: ByteSource, clock: StageClock, stage: number): ByteSource {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = source[Symbol.asyncIterator]();
      const leave = iterator.return?.bind(iterator);
      return {
        next: () => during(clock, stage, () => iterator.next()),
        ...(leave === undefined ? {} : { return: leave }),
      };
    },
  };
}

/** Times the waits while a stream is sent: for the store, or else for the client. */
export function watchResponse(
  body: S3Response['body'],
  clock: StageClock | undefined,
): S3Response['body'] {
  if (clock === undefined || body === undefined) return body;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return watchSource(body, clock, STAGE.backend_wait);
}

export function watchBody(body: RequestBody, clock: StageClock): RequestBody {
  const source = watchSource(body, clock, STAGE.body_read);
  return {
    contentLength: body.contentLength,
    get bytesReceived() {
      return body.bytesReceived;
    },
    collect: (limit) => during(clock, STAGE.body_read, () => body.collect(limit)),
    [Symbol.asyncIterator]: () => source[Symbol.asyncIterator](),
  };
}

export function watchPayload(payload: Payload, clock: StageClock): Payload {
  return {
    size: payload.size,
    takesMd5: payload.takesMd5,
    get source() {
      return watchSource(payload.source, clock, STAGE.hash);
    },
    collect: (limit) => during(clock, STAGE.hash, () => payload.collect(limit)),
    digests: () => payload.digests(),
  };
}

async function during<T>(clock: StageClock, stage: number, work: () => Promise<T>): Promise<T> {
  const former = clock.enter(stage);
  try {
    return await work();
  } finally {
    clock.enter(former);
  }
}

/** The part of the telemetry that the pipeline feeds. */
interface PipelineMetrics {
  requestStarted(): void;
  requestFinished(record: FinishedRequest): void;
  authFailed(reason: string): void;
  readonly stages: StageMetrics;
}

interface RecorderOptions {
  readonly metrics: PipelineMetrics;
  readonly proxies: TrustedProxies;
  /** The access log; with one, the stages of every request are measured for its lines. */
  readonly accessLog?: Pick<AccessLog, 'write'> | undefined;
  /** The trace that operators look at; by default one that is always off. */
  readonly trace?: RequestTrace;
  /** The listener's number. */
  readonly listener: number;
}

/** The facts about a request in the end. */
interface RequestFacts {
  readonly requestId: string;
  readonly exchange: Exchange;
  /** The watch that the request began with. */
  readonly watch: StageClock | undefined;
  readonly endpoint: Endpoint | undefined;
  /** Under which the times of its stages are counted. */
  readonly path: RequestPath;
  /** Undefined for one that was not let in. */
  readonly principal: Principal | undefined;
  readonly errorCode: string | undefined;
}

/** How the response went. */
export interface ResponseFacts {
  readonly status: number;
  readonly bytesOut: number;
  readonly abortedBy: AccessEntry['aborted_by'];
  /** `performance.now()`; undefined when nothing was sent. */
  readonly firstByteAt: number | undefined;
}

/** The side that cut a response short, as the edge reports it. */
export const ABORTED_BY = { client: 'client', source: 'backend', deadline: 'gateway' } as const;

export const NOTHING_SENT = { bytesOut: 0, firstByteAt: undefined } as const;

/**
 * The response of a client that left before the answer, with nginx's status for that; seen in
 * metrics only.
 */
export const CLIENT_LEFT: ResponseFacts = { ...NOTHING_SENT, status: 499, abortedBy: 'client' };

/** The operation before the request line is understood. */
export const UNKNOWN_OPERATION = 'Unknown';

/** Tells metrics, access log and trace of each request. */
export class RequestRecorder {
  readonly #trace: RequestTrace;

  constructor(private readonly options: RecorderOptions) {
    this.#trace = options.trace ?? new RequestTrace();
  }

  /** @returns a clock for the stages, when they are measured */
  begin(exchange: Exchange): StageClock | undefined {
    const { metrics, accessLog } = this.options;
    metrics.requestStarted();
    // Asked in any case: it counts the requests.
    const isDue = metrics.stages.isDue;
    if (accessLog === undefined && !this.#trace.isOn) {
      return isDue ? new StageClock(exchange.startedAt) : undefined;
    }
    // Looked up now, because the address is not known at the end any more.
    this.options.proxies.clientAddress(exchange.request);
    return new StageClock(exchange.startedAt);
  }

  /** @param reason - the S3 error code that the client is told */
  authFailed(reason: string): void {
    this.options.metrics.authFailed(reason);
  }

  end(request: RequestFacts, response: ResponseFacts): void {
    const { metrics, accessLog } = this.options;
    const { exchange, endpoint, principal, errorCode, watch } = request;
    const { status, bytesOut, abortedBy, firstByteAt } = response;
    const operation = endpoint?.operation ?? UNKNOWN_OPERATION;
    // One reading, so that the stages of a request add up to its duration.
    const endedAt = performance.now();
    if (watch !== undefined) {
      watch.end(endedAt);
      metrics.stages.finished(watch, request.path);
    }
    const { startedAt } = exchange;
    const finished: FinishedRequest = {
      operation,
      account: principal?.account ?? '',
      bucket: endpoint?.bucket ?? '',
      status,
      errorCode,
      durationS: (endedAt - startedAt) / 1000,
      ttfbS: firstByteAt === undefined ? undefined : (firstByteAt - startedAt) / 1000,
      bytesIn: exchange.body.bytesReceived,
      bytesOut,
      aborted: abortedBy === 'client',
    };
    metrics.requestFinished(finished);
    if (accessLog !== undefined) accessLog.write(this.#entry(request, finished, abortedBy));
    // One that began before is not measured.
    if (this.#trace.isOn && watch !== undefined) {
      this.#trace.offer(finished, exchange.request.method, () =>
        withoutSecrets(this.#entry(request, finished, abortedBy)),
      );
    }
  }

  #entry(
    { requestId, exchange, endpoint, principal, watch }: RequestFacts,
    finished: FinishedRequest,
    abortedBy: AccessEntry['aborted_by'],
  ): AccessEntry {
    const { request } = exchange;
    const { durationS, ttfbS } = finished;
    return {
      time: new Date(Date.now() - durationS * 1000).toISOString(),
      request_id: requestId,
      remote: this.options.proxies.clientAddress(request),
      requester: orNull(principal?.accessKey),
      account: orNull(principal?.account),
      bucket: orNull(endpoint?.bucket),
      key: orNull(endpoint?.key),
      operation: finished.operation,
      method: request.method,
      status: finished.status,
      error_code: finished.errorCode ?? null,
      bytes_in: finished.bytesIn,
      bytes_out: finished.bytesOut,
      total_ms: milliseconds(durationS),
      ttfb_ms: ttfbS === undefined ? null : milliseconds(ttfbS),
      backend_ms: milliseconds(watch?.seconds(STAGE.backend_wait) ?? 0),
      wait_ms: milliseconds(watch?.seconds(STAGE.wait) ?? 0),
      aborted_by: abortedBy,
      listener: this.options.listener,
      user_agent: request.headers.get('user-agent') ?? null,
    };
  }
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/** Milliseconds, rounded to whole microseconds. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e3;
}
