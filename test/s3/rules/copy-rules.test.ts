import { expect } from 'chai';
import { requireCopyConditions } from '../../../src/s3/rules/copy-conditions.js';
import {
  parseCopyDirectives,
  refuseCopyOntoItself,
} from '../../../src/s3/rules/copy-directives.js';
import { parseCopyRange, requireRangeWithin } from '../../../src/s3/rules/copy-range.js';
import { formatHttpDate } from '../../../src/s3/rules/dates.js';
import { expectInvalidArgument, expectS3Error, headers } from '../support.js';

const DAY = 86_400_000;
const MODIFIED = Date.UTC(2024, 5, 15, 12, 0, 0);
const NOW = MODIFIED + 30 * DAY;
const SOURCE = { etag: 'abc', lastModified: MODIFIED + 567 };

const SAME = formatHttpDate(MODIFIED);
const BEFORE = formatHttpDate(MODIFIED - DAY);
const AFTER = formatHttpDate(MODIFIED + DAY);
/** Yesterday, as clients write it too. */
const BEFORE_IN_OTHER_FORMS = [
  BEFORE.replace('GMT', '+0000'),
  BEFORE.replace('GMT', '-0000'),
  BEFORE.replace('GMT', 'UTC'),
  new Date(MODIFIED - DAY).toISOString(),
  new Date(MODIFIED - DAY).toISOString().replaceAll(/[-:]|\.000/g, ''),
];

type Condition = 'If-Match' | 'If-None-Match' | 'If-Modified-Since' | 'If-Unmodified-Since';

/** Conditions of a copy, and the one that fails. */
const CONDITIONS: readonly (readonly [
  given: Readonly<Partial<Record<Condition, string>>>,
  failing?: Condition,
])[] = [
  [{}],
  [{ 'If-Match': '"abc"' }],
  [{ 'If-Match': 'abc' }],
  [{ 'If-Match': '"x"' }, 'If-Match'],
  [{ 'If-None-Match': '"x"' }],
  [{ 'If-None-Match': '"abc"' }, 'If-None-Match'],
  [{ 'If-None-Match': '*' }, 'If-None-Match'],
  [{ 'If-Modified-Since': BEFORE }],
  [{ 'If-Modified-Since': SAME }, 'If-Modified-Since'],
  [{ 'If-Modified-Since': AFTER }, 'If-Modified-Since'],
  [{ 'If-Unmodified-Since': SAME }],
  [{ 'If-Unmodified-Since': AFTER }],
  [{ 'If-Unmodified-Since': BEFORE }, 'If-Unmodified-Since'],
  ...BEFORE_IN_OTHER_FORMS.map(
    (date) => [{ 'If-Unmodified-Since': date }, 'If-Unmodified-Since'] as const,
  ),
  // AWS: "If-Match true and If-Unmodified-Since false: copies the data".
  [{ 'If-Match': 'abc', 'If-Unmodified-Since': BEFORE }],
  // AWS: "If-None-Match false and If-Modified-Since true: 412".
  [{ 'If-None-Match': 'abc', 'If-Modified-Since': BEFORE }, 'If-None-Match'],
  [{ 'If-Match': 'x', 'If-None-Match': 'abc' }, 'If-Match'],
];

describe('s3 rules: conditions of a copy', () => {
  for (const [given, failing] of CONDITIONS) {
    it(`${JSON.stringify(given)}: ${failing ?? 'proceeds'}`, () => {
      const conditions = new Map(
        Object.entries(given).map(([name, value]) => [
          `x-amz-copy-source-${name.toLowerCase()}`,
          value,
        ]),
      );
      const check = () => {
        requireCopyConditions(conditions, SOURCE, NOW);
      };
      if (failing === undefined) check();
      else
        expectS3Error(check, 'PreconditionFailed', { Condition: `x-amz-copy-source-${failing}` });
    });
  }

  for (const name of [
    'x-amz-copy-source-if-modified-since',
    'x-amz-copy-source-if-unmodified-since',
  ]) {
    it(`${name} is never left out for a date that cannot be read`, () => {
      for (const value of ['nonsense', '', 'Sun, 06 Nov 1994 08:49:37 CET']) {
        const given = headers({ [name]: value });
        const { details } = expectS3Error(() => {
          requireCopyConditions(given, SOURCE, NOW);
        }, 'InvalidArgument');
        expect(details.ArgumentName?.toLowerCase()).to.equal(name);
      }
    });
  }

  it("leaves the target's conditions alone", () => {
    requireCopyConditions(headers({ 'if-match': 'x', 'if-none-match': '*' }), SOURCE, NOW);
  });
});

