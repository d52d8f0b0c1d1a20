import { setTimeout as delay } from 'node:timers/promises';
import type { ByteSource } from '../../lib/cancellation.js';
import type { CallContext, ObjectRef } from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';

/**
 * The network as the Swift backend uses it: one request to any proxy that is well, authenticated,
 * signed for the filter in the proxies' pipeline, and answered or failed in bounded time. It knows
 * HTTP and endpoints, not objects.
 */

export type SwiftMethod = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';

/** Names in any case, values as text: it goes over the wire as UTF-8. */
export type RequestHeaders = Readonly<Record<string, string>>;

/**
 * A whole small body, which may be sent again, or a stream, which may not: of exactly `size` bytes, or
 * in chunks to its end where that is undefined.
 */
export type RequestBody =
  Buffer | { readonly source: ByteSource; readonly size: number | undefined };

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
  /** Any status, except 401 that a new token mends: the transport handles that itself. */
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
  /** The same as bytes in scratch memory, the caller's from now on. @throws as text */
  whole(bytesMax: number): Promise<WholeBody>;
  /** Lets go of the body: reads on what little there is left, or ends the connection. */
  cancel(): void;
}

/** A body in scratch memory. */
export interface WholeBody {
  readonly memory: Buffer<ArrayBuffer>;
  /** Bytes of the body; what is behind them has no meaning. */
  readonly length: number;
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

/** The parts of `/info` that matter; defaults are Swift's where a middleware does not say. */
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
  /** It is a store of Ringway's, which takes `X-Whole-Headers`. */
  readonly takesWholeHeaders: boolean;
  /**
   * The gateway's own filter; undefined unless all proxies have it, know the secret, and serialise
   * creations on the same servers.
   */
  readonly filter: FilterInfo | undefined;
}

export interface FilterInfo {
  readonly version: number;
  /** Tells the memcached servers apart on which creations are serialised. */
  readonly exclusiveCreate?: string | undefined;
  /**
   * Set if only one of several deletions of the same object succeeds; older filters do not know it.
   */
  readonly exclusiveDelete?: true | undefined;
  /** Footers, and exclusive creation, of bodies that are sent in chunks; unknown to older filters. */
  readonly chunkedBodies?: true | undefined;
  /** A PUT can have a time of the gateway's; unknown to older filters. */
  readonly orderedPuts?: true | undefined;
  /** So can an exclusive creation; unknown to older filters. */
  readonly orderedCreations?: true | undefined;
  /** A signed request needs no token. */
  readonly signatureSuffices?: true | undefined;
  /**
   * Objects that a link or a manifest leads to are read by the rights of the requester behind the
   * call (`CallContext.behalf`); unknown to older filters.
   */
  readonly hopRights?: true | undefined;
  /** Takes a key's index for a version of it, and so the gateway may fix links to one. */
  readonly fixedLinks?: true | undefined;
  /** Puts a link behind one that the gateway has not seen. */
  readonly linksBehind?: true | undefined;
}

/** The filter's word that what is not found may lie on servers that did not answer. */
const UNSURE_HEADER = 'x-gateway-unsure';
/** The filter's word that it has refused something that the request was led to. */
const DENIED_HEADER = 'x-gateway-denied';

/**
 * A transport that turns two of the filter's words into errors. An unconfirmed 404: an acknowledged
 * object must not be reported missing, so the client is asked to try again. And the refusal of what
 * the requester may not read, whatever status Swift's other filters have made of it.
 */
export function confirmedTransport(transport: SwiftTransport): SwiftTransport {
  return {
    request: async (request) => confirmedAnswer(request, await transport.request(request)),
    info: () => transport.info(),
    ping: (context) => transport.ping(context),
    close: () => transport.close(),
  };
}

/** @throws BackendError Denied, Unavailable */
function confirmedAnswer(request: SwiftRequest, response: SwiftResponse): SwiftResponse {
  const { status, headers } = response;
  const isDenied = status >= 400 && headers.has(DENIED_HEADER);
  if (!isDenied && !headers.has(UNSURE_HEADER)) return response;
  response.cancel();
  const { method, account, container, object } = request;
  const path = [account, container, object].filter((each) => each !== undefined).join('/');
  if (isDenied) throw deniedError(`${method} ${path}`);
  throw new BackendError(
    'Unavailable',
    `${method} ${path}: too few servers of the cluster answered`,
  );
}

/** @param subject e.g. `GET AUTH_test/photos/a` */
export function deniedError(subject: string): BackendError {
  return new BackendError('Denied', `${subject} leads to what the requester may not read`);
}

/**
 * About 5 s at most: who creates the same object with a small body is done in a fraction of that,
 * and then the answer is that it exists.
 */
const ATTEMPTS_MAX = 12;
const PAUSE_MS_MIN = 20;
const PAUSE_MS_MAX = 800;

/** Whether another request is creating the same object right now: see ops/swift/. */
export function isBusy({ status, headers }: Pick<SwiftResponse, 'status' | 'headers'>): boolean {
  return status === 409 && headers.get('x-gateway-create') === 'busy';
}

/**
 * Repeats an exclusive write until no other request writes the same object.
 * @param attempt - with a body that can be sent any number of times
 * @throws BackendError Unavailable when another request writes it for too long; the reason of the
 *   context's signal; what `attempt` throws
 */
export async function retryWhileBusy<T>(
  context: CallContext,
  ref: ObjectRef,
  attempt: () => Promise<T | 'busy'>,
): Promise<T> {
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
    const result = await attempt();
    if (result !== 'busy') return result;
    await pause(attempts);
    throwIfAborted(context);
  }
  throw busyError(ref);
}

/** The answer, or 'busy' for {@link retryWhileBusy} to repeat. */
export async function unlessBusy(answer: Promise<SwiftResponse>): Promise<SwiftResponse | 'busy'> {
  const response = await answer;
  if (!isBusy(response)) return response;
  response.cancel();
  return 'busy';
}

export function busyError({ container, object }: ObjectRef): BackendError {
  const detail = `another request has been creating ${container}/${object} for too long`;
  return new BackendError('Unavailable', detail);
}

/** Waits for a random time, so that requests that met do not meet again. */
async function pause(attempts: number): Promise<void> {
  const longest = Math.min(PAUSE_MS_MIN * 2 ** attempts, PAUSE_MS_MAX);
  await delay(PAUSE_MS_MIN + Math.random() * (longest - PAUSE_MS_MIN));
}
