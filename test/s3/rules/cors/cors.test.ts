import { expect } from 'chai';
import fc from 'fast-check';
import type { CorsConfiguration, CorsRule } from '../../../../src/s3/rules/cors/configuration.js';
import { matchCors } from '../../../../src/s3/rules/cors/match.js';
import { answerPreflight, corsHeaders } from '../../../../src/s3/rules/cors/response.js';
import { expectS3Error, headers } from '../../support.js';

function rule(parts: Partial<CorsRule>): CorsRule {
  return {
    allowedOrigins: ['*'],
    allowedMethods: ['GET'],
    allowedHeaders: [],
    exposeHeaders: [],
    ...parts,
  };
}

function rules(...parts: readonly Partial<CorsRule>[]): CorsConfiguration {
  return { rules: parts.map(rule) };
}

const VARY = ['Vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'];

/** As in Ceph's S3 tests, which pass on AWS. */
const ORIGINS: readonly (readonly [pattern: string, origin: string, fits: boolean])[] = [
  ['*', 'https://example.com', true],
  ['*', 'null', true],
  ['*', '', true],
  ['https://example.com', 'https://example.com', true],
  ['https://example.com', 'https://example.com/', false],
  ['https://example.com', 'https://example.com:443', false],
  ['https://example.com', 'http://example.com', false],
  ['https://example.com', 'https://EXAMPLE.com', false],
  ['https://*.example.com', 'https://www.example.com', true],
  ['https://*.example.com', 'https://a.b.example.com', true],
  ['https://*.example.com', 'https://.example.com', true],
  ['https://*.example.com', 'https://example.com', false],
  ['https://*.example.com', 'https://www.example.com.evil.org', false],
  ['*suffix', 'suffix', true],
  ['*suffix', 'foo.suffix', true],
  ['*suffix', 'foo.suffix.get', false],
  ['start*end', 'startend', true],
  ['start*end', 'start12end', true],
  ['start*end', '0start12end', false],
  ['prefix*', 'prefix', true],
  ['prefix*', 'prefix.suffix', true],
  ['prefix*', 'bla.prefix', false],
  // The two ends do not overlap.
  ['aba*aba', 'aba', false],
  ['aba*aba', 'ababa', false],
  ['aba*aba', 'abaaba', true],
  ['', '', true],
  ['', 'x', false],
];

const HEADERS: readonly (readonly [
  patterns: readonly string[],
  requested: readonly string[],
  allowed: boolean,
])[] = [
  [[], [], true],
  [[], ['x-a'], false],
  [['*'], ['x-a', 'authorization'], true],
  [['x-a'], ['x-a'], true],
  [['X-A'], ['x-a'], true],
  [['x-a'], ['x-a', 'x-b'], false],
  [['x-a', 'X-B'], ['x-b', 'x-a'], true],
  [['x-amz-*'], ['x-amz-acl', 'x-amz-meta-a'], true],
  [['x-amz-*'], ['x-am'], false],
  [['X-*-Id'], ['x-request-id'], true],
];

