import type { TransportHooks } from './hooks.js';

/** Who the gateway is towards Swift, in one account. */
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
  /** With Keystone: of users that name none themselves. */
  readonly project?: string | undefined;
  /** With Keystone: of the user and of the project. */
  readonly domain?: string | undefined;
  /** Undefined: nobody may act in this account. Asked for every request, so it must be cheap. */
  readonly credentialFor: (account: string) => SwiftCredential | undefined;
  /** Shared with the proxies' filter; undefined: requests are not signed. */
  readonly filterSecret?: string | undefined;
  /** To each endpoint. */
  readonly connectionsMax?: number | undefined;
  /** Requests that may wait for a connection, of all endpoints together. */
  readonly queueMax?: number | undefined;
  readonly queueTimeoutMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** From the end of the request to the answer's head. */
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