describe('s3 rules: directives of a copy', () => {
  const of = (metadata?: string, tagging?: string) =>
    parseCopyDirectives(
      headers({
        ...(metadata === undefined ? {} : { 'x-amz-metadata-directive': metadata }),
        ...(tagging === undefined ? {} : { 'x-amz-tagging-directive': tagging }),
      }),
    );

  it('copy unless told otherwise', () => {
    expect(of()).to.deep.equal({ metadata: 'COPY', tagging: 'COPY' });
    expect(of('REPLACE')).to.deep.equal({ metadata: 'REPLACE', tagging: 'COPY' });
    expect(of('COPY', 'REPLACE')).to.deep.equal({ metadata: 'COPY', tagging: 'REPLACE' });
  });

  for (const value of ['', 'replace', 'MOVE', 'COPY,REPLACE']) {
    it(`refuse ${JSON.stringify(value)}`, () => {
      const metadata = expectInvalidArgument(() => of(value), 'x-amz-metadata-directive', value);
      expect(metadata.message).to.equal('Unknown metadata directive.');
      const tagging = expectS3Error(() => of(undefined, value), 'InvalidArgument');
      expect(tagging.message).to.equal('Unknown tagging directive.');
    });
  }

  const target = { bucket: 'b', key: 'k' };
  const source = { ...target, versionId: undefined };
  const refuse = (from: typeof source | { versionId: string }, given = {}) => {
    const asked = headers(given);
    refuseCopyOntoItself({ ...source, ...from }, target, asked, parseCopyDirectives(asked));
  };

  for (const given of [{}, { 'x-amz-tagging-directive': 'REPLACE' }]) {
    it(`refuse to copy an object onto itself with ${JSON.stringify(given)}`, () => {
      const { message } = expectS3Error(() => {
        refuse(source, given);
      }, 'InvalidRequest');
      expect(message).to.match(/^This copy request is illegal because it is trying to copy/);
    });
  }

  it('let a copy onto itself pass that changes something', () => {
    refuse(source, { 'x-amz-metadata-directive': 'REPLACE' });
    refuse(source, { 'x-amz-storage-class': 'STANDARD' });
    refuse({ versionId: 'null' });
    refuse({ ...source, key: 'other' });
    refuse({ ...source, bucket: 'other' });
  });
});

describe('s3 rules: range of a copy', () => {
  for (const [value, range] of [
    [undefined, undefined],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=5-9', { start: 5, end: 9 }],
    ['bytes=007-9', { start: 7, end: 9 }],
  ] as const) {
    it(`reads ${String(value)}`, () => {
      expect(parseCopyRange(value)).to.deep.equal(range);
    });
  }

  for (const value of [
    '',
    'bytes=',
    'bytes=-',
    'bytes=0-',
    'bytes=-5',
    'bytes=9-5',
    'bytes=0-1,2-3',
    'bytes=0-1-2',
    'bytes=a-b',
    'bytes= 0-1',
    'bytes 0-1',
    'chars=0-1',
    'Bytes=0-1',
  ]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expectInvalidArgument(() => parseCopyRange(value), 'x-amz-copy-source-range', value);
    });
  }

  const within = (start: number, end: number, size: number) => () => {
    requireRangeWithin({ start, end }, size);
  };

  it('lies within the source', () => {
    expect(within(0, 9, 10)).not.to.throw();
    expect(within(9, 9, 10)).not.to.throw();
    const past = within(5, 10, 10);
    const { message } = expectInvalidArgument(past, 'x-amz-copy-source-range', 'bytes=5-10');
    expect(message).to.equal('Range specified is not valid for source object of size: 10');
    expectS3Error(within(10, 10, 10), 'InvalidRequest');
    expectS3Error(within(0, 0, 0), 'InvalidRequest');
  });
});
