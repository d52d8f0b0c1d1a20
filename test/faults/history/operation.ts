import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The acts of clients and their answers: the recorded history of a race, one operation a line when
 * it is written to a file. It holds all that the checker knows.
 */

/**
 * Microseconds of CLOCK_MONOTONIC, which all processes of a machine share. A start is taken before
 * the request is sent and rounded down, an end after the answer is read and rounded up.
 */
export type Instant = number;

/** MD5 of a body in hex: what S3 shows as ETag. No two PUTs of a history send the same body. */
export type BodyId = string;

/** As the header says; undefined: there was no header, as of an unversioned bucket. */
export type ToldVersion = string | undefined;

/**
 * `refused`: the answer says that nothing was done. `unknown`: it may have been done, or be done
 * later, but not twice: no answer came, or one that leaves it open.
 */
export type Outcome<Result> =
  | ({ readonly result: 'ok' } & Result)
  | { readonly result: 'refused'; readonly why: string }
  | { readonly result: 'unknown'; readonly why: string };

interface Recorded {
  /** Who did it, for messages. */
  readonly client: string;
  readonly start: Instant;
  readonly end: Instant;
}

export interface PutOperation extends Recorded {
  readonly op: 'put';
  readonly key: string;
  readonly body: BodyId;
  readonly outcome: Outcome<{ readonly version?: ToldVersion }>;
}

/** DELETE without a version id. */
export interface DeleteOperation extends Recorded {
  readonly op: 'delete';
  readonly key: string;
  readonly outcome: Outcome<{ readonly version?: ToldVersion; readonly marker: boolean }>;
}

export interface RemoveOperation extends Recorded {
  readonly op: 'delete-version';
  readonly key: string;
  readonly version: string;
  readonly outcome: Outcome<object>;
}

export type ReadResult =
  | { readonly found: 'version'; readonly version?: ToldVersion; readonly body: BodyId }
  /** 404 of a key whose latest entry is one; 405 with its version id. */
  | { readonly found: 'delete-marker'; readonly version?: ToldVersion }
  | { readonly found: 'nothing' };

/** GET or HEAD, of the current version or of the one that is named. */
export interface ReadOperation extends Recorded {
  readonly op: 'get' | 'head';
  readonly key: string;
  readonly version?: string;
  readonly outcome: Outcome<ReadResult>;
}

export interface ListedEntry {
  readonly kind: 'version' | 'delete-marker';
  readonly version: string;
  /** Of a version. */
  readonly body?: BodyId;
  readonly latest: boolean;
}

/** One answer of ListObjectVersions about a key, newest first. All of the key is in it. */
export interface ListOperation extends Recorded {
  readonly op: 'list';
  readonly key: string;
  readonly outcome: Outcome<{ readonly entries: readonly ListedEntry[] }>;
}

export type BucketState = 'unversioned' | 'Enabled' | 'Suspended';

export interface SetStateOperation extends Recorded {
  readonly op: 'set-state';
  readonly state: BucketState;
  readonly outcome: Outcome<object>;
}

export type KeyOperation =
  PutOperation | DeleteOperation | RemoveOperation | ReadOperation | ListOperation;

export type Operation = KeyOperation | SetStateOperation;

export function writeHistory(file: string, operations: readonly Operation[]): void {
  writeFileSync(file, operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''));
}

export function readHistory(file: string): Operation[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Operation);
}

/** For people: `w3 put a/1 ok @1200-1850`. */
export function describeOperation(operation: Operation): string {
  const { client, op, start, end, outcome } = operation;
  const of = operation.op === 'set-state' ? operation.state : operation.key;
  return `${client} ${op} ${of} ${outcome.result} @${start}-${end}`;
}
