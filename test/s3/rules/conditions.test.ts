import { expect } from 'chai';
import {
  evaluateReadConditions,
  preconditionFailed,
  rangeApplies,
  type ReadOutcome,
} from '../../../src/s3/rules/conditions.js';
import { formatHttpDate } from '../../../src/s3/rules/dates.js';
import { headers } from '../support.js';

const DAY = 86_400_000;
const MODIFIED = Date.UTC(2024, 5, 15, 12, 0, 0);
const NOW = MODIFIED + 30 * DAY;
/** With a fraction of a second, which no HTTP date has. */
const CURRENT = { etag: 'abc', lastModified: MODIFIED + 567 };

const SAME = formatHttpDate(MODIFIED);
const BEFORE = formatHttpDate(MODIFIED - DAY);
const AFTER = formatHttpDate(MODIFIED + DAY);
const FUTURE = formatHttpDate(NOW + DAY);

const proceed: ReadOutcome = 'proceed';
const notModified: ReadOutcome = 'not_modified';
const failed: ReadOutcome = 'precondition_failed';

const TABLE: readonly (readonly [
  headers: Readonly<Record<string, string>>,
  outcome: ReadOutcome,
])[] = [
  [{}, proceed],
  [{ 'if-match': '"abc"' }, proceed],
  [{ 'if-match': 'abc' }, proceed],
  [{ 'if-match': '*' }, proceed],
  [{ 'if-match': '"x", "abc"' }, proceed],
  [{ 'if-match': '"x","y"' }, failed],
  [{ 'if-match': 'W/"abc"' }, failed],
  [{ 'if-match': '' }, failed],
  [{ 'if-match': '"ABC"' }, failed],
  [{ 'if-none-match': '"abc"' }, notModified],
  [{ 'if-none-match': 'abc' }, notModified],
  [{ 'if-none-match': 'W/"abc"' }, notModified],
  [{ 'if-none-match': '*' }, notModified],
  [{ 'if-none-match': '"x" , W/"abc"' }, notModified],
  [{ 'if-none-match': '"x"' }, proceed],
  [{ 'if-none-match': '' }, proceed],
  [{ 'if-modified-since': BEFORE }, proceed],
  [{ 'if-modified-since': SAME }, notModified],
  [{ 'if-modified-since': AFTER }, notModified],
  [{ 'if-modified-since': FUTURE }, proceed],
  [{ 'if-modified-since': 'nonsense' }, proceed],
  [{ 'if-unmodified-since': BEFORE }, failed],
  [{ 'if-unmodified-since': SAME }, proceed],
  [{ 'if-unmodified-since': AFTER }, proceed],
  [{ 'if-unmodified-since': FUTURE }, proceed],
  [{ 'if-unmodified-since': 'nonsense' }, proceed],
  // AWS: "If-Match true and If-Unmodified-Since false: 200".
  [{ 'if-match': 'abc', 'if-unmodified-since': BEFORE }, proceed],
  [{ 'if-match': 'x', 'if-unmodified-since': AFTER }, failed],
  // AWS: "If-None-Match false and If-Modified-Since true: 304".
  [{ 'if-none-match': 'abc', 'if-modified-since': BEFORE }, notModified],
  [{ 'if-none-match': 'x', 'if-modified-since': AFTER }, proceed],
  // A failed precondition wins over an unchanged object.
  [{ 'if-match': 'x', 'if-none-match': 'abc' }, failed],
  [{ 'if-match': 'abc', 'if-none-match': 'abc' }, notModified],
  [{ 'if-unmodified-since': BEFORE, 'if-modified-since': AFTER }, failed],
  [{ 'if-unmodified-since': AFTER, 'if-modified-since': AFTER }, notModified],
  [{ 'if-match': 'abc', 'if-modified-since': AFTER }, notModified],
];

const IF_RANGE: readonly (readonly [value: string, applies: boolean])[] = [
  ['"abc"', true],
  ['"x"', false],
  ['W/"abc"', false],
  ['*', false],
  [SAME, true],
  [AFTER, false],
  [BEFORE, false],
];

describe('s3 rules: conditional reads', () => {
  for (const [given, outcome] of TABLE) {
    it(`${JSON.stringify(given)}: ${outcome}`, () => {
      expect(evaluateReadConditions(headers(given), CURRENT, NOW)).to.equal(outcome);
    });
  }

  it('names the condition that failed', () => {
    const match = preconditionFailed(headers({ 'if-match': 'x' }));
    expect(match.code).to.equal('PreconditionFailed');
    expect(match.details).to.deep.equal({ Condition: 'If-Match' });
    const { details } = preconditionFailed(headers({ 'if-unmodified-since': BEFORE }));
    expect(details).to.deep.equal({ Condition: 'If-Unmodified-Since' });
  });

  it('applies a range without If-Range', () => {
    expect(rangeApplies(headers({}), CURRENT)).to.be.true;
  });

  for (const [value, applies] of IF_RANGE) {
    it(`If-Range: ${value} ${applies ? 'applies' : 'drops'} the range`, () => {
      expect(rangeApplies(headers({ 'if-range': value }), CURRENT)).to.equal(applies);
    });
  }
});
