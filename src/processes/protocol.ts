import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import type { DeployOptions } from '../deploy/service/config.js';
import type { MetricSnapshot } from '../telemetry/collected.js';
import type { TraceBatch, TraceOrder } from '../telemetry/request-trace.js';

/**
 * The messages between the supervisor and its children over Node's IPC channel, as JSON:
 *
 *     supervisor                      child
 *        │  ── init ──────────────────▶ │  options and credentials: never in argv or environment
 *        │  ◀──── prepared | failed ─── │  all that can go wrong has gone well, but for listening
 *        │  ── begin ─────────────────▶ │  at a reload, when all others of the generation are prepared
 *        │  ◀─────── ready | failed ─── │
 *        │  ◀───────────────── report ─ │  each probe_interval_ms: health and metrics
 *        │  ── credentials ───────────▶ │  when their file has changed
 *        │  ── metrics ───────────────▶ │  at a scrape
 *        │  ◀──────────────── metrics ─ │
 *        │  ── trace ─────────────────▶ │  while an operator looks at requests as they end
 *        │  ◀───────────────── traced ─ │
 *        │  ── reopen-logs ───────────▶ │  their files were renamed
 *        │  ── login-offer ───────────▶ │  the console: a link that logs in once
 *        │  ── leave ─────────────────▶ │  a drain is near: health checks are to fail
 *        │  ── aside | resume ────────▶ │  at a reload: others are about to listen in its place, or not
 *        │  ◀────────────────── aside ─ │
 *        │  ── drain ─────────────────▶ │
 *        │  ◀─────────────── draining ─ │  each second
 *        │  ◀──────────────── drained ─ │  with the last metrics; the child then exits with 0
 *
 * A child whose channel closes has lost its supervisor, and exits.
 */

/** A login that the service's terminal offers by a link: once, and not for long. */
export interface LoginOffer {
  /** The part of the link behind the #: 43 characters of base64url. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
  /** The user's account, name and key, as the login page sends them. */
  readonly account: string;
  readonly user: string;
  readonly key: string;
}

/** The first message to a child. */
export interface ChildInit {
  readonly type: 'init';
  /** 1 to `options.listeners`; a restarted child has its predecessor's number. */
  readonly worker: number;
  /** Every port is a real one here, also where the configuration says 0. */
  readonly options: FilledOptions;
  /** The roster; without secret keys for a kind of process that verifies no signatures. */
  readonly credentials: Roster;
  /** The contents of the file `console_config`; only the console gets them. */
  readonly consoleConfig?: Readonly<Record<string, unknown>> | undefined;
  /** The contents of the file `deploy_config`; only the control service of Deploy gets them. */
  readonly deploy?: DeployOptions | undefined;
}

export type ToChild =
  | ChildInit
  | { readonly type: 'credentials'; readonly credentials: Roster }
  | { readonly type: 'metrics'; readonly id: number }
  | { readonly type: 'trace'; readonly order: TraceOrder }
  | { readonly type: 'leave' }
  | { readonly type: 'reopen-logs' }
  | { readonly type: 'login-offer'; readonly offer: LoginOffer }
  | { readonly type: 'begin' | 'aside' | 'resume' }
  /** `handedOver`: others listen in its place by now. */
  | { readonly type: 'drain'; readonly handedOver: boolean };

/** Outcome of one probe, e.g. of the backend. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** Details, such as the problem; shown to operators by `/readyz?verbose`. */
  readonly detail?: string | undefined;
}

/** Why a child cannot start; decides the exit code of the service. */
export type StartFailure =
  | 'config'
  | 'listen'
  /** A directory or file of this machine. */
  | 'store'
  /** The store is another service, which does not answer: another start may find it well. */
  | 'unreachable'
  | 'internal';

export type FromChild =
  | { readonly type: 'prepared' | 'ready' }
  /** `lossless`: no connection that waits to be accepted will be reset. */
  | { readonly type: 'aside'; readonly lossless: boolean }
  | { readonly type: 'failed'; readonly failure: StartFailure; readonly message: string }
  | {
      readonly type: 'report';
      readonly checks: readonly HealthCheck[];
      readonly metrics: MetricSnapshot;
    }
  | { readonly type: 'metrics'; readonly id: number; readonly metrics: MetricSnapshot }
  | { readonly type: 'traced'; readonly batches: readonly TraceBatch[] }
  | { readonly type: 'draining'; readonly requestsInProgress: number }
  | { readonly type: 'drained'; readonly metrics: MetricSnapshot };
