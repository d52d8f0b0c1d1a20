import type { DialectSettings } from '../dialects/dialect.js';

/** Processes whose CPU is shown together, such as a gateway, or the store behind it. */
export interface ProcessGroup {
  readonly name: string;
  /** Their descendants count too. */
  readonly pids: readonly number[];
}

/** A server under measurement. */
export interface Target {
  /** The name in tables; letters, digits, hyphens and dots. */
  readonly name: string;
  /** A description for the report: version, configuration. */
  readonly description: string;
  readonly dialect: DialectSettings;
  /** The target's processes. If they are unknown, there are no figures of CPU and memory. */
  readonly groups: readonly ProcessGroup[];
  /** Listener processes that can be profiled. */
  readonly profiled?: readonly number[];
  /** Whether what was stored has to be deleted: the store outlives the run. */
  readonly keepsData: boolean;
  stop(): Promise<void>;
}

/** A target that cannot be started or reached, in words for the user. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}
