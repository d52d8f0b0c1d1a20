import type { ClockState } from '../../../clock/reading.js';
import { S3Error } from '../../errors.js';
import { isExpired, type LegalHold, type Retention, type RetentionMode } from './retention.js';

/**
 * The rules of locks: SPEC.md 3.3. Every change of a version's retention, and every deletion of a
 * version, is decided here first, lifecycle rules included.
 */

/** Whether the request asks to bypass GOVERNANCE, and whether its sender may. */
export type GovernanceBypass = 'not-requested' | 'not-permitted' | 'permitted';

export type LockDenial =
  'legal-hold' | 'compliance' | 'governance' | 'bypass-not-permitted' | 'clock-unhealthy';

export type LockDecision =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: LockDenial };

interface Circumstances {
  /** The version's retention; an expired one counts as none. */
  readonly existing: Retention | undefined;
  readonly bypass: GovernanceBypass;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly clock: ClockState;
}

export interface RetentionUpdate extends Circumstances {
  /** Valid in itself; undefined to remove the retention. */
  readonly requested: Retention | undefined;
}

export interface VersionDeletion extends Circumstances {
  readonly legalHold: LegalHold | undefined;
}

/** A requested change of a version under retention. */
type Wish = 'extend' | 'shorten' | 'change-mode' | 'remove' | 'delete';

type Answer = 'allow' | 'with-bypass' | 'deny';

/**
 * AWS counts from GOVERNANCE to COMPLIANCE among the changes that need the bypass, also with a
 * later date: a user who may only extend must not make a retention that cannot be lifted. The
 * bypass works as if there was no retention, so that the date may be an earlier one then.
 */
const ANSWERS: Readonly<Record<RetentionMode, Readonly<Record<Wish, Answer>>>> = {
  GOVERNANCE: {
    extend: 'allow',
    shorten: 'with-bypass',
    'change-mode': 'with-bypass',
    remove: 'with-bypass',
    delete: 'with-bypass',
  },
  COMPLIANCE: {
    extend: 'allow',
    shorten: 'deny',
    'change-mode': 'deny',
    remove: 'deny',
    delete: 'deny',
  },
};

const ALLOWED: LockDecision = { allowed: true };

/** @param permitted - whether the sender may bypass GOVERNANCE; it matters only when it is asked for */
export function governanceBypass(requested: boolean, permitted: boolean): GovernanceBypass {
  if (!requested) return 'not-requested';
  return permitted ? 'permitted' : 'not-permitted';
}

/** Whether the retention of a version may become what is requested. */
export function decideRetention(update: RetentionUpdate): LockDecision {
  const { existing, requested, clock } = update;
  if (clock === 'unhealthy' && isCompliance(existing, requested)) return denied('clock-unhealthy');
  return decide(update, (current) => wishOf(current, requested));
}

/** Whether a version may be deleted for good. A delete marker on top of it needs no leave. */
export function decideDeletion(deletion: VersionDeletion): LockDecision {
  const { existing, legalHold, clock } = deletion;
  if (legalHold === 'ON') return denied('legal-hold');
  if (clock === 'unhealthy' && isCompliance(existing)) return denied('clock-unhealthy');
  return decide(deletion, () => 'delete');
}

/** @throws S3Error `AccessDenied` unless the decision is to allow */
export function requireAllowed(decision: LockDecision): void {
  if (!decision.allowed) throw lockDenied(decision.reason);
}

/** The answer to a denied request. */
export function lockDenied(reason: LockDenial): S3Error {
  const message =
    reason === 'clock-unhealthy'
      ? 'Access Denied because COMPLIANCE retention needs a clock that is known to be right.'
      : 'Access Denied because object protected by object lock.';
  return new S3Error('AccessDenied', message);
}

/**
 * Expired ones too: whether a retention is expired is what a wrong clock cannot tell (SPEC.md 3.3:
 * "COMPLIANCE claims (new or existing)").
 */
function isCompliance(...claims: readonly (Retention | undefined)[]): boolean {
  return claims.some((claim) => claim?.mode === 'COMPLIANCE');
}

function decide(
  { existing, bypass, now }: Circumstances,
  wishFor: (current: Retention) => Wish,
): LockDecision {
  if (existing === undefined || isExpired(existing, now)) return ALLOWED;
  const answer = ANSWERS[existing.mode][wishFor(existing)];
  if (answer === 'allow') return ALLOWED;
  if (answer === 'deny') return denied('compliance');
  if (bypass === 'permitted') return ALLOWED;
  return denied(bypass === 'not-permitted' ? 'bypass-not-permitted' : 'governance');
}

/** The same date counts as extending: nothing becomes less. */
function wishOf(current: Retention, requested: Retention | undefined): Wish {
  if (requested === undefined) return 'remove';
  if (requested.mode !== current.mode) return 'change-mode';
  return requested.retainUntil < current.retainUntil ? 'shorten' : 'extend';
}

function denied(reason: LockDenial): LockDecision {
  return { allowed: false, reason };
}
