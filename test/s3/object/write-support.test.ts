import { expect } from 'chai';
import type { Capabilities, WritePrecondition } from '../../../src/backend/backend.js';
import {
  requireConditionSupport,
  requireDeleteConditionSupport,
  requireVersionConditionSupport,
} from '../../../src/s3/object/condition-support.js';
import { S3Error } from '../../../src/s3/errors.js';
import { WEAK_STORE } from '../support.js';

const ABSENT: WritePrecondition = { absent: true };
const MATCH: WritePrecondition = { etag: 'x' };

function capabilities(atomicCreate: boolean, conditionalReplace: boolean): Capabilities {
  return { ...WEAK_STORE, atomicCreate, conditionalReplace };
}

function isRefused<Condition>(
  decide: (condition: Condition, of: Capabilities) => void,
  condition: Condition,
  of: Capabilities,
): boolean {
  try {
    decide(condition, of);
    return false;
  } catch (error) {
    expect(error).to.be.instanceOf(S3Error).with.property('code', 'NotImplemented');
    return true;
  }
}

describe('conditions that a store cannot decide atomically', () => {
  const rows = [
    // Of objects: If-None-Match and If-Match; of versions: both, since an index decides.
    [capabilities(true, true), false, false, false],
    [capabilities(true, false), false, true, false],
    [capabilities(false, true), true, false, true],
    [capabilities(false, false), true, true, true],
  ] as const;
  for (const [of, absent, match, versions] of rows) {
    it(`atomicCreate ${of.atomicCreate}, conditionalReplace ${of.conditionalReplace}`, () => {
      const refused = [ABSENT, MATCH].flatMap((condition) => [
        isRefused(requireConditionSupport, condition, of),
        isRefused(requireVersionConditionSupport, condition, of),
      ]);
      expect(refused).to.deep.equal([absent, versions, match, versions]);
      requireVersionConditionSupport(undefined, of);
      requireConditionSupport(undefined, of);
    });
  }

  it('are refused of deletions where several of one object may succeed', () => {
    const able = { ...capabilities(false, false), exclusiveDelete: true };
    const conditions = [{ present: true }, { present: true, etag: 'x' }] as const;
    for (const condition of conditions) {
      requireDeleteConditionSupport(condition, able);
      const weak = capabilities(true, true);
      expect(isRefused(requireDeleteConditionSupport, condition, weak)).to.equal(true);
      requireDeleteConditionSupport(undefined, weak);
      requireVersionConditionSupport(condition, weak);
    }
  });
});
