import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { ByteSource, AbortListener } from '../lib/cancellation.js';
import type { MaybePromise } from '../lib/promises.js';
import { ChunkedSink, LengthSink } from './body-sink.js';
import type { EdgeState } from './edge-state.js';
import {
  ClientAbortedError,
  InvalidResponseError,
  type Exchange,
  type HttpResponse,
  type RequestBody,
  type SendResult,
} from './exchange.js';
import { Linger, type LingerHost } from './linger.js';
import { NO_BODY } from './no-body.js';
import { isSource, onePiece, planReply, type ReplyPlan } from './reply-plan.js';
import { RequestBodyStream, type BodySocket } from './request-body.js';
import type { ReceivedHead } from './request-head.js';
import { renderHead, writeUnfinishedHead } from './response-head.js';
import { letGo, ResponsePump, type PumpHost } from './response-pump.js';
import type * as uWS from './uws.js';

/**
 * One request and its response on a uWebSockets.js response handle.
 *
 * The handle is dead after the library's end(), after close() and after an abort, and throws when
 * it is touched then: `#res` is cleared at each of these. While the client still sends, or the
 * connection has to be closed after the response, the library is left in the belief that a byte is
 * missing, since the handle is the only way to close a connection.
 */
export class ExchangeImpl implements Exchange, BodySocket, PumpHost, LingerHost {
  readonly startedAt = performance.now();
  readonly body: RequestBody;
  readonly stallTimeoutMs: number;
  aborted = false;
  /** respond() has begun: whatever goes wrong now cannot be answered any more. */
  responded = false;

  #res: uWS.HttpResponse | undefined;
  /** The library holds output back by itself while it calls our handler. */
  #corked = true;
  #upload: RequestBodyStream | undefined;
  #controller: AbortController | undefined;
  #listeners: Set<AbortListener> | undefined;
  #pump: ResponsePump | undefined;
  #resolve: ((result: SendResult) => void) | undefined;
  #linger: Linger | undefined;
  #over = false;

  constructor(
    readonly request: ReceivedHead,
    res: uWS.HttpResponse,
    private readonly edge: EdgeState,
  ) {
    this.#res = res;
    this.stallTimeoutMs = edge.limits.responseStallTimeoutMs;
    edge.started();
    res.onAborted(() => {
      this.#connectionGone();
    });
    this.body = request.hasBody ? this.#openUpload(res) : NO_BODY;
  }

  addAbortListener(listener: AbortListener): void {
    if (this.aborted) listener.aborted(this.signal.reason);
    else (this.#listeners ??= new Set()).add(listener);
  }

  removeAbortListener(listener: AbortListener): void {
    this.#listeners?.delete(listener);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // A thousand keys are deleted by many calls at once, and Node would take them for a leak.
      setMaxListeners(0, this.#controller.signal);
      if (this.aborted) this.#controller.abort(new ClientAbortedError());
    }
    return this.#controller.signal;
  }

  /** The library's call of the handler has returned. */
  handlerReturned(): void {
    this.#corked = false;
  }

  respond(response: HttpResponse): MaybePromise<SendResult> {
    let prepared: Prepared;
    try {
      prepared = this.#prepare(response);
    } catch (error) {
      letGoOfBody(response);
      throw error;
    }
    const { plan, head } = prepared;
    this.responded = true;
    const res = this.#res;
    if (plan.kind !== 'stream' || res === undefined) letGoOfBody(response);
    if (res === undefined) return { bytesSent: 0, abortedBy: 'client' };
    return this.#send(res, plan, head);
  }

  /** @throws InvalidResponseError */
  #prepare(response: HttpResponse): Prepared {
    if (this.responded) throw new InvalidResponseError('the exchange has a response already');
    const plan = planReply(response, this.request.method);
    return { plan, head: renderHead(response) };
  }