describe('s3 rules: CORS matching', () => {
  for (const [pattern, origin, fits] of ORIGINS) {
    it(`"${pattern}" ${fits ? 'fits' : 'does not fit'} the origin "${origin}"`, () => {
      const request = { origin, method: 'GET', requestedHeaders: [] };
      const match = matchCors(rules({ allowedOrigins: [pattern] }), request);
      expect(match?.originPattern).to.equal(fits ? pattern : undefined);
    });
  }

  for (const [patterns, requested, allowed] of HEADERS) {
    it(`[${patterns.join()}] ${allowed ? 'allows' : 'does not allow'} [${requested.join()}]`, () => {
      const request = { origin: 'x', method: 'GET', requestedHeaders: requested };
      const match = matchCors(rules({ allowedHeaders: patterns }), request);
      expect(match !== undefined).to.equal(allowed);
    });
  }

  it('agrees with regular expressions about patterns', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 4 });
    fc.assert(
      fc.property(letters, letters, fc.boolean(), letters, (start, end, star, origin) => {
        const escaped = (text: string) => text.replaceAll('.', '\\.');
        const middle = star ? '.*' : '';
        const oracle = new RegExp(`^${escaped(start)}${middle}${escaped(end)}$`).test(origin);
        const pattern = `${start}${star ? '*' : ''}${end}`;
        const request = { origin, method: 'GET', requestedHeaders: [] };
        const match = matchCors(rules({ allowedOrigins: [pattern] }), request);
        expect(match !== undefined).to.equal(oracle);
      }),
      { numRuns: 500 },
    );
  });

  it('takes the first rule that allows all of a request', () => {
    const configuration = rules(
      { id: 'put', allowedMethods: ['PUT'], allowedHeaders: ['*'] },
      { id: 'other', allowedOrigins: ['other'] },
      { id: 'no-headers' },
      { id: 'headers', allowedHeaders: ['*'] },
    );
    const first = (method: string, requestedHeaders: string[], origin = 'x') =>
      matchCors(configuration, { origin, method, requestedHeaders })?.rule.id;
    expect(first('PUT', [])).to.equal('put');
    expect(first('GET', [])).to.equal('no-headers');
    expect(first('GET', [], 'other')).to.equal('other');
    expect(first('GET', ['x-a'])).to.equal('headers');
    expect(first('DELETE', [])).to.equal(undefined);
    expect(first('get', [])).to.equal(undefined);
  });
});

const ORIGIN = 'https://example.com';
const asks = (method: string) => ({ origin: ORIGIN, 'access-control-request-method': method });

describe('s3 rules: CORS preflights', () => {
  const preflight = (
    given: Readonly<Record<string, string>>,
    configuration: Parameters<typeof answerPreflight>[1],
  ) => answerPreflight(headers(given), configuration, 'object');

  it('are answered with the rule', () => {
    const configuration = rules({
      allowedOrigins: [ORIGIN],
      allowedMethods: ['GET', 'PUT'],
      allowedHeaders: ['X-Amz-*', 'content-type'],
      exposeHeaders: ['ETag', 'x-amz-request-id'],
      maxAgeSeconds: 3000,
    });
    const requested = 'X-AMZ-acl,Content-Type , ,';
    const given = { ...asks('PUT'), 'access-control-request-headers': requested };
    expect(preflight(given, configuration)).to.deep.equal([
      ['Access-Control-Allow-Origin', ORIGIN],
      ['Access-Control-Allow-Methods', 'GET, PUT'],
      ['Access-Control-Allow-Headers', 'x-amz-acl, content-type'],
      ['Access-Control-Expose-Headers', 'ETag, x-amz-request-id'],
      ['Access-Control-Max-Age', '3000'],
      ['Access-Control-Allow-Credentials', 'true'],
      VARY,
    ]);
  });

  it('are answered with no more than the rule has', () => {
    expect(preflight(asks('GET'), rules({}))).to.deep.equal([
      ['Access-Control-Allow-Origin', '*'],
      ['Access-Control-Allow-Methods', 'GET'],
      VARY,
    ]);
  });

  it('echo an origin that fits a pattern', () => {
    const configuration = rules({ allowedOrigins: ['https://*', '*'], maxAgeSeconds: 0 });
    const answer = new Map(preflight(asks('GET'), configuration));
    expect(answer.get('Access-Control-Allow-Origin')).to.equal(ORIGIN);
    expect(answer.get('Access-Control-Allow-Credentials')).to.equal('true');
    expect(answer.get('Access-Control-Max-Age')).to.equal('0');
  });

  type Configuration = Parameters<typeof answerPreflight>[1];
  const NO_ORIGIN = 'Insufficient information. Origin request header needed.';
  const NO_METHOD = 'Invalid Access-Control-Request-Method: null';
  const NO_RULES = 'CORSResponse: CORS is not enabled for this bucket.';

  const BAD: readonly (readonly [
    what: string,
    headers: Readonly<Record<string, string>>,
    configuration: Configuration,
    message: string,
  ])[] = [
    ['without Origin', { 'access-control-request-method': 'GET' }, rules({}), NO_ORIGIN],
    ['without Origin, where there is no bucket', {}, 'no bucket', NO_ORIGIN],
    ['without a method', { origin: ORIGIN }, rules({}), NO_METHOD],
    [
      'with an unknown method',
      asks('PATCH'),
      rules({}),
      'Invalid Access-Control-Request-Method: PATCH',
    ],
    ['without rules and method', { origin: ORIGIN }, 'not configured', NO_METHOD],
  ];

  for (const [what, given, configuration, message] of BAD) {
    it(`are refused ${what}`, () => {
      const error = expectS3Error(() => preflight(given, configuration), 'BadRequest', {});
      expect(error.message).to.equal(message);
    });
  }

  const FORBIDDEN: readonly (readonly [
    what: string,
    method: string,
    configuration: Configuration,
    message: string,
  ])[] = [
    ['without rules', 'PUT', 'not configured', NO_RULES],
    ['without rules', 'GET', 'not configured', NO_RULES],
    ['without a bucket', 'GET', 'no bucket', 'CORSResponse: Bucket not found'],
  ];

  for (const [what, method, configuration, message] of FORBIDDEN) {
    it(`are refused ${what}`, () => {
      const details = { Method: method, ResourceType: 'BUCKET' };
      const attempt = () => preflight(asks(method), configuration);
      const error = expectS3Error(attempt, 'AccessForbidden', details);
      expect(error.message).to.equal(message);
    });
  }

  it('are refused when no rule allows them', () => {
    const configuration = rules({ allowedOrigins: [ORIGIN] });
    const refused = (given: Record<string, string>, method: string, ResourceType: string) => {
      const all = headers({ ...asks(method), ...given });
      const resource = ResourceType === 'OBJECT' ? 'object' : 'bucket';
      const attempt = () => answerPreflight(all, configuration, resource);
      return expectS3Error(attempt, 'AccessForbidden', { Method: method, ResourceType });
    };
    const { message } = refused({ origin: 'https://other.com' }, 'GET', 'OBJECT');
    expect(message).to.match(/^CORSResponse: This CORS request is not allowed\. /);
    refused({}, 'PUT', 'BUCKET');
    refused({ 'access-control-request-headers': 'x-a' }, 'GET', 'BUCKET');
  });
});

