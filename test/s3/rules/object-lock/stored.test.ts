import { expect } from 'chai';
import fc from 'fast-check';
import type { Metadata } from '../../../../src/backend/backend.js';
import { lockHeaders } from '../../../../src/s3/rules/object-lock/headers.js';
import type { RetentionMode } from '../../../../src/s3/rules/object-lock/retention.js';
import {
  legalHoldPatch,
  lockMetadata,
  retentionPatch,
  storedLegalHold,
  storedRetention,
} from '../../../../src/s3/rules/object-lock/stored.js';
import { expectS3Error } from '../../support.js';

const RETENTION = 's3-object-lock-retention';
const LEGAL_HOLD = 's3-object-lock-legal-hold';
const UNTIL = Date.UTC(2030, 0, 1);

const DAMAGED_RETENTIONS = [
  '',
  'GOVERNANCE',
  'GOVERNANCE;',
  ';2030-01-01T00:00:00.000Z',
  'governance;2030-01-01T00:00:00.000Z',
  'OTHER;2030-01-01T00:00:00.000Z',
  'GOVERNANCE;2030-01-01',
  'GOVERNANCE;2030-01-01T00:00:00Z',
  'GOVERNANCE;2030-02-30T00:00:00.000Z',
  'GOVERNANCE;2030-01-01T25:00:00.000Z',
  'GOVERNANCE;2030-01-01T00:00:00.000Z ',
  'GOVERNANCE;2030-01-01T00:00:00.000Z;x',
];

describe('s3 rules: locks in system metadata', () => {
  it('have the form that is documented', () => {
    const retention = { mode: 'GOVERNANCE', retainUntil: UNTIL } as const;
    expect(retentionPatch(retention)).to.deep.equal({
      [RETENTION]: 'GOVERNANCE;2030-01-01T00:00:00.000Z',
    });
    expect(legalHoldPatch('ON')).to.deep.equal({ [LEGAL_HOLD]: 'ON' });
    expect(lockMetadata(retention, 'OFF')).to.deep.equal({
      [RETENTION]: 'GOVERNANCE;2030-01-01T00:00:00.000Z',
      [LEGAL_HOLD]: 'OFF',
    });
    expect(lockMetadata(undefined, undefined)).to.deep.equal({});
  });

  it('are absent where none are stored', () => {
    expect(storedRetention({})).to.equal(undefined);
    expect(storedLegalHold({})).to.equal(undefined);
  });

  it('are removed by a patch without a retention', () => {
    expect(retentionPatch(undefined)).to.deep.equal({ [RETENTION]: null });
  });

  it('come back as they were stored', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<RetentionMode>('GOVERNANCE', 'COMPLIANCE'),
        fc.integer({ min: 0, max: 4_000_000_000 }),
        fc.constantFrom('ON' as const, 'OFF' as const),
        (mode, seconds, legalHold) => {
          const retention = { mode, retainUntil: seconds * 1000 };
          const stored = lockMetadata(retention, legalHold);
          expect(storedRetention(stored)).to.deep.equal(retention);
          expect(storedRetention(retentionPatch(retention) as Metadata)).to.deep.equal(retention);
          expect(storedLegalHold(stored)).to.equal(legalHold);
        },
      ),
    );
  });

  it('are never read as less than is stored', () => {
    const stored = { [RETENTION]: 'COMPLIANCE;2030-01-01T00:00:00.001Z' };
    expect(storedRetention(stored)?.retainUntil).to.equal(UNTIL + 1000);
  });

  for (const stored of DAMAGED_RETENTIONS) {
    it(`fail closed on the retention ${JSON.stringify(stored)}`, () => {
      const error = expectS3Error(() => storedRetention({ [RETENTION]: stored }), 'InternalError');
      expect(String(error.cause)).to.contain('retention');
    });
  }

  for (const stored of ['', 'on', 'true', 'ON ']) {
    it(`fail closed on the legal hold ${JSON.stringify(stored)}`, () => {
      const error = expectS3Error(() => storedLegalHold({ [LEGAL_HOLD]: stored }), 'InternalError');
      expect(String(error.cause)).to.contain('legal hold');
    });
  }
});

describe('s3 rules: locks in the headers of an answer', () => {
  for (const [stored, headers] of [
    [{}, []],
    [{ [LEGAL_HOLD]: 'OFF' }, [['x-amz-object-lock-legal-hold', 'OFF']]],
    [
      { [RETENTION]: 'COMPLIANCE;2030-01-01T00:00:00.000Z', [LEGAL_HOLD]: 'ON' },
      [
        ['x-amz-object-lock-mode', 'COMPLIANCE'],
        ['x-amz-object-lock-retain-until-date', '2030-01-01T00:00:00.000Z'],
        ['x-amz-object-lock-legal-hold', 'ON'],
      ],
    ],
    // The data can still be read.
    [{ [RETENTION]: 'x', [LEGAL_HOLD]: 'ON' }, [['x-amz-object-lock-legal-hold', 'ON']]],
    [{ [RETENTION]: 'x', [LEGAL_HOLD]: 'x' }, []],
  ] as const) {
    it(`of ${JSON.stringify(stored)}`, () => {
      expect(lockHeaders(stored)).to.deep.equal(headers);
    });
  }
});
