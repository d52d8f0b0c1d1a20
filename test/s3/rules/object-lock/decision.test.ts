import { expect } from 'chai';
import fc from 'fast-check';
import {
  decideDeletion,
  decideRetention,
  governanceBypass,
  lockDenied,
  requireAllowed,
  type GovernanceBypass,
  type LockDecision,
  type LockDenial,
} from '../../../../src/s3/rules/object-lock/decision.js';
import {
  isExpired,
  type Retention,
  type RetentionMode,
} from '../../../../src/s3/rules/object-lock/retention.js';
import type { ClockState } from '../../../../src/clock/reading.js';
import { expectS3Error } from '../../support.js';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** `G+2`: GOVERNANCE until two days from now; `C-1`: COMPLIANCE, expired; `-`: none. */
function retention(text: string): Retention | undefined {
  if (text === '-') return undefined;
  const mode: RetentionMode = text.startsWith('G') ? 'GOVERNANCE' : 'COMPLIANCE';
  return { mode, retainUntil: NOW + Number(text.slice(1)) * DAY_MS };
}

function decision(denial: LockDenial | 'allow'): LockDecision {
  return denial === 'allow' ? { allowed: true } : { allowed: false, reason: denial };
}

const BYPASSES: readonly GovernanceBypass[] = ['not-requested', 'not-permitted', 'permitted'];

type Outcomes = readonly [
  notRequested: LockDenial | 'allow',
  notPermitted: LockDenial | 'allow',
  permitted: LockDenial | 'allow',
];

const ALLOW: Outcomes = ['allow', 'allow', 'allow'];
const NEVER: Outcomes = ['compliance', 'compliance', 'compliance'];
const BYPASS: Outcomes = ['governance', 'bypass-not-permitted', 'allow'];
const CLOCK: Outcomes = ['clock-unhealthy', 'clock-unhealthy', 'clock-unhealthy'];

/** SPEC.md 3.3, row by row; the last column is with an unhealthy clock. */
const UPDATES: readonly (readonly [
  existing: string,
  requested: string,
  outcomes: Outcomes,
  unhealthy: Outcomes,
])[] = [
  // none, or already expired: any valid retention
  ['-', 'G+1', ALLOW, ALLOW],
  ['-', 'C+1', ALLOW, CLOCK],
  ['-', '-', ALLOW, ALLOW],
  ['G-1', 'G+1', ALLOW, ALLOW],
  ['G-1', 'C+1', ALLOW, CLOCK],
  ['G-1', '-', ALLOW, ALLOW],
  ['G+0', '-', ALLOW, ALLOW],
  ['C-1', 'G+1', ALLOW, CLOCK],
  ['C-1', 'C+1', ALLOW, CLOCK],
  ['C-1', '-', ALLOW, CLOCK],
  ['C+0', '-', ALLOW, CLOCK],
  // GOVERNANCE: longer, the same, shorter
  ['G+2', 'G+3', ALLOW, ALLOW],
  ['G+2', 'G+2', ALLOW, ALLOW],
  ['G+2', 'G+1', BYPASS, BYPASS],
  ['G+2', '-', BYPASS, BYPASS],
  // GOVERNANCE to COMPLIANCE: with an earlier, the same and a later date
  ['G+2', 'C+1', BYPASS, CLOCK],
  ['G+2', 'C+2', BYPASS, CLOCK],
  ['G+2', 'C+3', BYPASS, CLOCK],
  // COMPLIANCE: longer, the same, shorter
  ['C+2', 'C+3', ALLOW, CLOCK],
  ['C+2', 'C+2', ALLOW, CLOCK],
  ['C+2', 'C+1', NEVER, CLOCK],
  ['C+2', '-', NEVER, CLOCK],
  // COMPLIANCE to GOVERNANCE
  ['C+2', 'G+1', NEVER, CLOCK],
  ['C+2', 'G+2', NEVER, CLOCK],
  ['C+2', 'G+3', NEVER, CLOCK],
];

const DELETIONS: readonly (readonly [existing: string, outcomes: Outcomes, unhealthy: Outcomes])[] =
  [
    ['-', ALLOW, ALLOW],
    ['G-1', ALLOW, ALLOW],
    ['G+0', ALLOW, ALLOW],
    ['G+1', BYPASS, BYPASS],
    ['C-1', ALLOW, CLOCK],
    ['C+0', ALLOW, CLOCK],
    ['C+1', NEVER, CLOCK],
  ];

