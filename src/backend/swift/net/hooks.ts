import type { SwiftMethod } from '../transport.js';

/** Why a request was sent once more. */
export type RetryReason = 'connect' | 'reset' | 'timeout' | 'status' | 'token';

/** How a request ended that was not answered. */
export type AttemptErrorName = 'connect' | 'reset' | 'timeout' | 'abort' | 'body';

export interface AttemptReport {
  /** As configured, e.g. `http://10.0.0.1:8080`. */
  readonly endpoint: string;
  readonly method: SwiftMethod;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly error: AttemptErrorName | undefined;
  /** Until the head of the answer was there, or none would come. */
  readonly seconds: number;
}

/** What the transport tells of itself. All are called for each request: cheap, and never throwing. */
export interface TransportHooks {
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
  readonly onRetry?: ((reason: RetryReason) => void) | undefined;
  /** The `Date` of an answer; all in milliseconds since the epoch, the others by this machine. */
  readonly onDate?: ((date: number, sentAt: number, receivedAt: number) => void) | undefined;
  /** An endpoint was ejected, or is back; `reason` is for the operator. */
  readonly onEndpoint?: ((endpoint: string, well: boolean, reason: string) => void) | undefined;
}

/** For metrics, at a moment. */
export interface TransportLoad {
  /** Connections that carry a request. */
  readonly active: number;
  /** Open connections that carry none. */
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}
