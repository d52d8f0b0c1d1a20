import type { ByteSource } from '../../lib/byte-source.js';
import type { CallContext } from '../backend.js';

/**
 * What the Swift backend asks of the network: one request to whichever proxy is well, authenticated,
 * signed for the filter in the proxies' pipeline, and answered or failed in bounded time. It knows
 * HTTP and endpoints, not objects.
 */

export type SwiftMethod = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';

/** Names in any case, values as text: it goes over the wire as UTF-8. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** A whole small body, which may be sent again, or a stream of exactly `size` bytes, which may not. */
export type RequestBody = Buffer | { readonly source: ByteSource; readonly size: number };

export interface SwiftRequest {
  readonly context: CallContext;
  readonly method: SwiftMethod;
  readonly account: string;
  readonly container?: string | undefined;
  readonly object?: string | undefined;
  /** Encoded, without the question mark. */
  readonly query?: string | undefined;
  readonly headers?: RequestHeaders | undefined;
  readonly body?: RequestBody | undefined;
  /**
   * Whether the request may be sent again when it is not known what became of it. Default: for GET
   * and HEAD. A request of which no byte was sent is sent again in any case.
   */
  readonly repeatable?: boolean | undefined;
  /** Instead of the configured one: how long the proxy may take until its answer begins. */
  readonly headersTimeoutMs?: number | undefined;
}

export interface SwiftResponse {
  /** Of any number, but for what the transport settles itself: 401 that a new token mends. */
  readonly status: number;
  /** Names in lower case, values decoded from UTF-8. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * Read to its end, left with `return()`, or cancelled; else it keeps its connection. Throws
   * BackendError `Unavailable` or `Timeout` when it ends early.
   */
  readonly body: ByteSource;
  /** The whole of a small body. @throws BackendError Corrupt when it is longer */
  text(bytesMax: number): Promise<string>;
  /** Lets go of the body: reads on what little there is left, or ends the connection. */
  cancel(): void;
}

export interface SwiftTransport {
  /**
   * @throws BackendError `Unavailable`, `Timeout`; what the body's source throws; the abort reason
   *   of the context's signal
   */
  request(request: SwiftRequest): Promise<SwiftResponse>;
  /** The cluster's `/info`, kept for a while. @throws as request */
  info(): Promise<SwiftInfo>;
  /** Resolves when a proxy answers, of any endpoint. @throws BackendError Unavailable */
  ping(context: CallContext): Promise<void>;
  close(): Promise<void>;
}

/** What of `/info` matters; defaults are those of Swift where a middleware does not say. */
export interface SwiftInfo {
  readonly objectNameBytesMax: number;
  readonly containerNameBytesMax: number;
  readonly listingLimit: number;
  readonly metaNameBytesMax: number;
  readonly metaValueBytesMax: number;
  readonly metaCountMax: number;
  readonly metaBytesMax: number;
  /** One header line. */
  readonly headerBytesMax: number;
  readonly manifestSegmentsMax: number;
  readonly manifestBytesMax: number;
  readonly hasSymlinks: boolean;
  readonly policies: readonly string[];
  /**
   * Of the gateway's own filter; undefined unless all proxies have it, know the secret, and serialise
   * creations on the same servers.
   */
  readonly filter: FilterInfo | undefined;
}

export interface FilterInfo {
  readonly version: number;
  /** Tells the memcached servers apart on which creations are serialised. */
  readonly exclusiveCreate?: string | undefined;
  /** Of deletions of what was read one gets through; filters before this one do not know it. */
  readonly exclusiveDelete?: true | undefined;
}
