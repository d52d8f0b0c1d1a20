import { expect } from 'chai';
import {
  anonymousOverrides,
  applyResponseOverrides,
  parseResponseOverrides,
  refuseOverrides,
} from '../../../src/s3/rules/response-overrides.js';
import { expectInvalidArgument, expectS3Error, query } from '../support.js';

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
    const parse = () => parseResponseOverrides(query('response-foo=a'));
    expectInvalidArgument(parse, 'response-foo', 'a');
  });

  for (const raw of ['a%0d%0aX: y', 'a%00', '%7f', '%E2%82%AC', '%F0%9F%98%80']) {
    it(`refuse ${raw}`, () => {
      const given = query(`response-content-type=${raw.replaceAll(' ', '+')}`);
      const { details } = expectS3Error(() => parseResponseOverrides(given), 'InvalidArgument');
      expect(details.ArgumentName).to.equal('response-content-type');
    });
  }

  it('accept Latin-1', () => {
    const overrides = parseResponseOverrides(query('response-content-type=%C3%A4'));
    expect(overrides?.get('Content-Type')).to.equal('ä');
  });

  it('are not for anonymous readers', () => {
    expect(anonymousOverrides().code).to.equal('InvalidRequest');
    for (const raw of ['response-expires=0', 'a=b&response-content-type', 'response-expires=']) {
      expectS3Error(() => {
        refuseOverrides(query(raw));
      }, 'InvalidRequest');
    }
    refuseOverrides(query('versionId=null&response-other=1'));
  });
});
