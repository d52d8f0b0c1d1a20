import { expect } from 'chai';
import {
  anonymousOverrides,
  applyResponseOverrides,
  parseResponseOverrides,
  refuseOverrides,
} from '../../../src/s3/rules/response-overrides.js';
import { query, s3FailureOf } from '../support.js';

describe('s3 rules: response overrides', () => {
  it('are none for most requests', () => {
    expect(parseResponseOverrides(query('x-id=GetObject&response-expires='))).to.equal(undefined);
    const list = [['ETag', '"a"']] as const;
    expect(applyResponseOverrides(list, undefined)).to.equal(list);
  });

  it('replace headers, and add those that are missing', () => {
    const overrides = parseResponseOverrides(
      query(
        'response-cache-control=a&response-content-disposition=b&response-content-encoding=c' +
          '&response-content-language=d&response-content-type=e&response-expires=f&response-expires=g',
      ),
    );
    const list = [
      ['Content-Type', 'text/plain'],
      ['ETag', '"a"'],
      ['Expires', 'never'],
    ] as const;
    expect(applyResponseOverrides(list, overrides)).to.deep.equal([
      ['ETag', '"a"'],
      ['Cache-Control', 'a'],
      ['Content-Disposition', 'b'],
      ['Content-Encoding', 'c'],
      ['Content-Language', 'd'],
      ['Content-Type', 'e'],
      ['Expires', 'f'],
    ]);
  });

  it('are of six headers alone', () => {
    expect(s3FailureOf(() => parseResponseOverrides(query('response-foo=a')))).to.deep.equal({
      code: 'InvalidArgument',
      details: { ArgumentName: 'response-foo', ArgumentValue: 'a' },
    });
  });

  for (const raw of ['a%0d%0aX: y', 'a%00', '%7f', '%E2%82%AC', '%F0%9F%98%80']) {
    it(`refuse ${raw}`, () => {
      const failure = s3FailureOf(() =>
        parseResponseOverrides(query(`response-content-type=${raw.replaceAll(' ', '+')}`)),
      );
      expect(failure.code).to.equal('InvalidArgument');
      expect(failure.details.ArgumentName).to.equal('response-content-type');
    });
  }

  it('accept Latin-1', () => {
    expect(
      parseResponseOverrides(query('response-content-type=%C3%A4'))?.get('Content-Type'),
    ).to.equal('ä');
  });

  it('are not for anonymous readers', () => {
    expect(anonymousOverrides().code).to.equal('InvalidRequest');
    for (const raw of ['response-expires=0', 'a=b&response-content-type', 'response-expires=']) {
      const { code } = s3FailureOf(() => {
        refuseOverrides(query(raw));
      });
      expect(code).to.equal('InvalidRequest');
    }
    refuseOverrides(query('versionId=null&response-other=1'));
  });
});
