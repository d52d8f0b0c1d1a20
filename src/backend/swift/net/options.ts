import type { CallContext } from '../../backend.js';
import type { SwiftMethod } from '../transport.js';

/** One attempt at one endpoint, as it goes over the wire. */
export interface CallParameters {
  /** The endpoint's name, for messages. */
  readonly endpoint: string;
  readonly method: SwiftMethod;
  /** Raw, with the query. */
  readonly path: string;
  /** Name, value, name, value; values as wire text. */
  readonly headers: string[];
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  /** The context of the call; undefined for a call that is never given up. */
  readonly context: CallContext | undefined;
  /** Called once, when the connection carries nothing of the call any more. */
  readonly released: () => void;
}

/** Why a request was sent once more. */
export type RetryReason = 'connect' | 'reset' | 'timeout' | 'hung' | 'status' | 'token';

/**
 * How a request ended that was not answered. `hung`: it was taken back from an endpoint that does
 * not answer its health check either.
 */
export type AttemptErrorName = 'connect' | 'reset' | 'timeout' | 'hung' | 'abort' | 'body';

export interface AttemptReport {
  /** The endpoint as configured, e.g. `http://10.0.0.1:8080`. */
  readonly endpoint: string;
  readonly method: SwiftMethod;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly error: AttemptErrorName | undefined;
  /** Seconds until the head of the answer arrived, or the attempt failed. */
  readonly seconds: number;
}

/** Reports of the transport. All are called for each request: cheap, and never throwing. */
export interface TransportHooks {
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
  readonly onRetry?: ((reason: RetryReason) => void) | undefined;
  /** A read was sent to a second endpoint as well; `won`: that one answered first. */
  readonly onHedge?: ((won: boolean) => void) | undefined;
  /** The `Date` of an answer; all in milliseconds since the epoch, the others by this machine. */
  readonly onDate?: ((date: number, sentAt: number, receivedAt: number) => void) | undefined;
  /** An endpoint was ejected, or is back; `reason` is for the operator. */
  readonly onEndpoint?: ((endpoint: string, well: boolean, reason: string) => void) | undefined;
}

/** The transport's load at one moment, for metrics. */
export interface TransportLoad {
  /** Connections that carry a request. */
  readonly active: number;
  /** Open connections that carry none. */
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

/** The gateway's user at Swift, in one account. */
export interface SwiftCredential {
  /** With tempauth `account:user`; with Keystone a user, or `project:user`. */
  readonly user: string;
  readonly key: string;
}

export interface TransportOptions extends TransportHooks {
  /** The proxies, e.g. `http://10.0.0.1:8080`; at least one. */
  readonly endpoints: readonly string[];
  /**
   * `…/auth/v1.0` of tempauth or swauth, or `…/v3` of Keystone. Undefined: `/auth/v1.0` of whichever
   * endpoint is well.
   */
  readonly authUrl?: string | undefined;
  /** The project of users that name none themselves, with Keystone. */
  readonly project?: string | undefined;
  /** The domain of the user and of the project, with Keystone. */
  readonly domain?: string | undefined;
  /**
   * The credential for an account; undefined when no user may act in it. Called for every request,
   * so it must be cheap.
   */
  readonly credentialFor: (account: string) => SwiftCredential | undefined;
  /** Shared with the proxies' filter; undefined: requests are not signed. */
  readonly filterSecret?: string | undefined;
  /** The limit of connections to each endpoint. */
  readonly connectionsMax?: number | undefined;
  /** Requests that may wait for a connection, of all endpoints together. */
  readonly queueMax?: number | undefined;
  readonly queueTimeoutMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds from the end of the request to the answer's head. */
  readonly headersTimeoutMs?: number | undefined;
  /** Nothing comes of a body, or nothing of it is taken. */
  readonly bodyTimeoutMs?: number | undefined;
  /** How long a stream waits for `100 Continue` before it begins all the same. */
  readonly continueTimeoutMs?: number | undefined;
  /** How long an idle connection is kept. */
  readonly keepAliveMs?: number | undefined;
  /** Failures in a row that eject an endpoint. */
  readonly ejectAfter?: number | undefined;
  /** The first ejection; each one in a row is twice as long. */
  readonly ejectMs?: number | undefined;
  readonly ejectMsMax?: number | undefined;
  /** An endpoint of which nothing was heard for so long is asked for its health check. */
  readonly probeMs?: number | undefined;
  /** How long the answer to a health check may take. */
  readonly probeTimeoutMs?: number | undefined;
  /** The share of reads that may be sent to a second endpoint as well; 0: none. */
  readonly hedgeShare?: number | undefined;
  /** How long what `/info` said is believed. */
  readonly infoMs?: number | undefined;
}

type Numbers =
  | 'connectionsMax'
  | 'queueMax'
  | 'queueTimeoutMs'
  | 'connectTimeoutMs'
  | 'headersTimeoutMs'
  | 'bodyTimeoutMs'
  | 'continueTimeoutMs'
  | 'keepAliveMs'
  | 'ejectAfter'
  | 'ejectMs'
  | 'ejectMsMax'
  | 'probeMs'
  | 'probeTimeoutMs'
  | 'hedgeShare'
  | 'infoMs';

/** The options as the code uses them. */
export type FilledOptions = Omit<TransportOptions, Numbers> & Readonly<Record<Numbers, number>>;

export const TRANSPORT_DEFAULTS: Readonly<Record<Numbers, number>> = {
  connectionsMax: 128,
  queueMax: 1024,
  // An S3 client's own time-out is a minute; one that waited this long is better told to slow down.
  queueTimeoutMs: 10_000,
  connectTimeoutMs: 3_000,
  // Swift's proxy gives each storage node 10 s (`node_timeout`), and tries several.
  headersTimeoutMs: 60_000,
  // Swift's own for the bodies of its clients (`client_timeout`).
  bodyTimeoutMs: 60_000,
  // It comes when the object servers have answered, for which they have `node_timeout`.
  continueTimeoutMs: 10_000,
  // Swift 2.30 closes idle connections after `client_timeout`, 60 s; HAProxy often after less.
  keepAliveMs: 20_000,
  ejectAfter: 3,
  ejectMs: 1_000,
  ejectMsMax: 30_000,
  probeMs: 5_000,
  // A proxy answers it from memory.
  probeTimeoutMs: 2_000,
  hedgeShare: 0.05,
  infoMs: 60_000,
};

export function fillOptions(options: TransportOptions): FilledOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    ...options,
    ...TRANSPORT_DEFAULTS,
    ...(Object.fromEntries(given) as TransportOptions),
  } as FilledOptions;
}
