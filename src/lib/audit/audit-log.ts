import type { Chained, ChainFormat } from '../chained-log/chain-files.js';
import { ChainedLog, type ChainedLogOptions } from '../chained-log/chained-log.js';
import { verifyChain, type ChainVerdict } from '../chained-log/verify-chain.js';

export interface AuditEvent {
  readonly actor: string;
  readonly role: string;
  readonly ip: string;
  /** The action, such as `login` or `files.purge`. */
  readonly action: string;
  readonly target: string;
  /**
   * An action of some length has two records with the same request: one before it is done, and one
   * of its outcome. `partial` is some of many names.
   */
  readonly result: AuditResult;
  readonly request_id: string;
  /** The account whose containers it is about; empty before a login, and for other events. */
  readonly account?: string;
  /** How it was done, and to how many; bounded by its writer. */
  readonly details?: AuditDetails;
}

export const AUDIT_RESULTS = ['begun', 'ok', 'partial', 'denied', 'failed'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

export type AuditDetails = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>;

export type AuditRecord = AuditEvent & Chained;
export type AuditVerdict = ChainVerdict;
export type AuditLogOptions = Pick<ChainedLogOptions<AuditEvent>, 'now' | 'bytesMax'>;

/** The log with a line for each action and its user. */
export type AuditLog = ChainedLog<AuditEvent>;

const TEXT_LENGTH_MAX = 2048;
/** The length as JSON. */
const DETAILS_LENGTH_MAX = 24 * 1024;
/** Its target names a file that was let go, and the digest of that file's last line. */
const DROP_ACTION = 'audit.drop';

const AUDIT: ChainFormat<AuditEvent> = {
  name: 'audit',
  bounded: (event) => ({
    ...event,
    actor: event.actor.slice(0, TEXT_LENGTH_MAX),
    target: event.target.slice(0, TEXT_LENGTH_MAX),
    ...(event.details === undefined ? {} : { details: bounded(event.details) }),
  }),
  dropEntry: (file, digest) => ({
    ...{ actor: 'console', role: '', ip: '', request_id: '' },
    action: DROP_ACTION,
    target: `${file} ${digest}`,
    result: 'ok',
  }),
  droppedDigest: ({ action, target }) =>
    action === DROP_ACTION ? (target.split(' ')[1] ?? '') : undefined,
};

/** @throws system errors when the files cannot be read and written */
export function openAuditLog(directory: string, options: AuditLogOptions = {}): Promise<AuditLog> {
  return ChainedLog.open(directory, AUDIT, options);
}

/**
 * Checks that the files of an audit log are as they were written, for programs that do not write it.
 * @throws system errors when a file cannot be read
 */
export function verifyAudit(directory: string): Promise<AuditVerdict> {
  return verifyChain(directory, AUDIT);
}

/** A line has to be one that is read back. */
function bounded(details: AuditDetails): AuditDetails {
  return JSON.stringify(details).length <= DETAILS_LENGTH_MAX ? details : { too_long: true };
}