  /** The handler failed: an empty 500 if nothing was sent, else the end of the connection. */
  fail(): void {
    if (this.#res === undefined || this.#linger !== undefined) return;
    if (this.responded) this.cut();
    else void this.respond({ status: 500, headers: [] });
  }

  cut(): void {
    // Runs #connectionGone before it returns.
    this.#res?.close();
  }

  /** Within a call of the library, what was written goes out only when that call is over. */
  closeSoon(): void {
    setImmediate(() => {
      this.cut();
    });
  }

  pauseReading(): void {
    this.#res?.pause();
  }

  resumeReading(): void {
    this.#res?.resume();
  }

  rearm(): void {
    const res = this.#res;
    if (res === undefined) return;
    // Either order starts the library's timer anew; the last call decides what the socket does.
    if (this.#upload?.paused === true) {
      res.resume();
      res.pause();
    } else {
      res.pause();
      res.resume();
    }
  }

  released(): void {
    this.#res = undefined;
    this.request.detach();
  }

  settled(result: SendResult): void {
    if (this.#pump !== undefined) this.edge.heartbeat.delete(this.#pump);
    if (result.abortedBy === null) this.#responseComplete();
    else this.#giveUp();
    this.#resolve?.(result);
  }

  #openUpload(res: uWS.HttpResponse): RequestBodyStream {
    const upload = new RequestBodyStream(this.request.contentLength, this, this.edge);
    this.#upload = upload;
    res.onData((chunk, last) => {
      upload.receive(chunk, last);
      this.#linger?.received(upload);
    });
    return upload;
  }

  #send(res: uWS.HttpResponse, plan: ReplyPlan, head: string): MaybePromise<SendResult> {
    const missing = this.#upload?.bytesMissing ?? 0;
    const close = this.#mustClose(plan, missing);
    // The response ends with close, never by the library's end(), which would go on to parse the
    // bytes behind the body.
    switch (plan.kind) {
      case 'whole':
        if (close) {
          return this.#stream(res, onePiece(plan.data), plan.length, head, close);
        }
        this.#upload?.discard();
        this.#cork(res, () => {
          res.writeStatus(head).end(plan.data);
        });
        this.released();
        this.#end();
        return { bytesSent: plan.length, abortedBy: null };
      case 'head':
        this.#sendHead(res, head, plan.length, close);
        return { bytesSent: 0, abortedBy: null };
      case 'stream':
        return this.#stream(res, plan.source, plan.length, head, close);
    }
  }

  /**
   * Whether the connection must close after the response.
   *
   * The library may skip a short rest of the upload. After a streamed response there is no time to
   * begin that, so any rest closes the connection. The library ends a chunked body at `0\r\n` and
   * any two bytes: trailer fields, which the client chooses, would be the next request. So no
   * connection is used again after a chunked body, nor after one that may not have arrived in full.
   */
  #mustClose(plan: ReplyPlan, missing: number): boolean {
    const tolerated = plan.kind === 'stream' ? 0 : this.edge.limits.drainBytesMax;
    const { malformed, isChunked, mayHideBody } = this.request;
    const isDoubtful = malformed !== undefined || isChunked || mayHideBody;
    return this.edge.draining || isDoubtful || missing > tolerated;
  }

  #sendHead(res: uWS.HttpResponse, head: string, length: number | undefined, close: boolean): void {
    if (close) {
      this.#cork(res, () => {
        writeUnfinishedHead(res, withClose(head), length);
      });
      this.#responseComplete();
      return;
    }
    this.#upload?.discard();
    this.#cork(res, () => {
      res.writeStatus(head);
      if (length === undefined) {
        res.endWithoutBody();
      } else if (length === 0) {
        res.end();
      } else {
        // endWithoutBody(length) would leave the request pending: the library then closes the
        // connection at the next one. The second call tells it that nothing more is to come; release
        // 20.57 knows that of HEAD, and its handle is dead then.
        const [, isOver] = res.tryEnd('', length);
        if (!isOver) res.tryEnd('', 0);
      }
    });
    this.released();
    this.#end();
  }

  #stream(
    res: uWS.HttpResponse,
    source: ByteSource,
    length: number | undefined,
    head: string,
    close: boolean,
  ): Promise<SendResult> {
    // A paused socket could not be resumed after the end, and hides that the client left.
    if (this.#upload?.complete === true && this.#upload.paused) this.#upload.resumeReading();
    const written = close ? withClose(head) : head;
    const sink =
      length === undefined
        ? new ChunkedSink(res, written, this.request.isChunked)
        : new LengthSink(res, written, length, close);
    const pump = new ResponsePump(res, sink, source, this);
    this.#pump = pump;
    this.edge.heartbeat.add(pump);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      pump.pull();
    });
  }

  #cork(res: uWS.HttpResponse, write: () => void): void {
    if (this.#corked) write();
    else res.cork(write);
  }

  /**
   * The whole response was handed over. If there is still a handle, it has to close the connection.
   */
  #responseComplete(): void {
    this.#upload?.discard();
    if (this.#res === undefined) {
      this.#end();
      return;
    }
    // The last bytes of a chunked body may still be on their way: a close would meet them with a
    // reset, so it is the client's first.
    const sentAll = this.#upload === undefined || this.#upload.complete;
    if (sentAll && !this.request.isChunked) this.closeSoon();
    this.#linger = new Linger(this, this.edge.limits, this.#upload);
    this.edge.lingering += 1;
    this.edge.heartbeat.add(this.#linger);
  }

  #giveUp(): void {
    if (this.#res === undefined) this.#end();
    else this.cut();
  }

  #connectionGone(): void {
    this.released();
    if (this.#linger === undefined) {
      this.aborted = true;
      const error = new ClientAbortedError();
      this.#upload?.abort(error);
      this.#controller?.abort(error);
      for (const listener of this.#listeners ?? []) listener.aborted(error);
      this.#pump?.abandon(this.edge.closing ? 'deadline' : 'client');
    } else {
      this.edge.heartbeat.delete(this.#linger);
      this.edge.lingering -= 1;
    }
    this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.edge.ended();
  }
}

interface Prepared {
  readonly plan: ReplyPlan;
  readonly head: string;
}

/** A body that is not going to be sent may hold a file. */
function letGoOfBody({ body }: HttpResponse): void {
  if (isSource(body)) letGo(body[Symbol.asyncIterator]());
}

/** The library writes this header only together with a body that ends at once. */
function withClose(head: string): string {
  return `${head}\r\nConnection: close`;
}
