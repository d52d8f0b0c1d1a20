import type { ByteSource, Cancellation } from '../lib/cancellation.js';
import type { MaybePromise } from '../lib/promises.js';

/**
 * One HTTP request and its response, as the layers above the edge see it. uWebSockets.js stays
 * behind this interface: nothing outside `src/http` imports it.
 */

/** Lower-case names; the values of a repeated header are joined with `, ` in order of arrival. */
export type HeaderMap = ReadonlyMap<string, string>;

export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface RequestHead {
  /** The method as sent: methods are case-sensitive. */
  readonly method: string;
  /** The path as sent, percent-encoded, without the query; it begins with `/`. */
  readonly rawPath: string;
  /** The query as sent, without the `?`; empty when there is none. */
  readonly rawQuery: string;
  readonly headers: HeaderMap;
  /**
   * The peer of the socket, as text; IPv4 in its own form also on a dual-stack socket. Looked up
   * when it is first read, which must be before the end of the exchange: it is empty afterwards.
   */
  readonly remoteAddress: string;
  /**
   * Why the header block cannot be trusted (two Host headers, bytes that no decoding keeps …), as a
   * sentence for the client. The handler answers 400 and uses nothing else of the request; the edge
   * closes the connection after that answer.
   */
  readonly malformed?: string | undefined;
}

/**
 * The request's body. Read it one way, once: a second reader throws. Reading fails with
 * {@link ClientAbortedError} when the client goes away, and with {@link BodyDiscardedError} when
 * the response is complete first.
 */
export interface RequestBody extends ByteSource {
  /** The value of Content-Length; undefined when the body is chunked; 0 when there is no body. */
  readonly contentLength: number | undefined;
  /** Bytes that arrived so far, including those that are still unread. */
  readonly bytesReceived: number;
  /**
   * The whole body.
   * @throws BodyTooLargeError when it is longer than `limit` bytes: the rest is not read
   * @throws ClientAbortedError when the client went away
   */
  collect(limit: number): Promise<Buffer>;
}

export interface HttpResponse {
  readonly status: number;
  /**
   * The headers without Content-Length, Date, Connection and Transfer-Encoding, which the edge
   * writes.
   */
  readonly headers: HeaderList;
  /**
   * Text or bytes are sent with their length. A stream needs `contentLength`, unless its length
   * is unknown: then it is sent chunked. Nothing is sent for HEAD, but its length is announced.
   */
  readonly body?: string | Buffer | ByteSource | undefined;
  readonly contentLength?: number | undefined;
}

export interface SendResult {
  /** Bytes of body handed to the kernel; of a body up to 128 KiB: to the library's buffer. */
  readonly bytesSent: number;
  /**
   * The side that cut the response short; null when it was sent whole. `deadline`: the reader took
   * nothing for too long, or the server was closed before the end.
   */
  readonly abortedBy: 'client' | 'source' | 'deadline' | null;
  /** Why a stream broke, when `abortedBy` is `source`. */
  readonly error?: unknown;
}

export interface Exchange extends Cancellation {
  readonly request: RequestHead;
  readonly body: RequestBody;
  /** `performance.now()` when the header block was complete. */
  readonly startedAt: number;
  /** The client is gone: nothing can be sent. */
  readonly aborted: boolean;
  /** Aborted with a {@link ClientAbortedError} when the client goes away before the end. */
  readonly signal: AbortSignal;
  /**
   * Sends the response; once per exchange. Body bytes that have not been read are drained up to a
   * bound, and the connection closed beyond it. A source that throws, or gives another length than
   * announced, cuts the connection, so that the client cannot take it for whole.
   * When all is handed to the kernel or the exchange is over, tells how it went: at once for a short
   * body that is at hand, else by a promise, which never rejects.
   * @throws InvalidResponseError at once, before a byte is sent: for a status or header that
   *   cannot be written (so that no value can break out of its header), a header that belongs to
   *   the edge, a body without its length, a second response
   */
  respond(response: HttpResponse): MaybePromise<SendResult>;
  /** Closes the connection without an answer. */
  cut(): void;
}

/**
 * Called once per request, synchronously. Any error that it throws or rejects with is reported and
 * answered with an empty 500, or cuts the connection when a response had begun; so is a promise
 * that resolves before {@link Exchange.respond} or {@link Exchange.cut} was called.
 */
export type ExchangeHandler = (exchange: Exchange) => void | Promise<void>;

export class ClientAbortedError extends Error {
  override readonly name = 'ClientAbortedError';
  constructor() {
    super('the client closed the connection');
  }
}

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  constructor(readonly limit: number) {
    super(`the body is longer than ${limit} bytes`);
  }
}

/** The response was complete before the body was read: the rest of it is thrown away. */
export class BodyDiscardedError extends Error {
  override readonly name = 'BodyDiscardedError';
  constructor() {
    super('the response is complete; the rest of the request body is discarded');
  }
}

/** A response that must not be written: a mistake of the caller, found before a byte is sent. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}
