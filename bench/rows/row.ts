import type { Dialect, Feature } from '../dialects/dialect.js';
import type { Connection, Reply } from '../load/connection.js';
import type { WireRequest } from '../load/wire.js';
import type { FixtureName } from './fixtures.js';

/** Several requests one after the other, where a later one needs an earlier one's answer. */
export type Script = (connection: Connection) => Promise<Reply>;

export type Operation = WireRequest | Script;

/** The operations of one slice, made before it begins. */
export interface Workload {
  /**
   * @param client which of the clients asks, from 0
   * @returns undefined when none is left: the slice ends early
   */
  next(client: number): Operation | undefined;
}

/** The means of a row to prepare a slice. */
export interface RowContext {
  readonly dialect: Dialect;
  /** The bucket of the row: the one that keeps versions, where the row needs versions. */
  readonly bucket: string;
  /** Begins the keys that only this process writes for this target. */
  readonly ownPrefix: string;
  readonly slice: number;
  /** How many operations the slice is expected to do at most. */
  readonly operations: number;
  readonly listKeys: number;
  /** Does requests that are not measured. @throws Error with the first problem */
  readonly run: (requests: Iterable<WireRequest>) => Promise<void>;
  /** @throws Error when the answer is not as expected */
  readonly fetch: (request: WireRequest) => Promise<Buffer>;
}

/** One line of the benchmark. */
export interface Row {
  readonly name: string;
  readonly title: string;
  /** Operations in flight. */
  readonly concurrency: readonly number[];
  /** The concurrency with `--quick`. */
  readonly quickConcurrency: readonly number[];
  readonly needs: readonly Feature[];
  readonly fixtures: readonly FixtureName[];
  /** Bytes of content that one operation moves; 0 where MB/s would say nothing. */
  readonly bytes: number;
  /**
   * Bounds of what a slice prepares, besides what the last one's rate calls for. Rows that go round
   * over the same requests need no more than one of each.
   */
  readonly prepared?: { readonly first: number; readonly max: number };
  readonly prepare: (context: RowContext) => Workload | Promise<Workload>;
  /** Other clients at the same time: neither counted nor timed, but they may not fail. */
  readonly beside?: Beside;
}

export interface Beside {
  readonly clients: number;
  /** Bytes of content that one of their operations moves. */
  readonly bytes: number;
  readonly prepare: Row['prepare'];
}
