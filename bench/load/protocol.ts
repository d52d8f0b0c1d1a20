import type { DialectSettings } from '../dialects/dialect.js';
import type { FixtureName } from '../rows/fixtures.js';

/** The settings of a target that a generator process needs. */
export interface TargetSettings {
  readonly name: string;
  readonly dialect: DialectSettings;
  readonly bucket: string;
  readonly listKeys: number;
}

/** Which of several generator processes this is. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/** Calls to a generator process, by name: what goes in and what comes out. */
export interface GeneratorCalls {
  createBucket(target: TargetSettings): Promise<void>;
  /** @returns why there are no versions; undefined when there are */
  createVersionedBucket(target: TargetSettings): Promise<string | undefined>;
  /** Writes what is not there yet. */
  load(target: TargetSettings, fixture: FixtureName, share: Share): Promise<void>;
  /** Makes the requests of a slice and opens its connections. */
  prepare(target: TargetSettings, slice: SliceSettings, share: Share): Promise<void>;
  /** Does what was prepared. */
  run(seconds: number): Promise<SliceLoad>;
  /** Deletes both buckets with all that is in them. */
  purge(target: TargetSettings): Promise<void>;
}

export interface SliceSettings {
  readonly row: string;
  readonly slice: number;
  readonly concurrency: number;
  /** Operations that this process is to prepare. */
  readonly operations: number;
}

/** The work of one process in a slice. */
export interface SliceLoad {
  readonly operations: number;
  /** Seconds from the start to the last answer. */
  readonly seconds: number;
  readonly errors: number;
  /** The first few, in words. */
  readonly problems: readonly string[];
  /** Histogram of latencies in microseconds, encoded. */
  readonly latency: string;
  /** CPU of this process in the slice. */
  readonly cpuMs: number;
  /** Bytes that the row's other clients moved meanwhile, where this process has them. */
  readonly besideBytesPerS?: number;
}

/** One call on the way to the process, and its answer. */
export interface CallMessage {
  readonly id: number;
  readonly name: keyof GeneratorCalls;
  readonly args: readonly unknown[];
}

export interface AnswerMessage {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}
