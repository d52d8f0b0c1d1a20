import type { ChildInit, StartFailure } from './protocol.js';

/**
 * The messages over Node's IPC channel between `ringway janitor`, `ringway repair` or
 * `ringway store` and the process that does the work. The process writes its lines to the stdout
 * that it inherits, and ends with 0 when all went well; else it says why.
 */

export type JanitorMode = 'dry-run' | 'once';

export interface JanitorOrder {
  readonly mode: JanitorMode;
}

export interface RepairOrder {
  readonly bucket: string;
  /** Undefined: all keys. */
  readonly key: string | undefined;
  /** Undefined: the one account that has the bucket. */
  readonly account: string | undefined;
  /** Look, and change nothing. */
  readonly isDry: boolean;
}

type StoreAccess = Pick<ChildInit, 'options' | 'credentials'>;
export type JanitorCommandInit = StoreAccess & JanitorOrder;
export type RepairCommandInit = StoreAccess & RepairOrder;

export type CommandFailure =
  /** The store cannot be opened. */
  | StartFailure
  /** Another janitor is at work. */
  | 'busy'
  /** No account has the bucket, or several do and none is named. */
  | 'no-bucket'
  /** The pass came to no end, or not all of its actions could be carried out. */
  | 'incomplete'
  /** The check of the store has found faults. */
  | 'damaged'
  /** The export cannot be read. */
  | 'export'
  /** All is done, but stdout did not take all that was to be said of it. */
  | 'output';

export interface CommandFailed {
  readonly failure: CommandFailure;
  readonly message: string;
}