/** `unchecked` is as good as `healthy`. */
const CLOCKS: readonly (readonly [clock: ClockState, unhealthy: boolean])[] = [
  ['unchecked', false],
  ['healthy', false],
  ['unhealthy', true],
];

describe('s3 rules: decisions of Object Lock', () => {
  for (const [clock, isUnhealthy] of CLOCKS) {
    for (const [existing, requested, outcomes, unhealthy] of UPDATES) {
      it(`update ${existing} to ${requested}, clock ${clock}`, () => {
        const update = { existing: retention(existing), requested: retention(requested) };
        const decisions = BYPASSES.map((bypass) =>
          decideRetention({ ...update, bypass, now: NOW, clock }),
        );
        expect(decisions).to.deep.equal((isUnhealthy ? unhealthy : outcomes).map(decision));
      });
    }

    for (const [existing, outcomes, unhealthy] of DELETIONS) {
      it(`delete ${existing}, clock ${clock}`, () => {
        for (const legalHold of [undefined, 'OFF'] as const) {
          const decisions = BYPASSES.map((bypass) =>
            decideDeletion({ existing: retention(existing), legalHold, bypass, now: NOW, clock }),
          );
          expect(decisions).to.deep.equal((isUnhealthy ? unhealthy : outcomes).map(decision));
        }
      });

      it(`delete ${existing} under a legal hold, clock ${clock}`, () => {
        for (const bypass of BYPASSES) {
          const lock = { existing: retention(existing), legalHold: 'ON' } as const;
          const decided = decideDeletion({ ...lock, bypass, now: NOW, clock });
          expect(decided).to.deep.equal(decision('legal-hold'));
        }
      });
    }
  }

  it('know a bypass only when it is asked for', () => {
    expect(governanceBypass(false, false)).to.equal('not-requested');
    expect(governanceBypass(false, true)).to.equal('not-requested');
    expect(governanceBypass(true, false)).to.equal('not-permitted');
    expect(governanceBypass(true, true)).to.equal('permitted');
  });

  it('deny with AccessDenied, and say when it is for the clock', () => {
    const { message } = expectS3Error(() => {
      requireAllowed({ allowed: false, reason: 'governance' });
    }, 'AccessDenied');
    expect(message).to.equal('Access Denied because object protected by object lock.');
    expect(lockDenied('clock-unhealthy').message).to.contain('clock');
    requireAllowed({ allowed: true });
  });
});

/** How much a retention protects at a time: 2 from everybody, 1 from those without the bypass. */
function protection(current: Retention | undefined, at: number): number {
  if (current === undefined || isExpired(current, at)) return 0;
  return current.mode === 'COMPLIANCE' ? 2 : 1;
}

const anyRetention = fc.option(
  fc.record({
    mode: fc.constantFrom<RetentionMode>('GOVERNANCE', 'COMPLIANCE'),
    retainUntil: fc.integer({ min: -3, max: 3 }).map((days) => NOW + days * DAY_MS),
  }),
  { nil: undefined },
);

const anyUpdate = fc.record({
  existing: anyRetention,
  requested: anyRetention,
  bypass: fc.constantFrom(...BYPASSES),
  now: fc.constant(NOW),
  clock: fc.constantFrom<ClockState>('healthy', 'unhealthy', 'unchecked'),
});

describe('s3 rules: what Object Lock never does', () => {
  it('protects less than before from any user whom the retention is against', () => {
    fc.assert(
      fc.property(anyUpdate, fc.integer({ min: 0, max: 4 }), (update, days) => {
        if (!decideRetention(update).allowed) return;
        const at = NOW + days * DAY_MS;
        const before = protection(update.existing, at);
        const after = protection(update.requested, at);
        // A user who may bypass GOVERNANCE may remove it all; COMPLIANCE yields to no user.
        const floor = update.bypass === 'permitted' && before === 1 ? 0 : before;
        expect(after).to.be.at.least(floor);
      }),
    );
  });

  it('allows to delete what it does not allow to unlock', () => {
    fc.assert(
      fc.property(anyUpdate, (update) => {
        const deletion = decideDeletion({ ...update, legalHold: undefined });
        const removal = decideRetention({ ...update, requested: undefined });
        expect(deletion).to.deep.equal(removal);
      }),
    );
  });

  it('denies more for a permitted bypass, or for a clock that is right', () => {
    fc.assert(
      fc.property(anyUpdate, (update) => {
        if (!decideRetention(update).allowed) return;
        const eased = decideRetention({ ...update, bypass: 'permitted', clock: 'healthy' });
        expect(eased.allowed).to.equal(true);
      }),
    );
  });
});
