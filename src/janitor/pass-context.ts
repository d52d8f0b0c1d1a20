import type { Backend, CallContext } from '../backend/backend.js';
import type { ActionOutcome, JanitorAction } from './actions.js';
import type { VersionedKeys } from '../s3/versions/versioned-keys.js';
import type { ColdSettings } from './cold-settings.js';
import type { ExpireVersionAction, VersionBatch } from './version-action.js';

/** Does what a pass finds to be done, or only tells. */
export interface Executor {
  /** Resolves when the pass may go on; the outcome may be reported later. */
  carryOut(action: Exclude<JanitorAction, ExpireVersionAction>): Promise<void>;
  /** The same of versions of one key, which go together. */
  expireVersions(batch: VersionBatch): Promise<void>;
  /** Resolves when all outcomes are reported. */
  settle(): Promise<void>;
}

/** Where outcomes go: metrics, the log, a terminal. */
export type Report = (action: JanitorAction, outcome: ActionOutcome, error?: unknown) => void;

/** What all parts of one pass over one account have in common. */
export interface PassContext {
  readonly backend: Backend;
  readonly call: CallContext;
  readonly account: string;
  readonly executor: Executor;
  readonly settings: PassSettings;
  readonly versions: VersionedKeys;
  /** Undefined without a cold backend. */
  readonly cold?: ColdSettings | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** So many objects or parts have been looked at. */
  readonly looked: (count: number) => void;
  /** A container that cannot be read, or a bucket's rules, were left out. */
  readonly unreadable: (container: string, error: unknown) => void;
}

export interface PassSettings {
  /** The configured ones, warmer ones first. */
  readonly storageClasses: readonly string[];
  /** Younger parts are nobody's garbage. */
  readonly segmentSweepAgeMs: number;
  /** What commits of versions leave behind is left alone while it is younger. */
  readonly versionSweepAgeMs: number;
}

/** Entries asked for at once; what a pass holds in memory is a page or two. */
export const PAGE = 1000;

/** Calls under way at once: enough to share the store's commits, not enough to crowd it. */
export const CONCURRENCY = 16;
