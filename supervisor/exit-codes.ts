import type { StartFailure } from '../src/processes/protocol.js';

/**
 * Exit codes, as in BSD's sysexits.h where it has one that fits; docs/operations.md lists them and
 * is held against this table by a test.
 */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'done; after a signal: drained' },
  drainTimeout: {
    code: 1,
    meaning:
      'requests were cut: `drain_timeout_ms` ran out, or a second signal came; `ringway store check` found faults',
  },
  usage: { code: 64, meaning: 'unknown command or flag, or a flag whose value cannot be used' },
  noInput: {
    code: 66,
    meaning:
      '`ringway repair` found no such bucket, or several accounts have one; `ringway capsule verify` or `ringway store import` cannot read the file',
  },
  notRunning: { code: 68, meaning: 'no service runs on the data directory' },
  listen: { code: 69, meaning: 'an address is in use or cannot be listened on' },
  internal: { code: 70, meaning: 'internal error, or a listener that crashed again and again' },
  incomplete: {
    code: 71,
    meaning:
      '`ringway janitor`, `ringway repair` or `ringway store` could not do all that was to be done',
  },
  unready: {
    code: 72,
    meaning:
      'the service, or with `reload` its new processes, did not become ready, such as when no proxy of Swift answers (after a reload the former ones go on); or `--timeout-ms` ran out',
  },
  dataDirectory: {
    code: 73,
    meaning:
      'the data directory, `cold_dir` or the file of `access_log` cannot be created, read or written; the working directory is gone',
  },
  full: { code: 74, meaning: 'the device of the data directory is full, at a first start' },
  locked: {
    code: 75,
    meaning:
      'another instance uses the data directory, or another janitor is at work; the store is not empty (`ringway store import`)',
  },
  format: {
    code: 76,
    meaning: 'the store in the data directory has a format that this release cannot use',
  },
  stopped: {
    code: 77,
    meaning: 'the service was stopped before `reload` or `wait-ready` was done',
  },
  config: { code: 78, meaning: 'the configuration, or the credentials, cannot be used' },
  altered: {
    code: 79,
    meaning:
      'the audit log of the console (`--verify-audit`), or a capsule, is not as it was written',
  },
  output: { code: 80, meaning: 'the result could not be written to stdout, which may be full' },
  cluster: {
    code: 81,
    meaning: '`ringway check --cluster` found something wrong with a proxy of the cluster',
  },
  untrusted: {
    code: 82,
    meaning: 'a capsule is whole, and signed by none of the keys in `--trusted-keys`',
  },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly meaning: string }>>;

export type ExitReason = keyof typeof EXIT_CODES;

/** Why the service ends when a process of it cannot start. */
export const REASON_OF_START: Readonly<Record<StartFailure, ExitReason>> = {
  config: 'config',
  listen: 'listen',
  store: 'dataDirectory',
  unreachable: 'unready',
  internal: 'internal',
};

/** A failure that the operator can understand from its message alone. */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly reason: ExitReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
