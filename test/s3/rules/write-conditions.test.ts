import { expect } from 'chai';
import {
  deleteConditionOf,
  parseDeleteCondition,
  parseWriteCondition,
  writePreconditionFailed,
} from '../../../src/s3/rules/write-conditions.js';
import { expectS3Error, headers } from '../support.js';

const ACCEPTED: readonly (readonly [
  given: Readonly<Record<string, string>>,
  precondition: object | undefined,
])[] = [
  [{}, undefined],
  [{ 'if-none-match': '*' }, { absent: true }],
  [{ 'if-none-match': ' * ' }, { absent: true }],
  [{ 'if-match': '"abc"' }, { etag: 'abc' }],
  [{ 'if-match': 'abc' }, { etag: 'abc' }],
];

const REFUSED: readonly (readonly [given: Readonly<Record<string, string>>, header: string])[] = [
  [{ 'if-none-match': '"abc"' }, 'If-None-Match'],
  [{ 'if-none-match': '' }, 'If-None-Match'],
  [{ 'if-match': '*' }, 'If-Match'],
  [{ 'if-match': '"a", "b"' }, 'If-Match'],
  [{ 'if-match': 'W/"abc"' }, 'If-Match'],
  [{ 'if-match': '' }, 'If-Match'],
  [{ 'if-match': '"' }, 'If-Match'],
  [{ 'if-match': '"abc"', 'if-none-match': '*' }, 'If-Match,If-None-Match'],
  [{ 'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 'If-Modified-Since'],
  [{ 'if-unmodified-since': 'nonsense' }, 'If-Unmodified-Since'],
];

describe('s3 rules: conditional writes', () => {
  for (const [given, precondition] of ACCEPTED) {
    it(`${JSON.stringify(given)} is ${JSON.stringify(precondition)}`, () => {
      expect(parseWriteCondition(headers(given))).to.deep.equal(precondition);
    });
  }

  for (const [given, header] of REFUSED) {
    it(`refuses ${JSON.stringify(given)} rather than ignore it`, () => {
      const parse = () => parseWriteCondition(headers(given));
      expect(expectS3Error(parse, 'NotImplemented').details.Header).to.equal(header);
    });
  }

  it('deletes under If-Match alone', () => {
    expect(parseDeleteCondition(headers({}))).to.equal(undefined);
    for (const [value, condition] of [
      ['"abc"', { present: true, etag: 'abc' }],
      ['abc', { present: true, etag: 'abc' }],
      ['*', { present: true }],
      [' * ', { present: true }],
    ] as const) {
      expect(parseDeleteCondition(headers({ 'if-match': value }))).to.deep.equal(condition);
      expect(deleteConditionOf(value)).to.deep.equal(condition);
    }
    for (const value of ['W/"abc"', '"a","b"', '']) {
      for (const parse of [
        () => parseDeleteCondition(headers({ 'if-match': value })),
        () => deleteConditionOf(value),
      ]) {
        expect(expectS3Error(parse, 'NotImplemented').details.Header).to.equal('If-Match');
      }
    }
    for (const value of ['*', '"abc"']) {
      const parse = () => parseDeleteCondition(headers({ 'if-none-match': value }));
      expectS3Error(parse, 'NotImplemented', { Header: 'If-None-Match' });
    }
  });

  it('names the condition that failed', () => {
    expect(writePreconditionFailed({ absent: true }).details.Condition).to.equal('If-None-Match');
    expect(writePreconditionFailed({ etag: 'a' }).details.Condition).to.equal('If-Match');
  });
});