describe('s3 rules: CORS headers of other responses', () => {
  const configuration = rules({
    allowedOrigins: [ORIGIN],
    allowedMethods: ['GET', 'HEAD'],
    exposeHeaders: ['ETag'],
    maxAgeSeconds: 5,
  });
  const ALLOWED = [
    ['Access-Control-Allow-Origin', ORIGIN],
    ['Access-Control-Allow-Methods', 'GET, HEAD'],
    ['Access-Control-Expose-Headers', 'ETag'],
    ['Access-Control-Max-Age', '5'],
    ['Access-Control-Allow-Credentials', 'true'],
    VARY,
  ];

  const TABLE: readonly (readonly [
    what: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly (readonly string[])[],
  ])[] = [
    ['an allowed GET', 'GET', { origin: ORIGIN }, ALLOWED],
    ['an allowed HEAD', 'HEAD', { origin: ORIGIN }, ALLOWED],
    ['a PUT', 'PUT', { origin: ORIGIN }, [VARY]],
    ['another origin', 'GET', { origin: 'https://other.com' }, [VARY]],
    ['no origin', 'GET', {}, [VARY]],
    // Its own headers were for the preflight to check.
    ['a GET with headers of its own', 'GET', { origin: ORIGIN, 'x-a': 'b' }, ALLOWED],
    ['a PUT that says it asks for GET', 'PUT', asks('GET'), ALLOWED],
    ['a GET that says it asks for PUT', 'GET', asks('PUT'), [VARY]],
    [
      'a GET that asks for a header',
      'GET',
      { origin: ORIGIN, 'access-control-request-headers': 'x-a' },
      [VARY],
    ],
  ];

  for (const [what, method, given, expected] of TABLE) {
    it(`of ${what}`, () => {
      expect(corsHeaders(method, headers(given), configuration)).to.deep.equal(expected);
    });
  }

  it('are none in a bucket without rules', () => {
    expect(corsHeaders('GET', headers({ origin: ORIGIN }), undefined)).to.deep.equal([]);
  });
});
