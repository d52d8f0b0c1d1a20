import type { ByteSource } from '../byte-source.js';

/**
 * One HTTP request and its response, as the layers above the edge see it. uWebSockets.js stays
 * behind this interface: nothing outside `src/http` imports it.
 */

/** Lower-case names; the values of a repeated header are joined with `, ` in order of arrival. */
export type HeaderMap = ReadonlyMap<string, string>;

export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface RequestHead {
  /** As sent: methods are case-sensitive. */
  readonly method: string;
  /** As sent, percent-encoded, without the query; begins with `/`. */
  readonly rawPath: string;
  /** As sent, without the `?`; empty when there is none. */
  readonly rawQuery: string;
  readonly headers: HeaderMap;
  /** The peer of the socket, as text. */
  readonly remoteAddress: string;
}

/** The request's body. Read it one way, once. */
export interface RequestBody extends ByteSource {
  /** From Content-Length; undefined when the body is chunked; 0 when there is none. */
  readonly contentLength: number | undefined;
  /** Bytes that arrived so far. */
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
  /** Without Content-Length, Date, Connection and Transfer-Encoding: the edge writes those. */
  readonly headers: HeaderList;
  /**
   * Text or bytes are sent with their length. A stream needs `contentLength`, unless its length
   * is unknown: then it is sent chunked. Nothing is sent for HEAD, but its length is announced.
   */
  readonly body?: string | Buffer | ByteSource | undefined;
  readonly contentLength?: number | undefined;
}

export interface SendResult {
  /** Bytes of body handed to the kernel. */
  readonly bytesSent: number;
  /** Who cut the response short; null when it was sent whole. */
  readonly abortedBy: 'client' | 'source' | 'deadline' | null;
  /** Why a stream broke, when `abortedBy` is `source`. */
  readonly error?: unknown;
}

export interface Exchange {
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
   * Resolves, never rejects, when all is handed to the kernel or the exchange is over.
   */
  respond(response: HttpResponse): Promise<SendResult>;
  /** Closes the connection without an answer. */
  cut(): void;
}

/** Called once per request, synchronously; whatever it throws or rejects with is a 500 and a log line. */
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
