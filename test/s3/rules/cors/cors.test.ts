import { expect } from 'chai';
import fc from 'fast-check';
import type { CorsConfiguration, CorsRule } from '../../../../src/s3/rules/cors/configuration.js';
import { matchCors } from '../../../../src/s3/rules/cors/match.js';
import { answerPreflight, corsHeaders } from '../../../../src/s3/rules/cors/response.js';
import { headers, s3ErrorOf } from '../../support.js';

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
    const given = {
      origin: ORIGIN,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'X-AMZ-acl,Content-Type , ,',
    };
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
    const given = { origin: ORIGIN, 'access-control-request-method': 'GET' };
    expect(preflight(given, rules({}))).to.deep.equal([
      ['Access-Control-Allow-Origin', '*'],
      ['Access-Control-Allow-Methods', 'GET'],
      VARY,
    ]);
  });

  it('echo an origin that fits a pattern', () => {
    const given = { origin: ORIGIN, 'access-control-request-method': 'GET' };
    const answer = new Map(
      preflight(given, rules({ allowedOrigins: ['https://*', '*'], maxAgeSeconds: 0 })),
    );
    expect(answer.get('Access-Control-Allow-Origin')).to.equal(ORIGIN);
    expect(answer.get('Access-Control-Allow-Credentials')).to.equal('true');
    expect(answer.get('Access-Control-Max-Age')).to.equal('0');
  });

  const REFUSED: readonly (readonly [
    what: string,
    headers: Readonly<Record<string, string>>,
    configuration: Parameters<typeof answerPreflight>[1],
    code: string,
    message: string,
    details: Readonly<Record<string, string>>,
  ])[] = [
    [
      'without Origin',
      { 'access-control-request-method': 'GET' },
      rules({}),
      'BadRequest',
      'Insufficient information. Origin request header needed.',
      {},
    ],
    [
      'without Origin, where there is no bucket',
      {},
      'no bucket',
      'BadRequest',
      'Insufficient information. Origin request header needed.',
      {},
    ],
    [
      'without a method',
      { origin: ORIGIN },
      rules({}),
      'BadRequest',
      'Invalid Access-Control-Request-Method: null',
      {},
    ],
    [
      'with an unknown method',
      { origin: ORIGIN, 'access-control-request-method': 'PATCH' },
      rules({}),
      'BadRequest',
      'Invalid Access-Control-Request-Method: PATCH',
      {},
    ],
    [
      'without rules',
      { origin: ORIGIN, 'access-control-request-method': 'PUT' },
      'not configured',
      'AccessForbidden',
      'CORSResponse: CORS is not enabled for this bucket.',
      { Method: 'PUT', ResourceType: 'BUCKET' },
    ],
    [
      'without rules and method',
      { origin: ORIGIN },
      'not configured',
      'BadRequest',
      'Invalid Access-Control-Request-Method: null',
      {},
    ],
    [
      'without rules',
      { origin: ORIGIN, 'access-control-request-method': 'GET' },
      'not configured',
      'AccessForbidden',
      'CORSResponse: CORS is not enabled for this bucket.',
      { Method: 'GET', ResourceType: 'BUCKET' },
    ],
    [
      'without a bucket',
      { origin: ORIGIN, 'access-control-request-method': 'GET' },
      'no bucket',
      'AccessForbidden',
      'CORSResponse: Bucket not found',
      { Method: 'GET', ResourceType: 'BUCKET' },
    ],
  ];

  for (const [what, given, configuration, code, message, details] of REFUSED) {
    it(`are refused ${what}`, () => {
      const error = s3ErrorOf(() => preflight(given, configuration));
      expect(error).to.deep.include({ code, message, details });
    });
  }

  it('are refused when no rule allows them', () => {
    const configuration = rules({ allowedOrigins: [ORIGIN] });
    const refused = (given: Record<string, string>, resource: 'bucket' | 'object') => {
      const all = { origin: ORIGIN, 'access-control-request-method': 'GET', ...given };
      return s3ErrorOf(() => answerPreflight(headers(all), configuration, resource));
    };
    const origin = refused({ origin: 'https://other.com' }, 'object');
    expect(origin.code).to.equal('AccessForbidden');
    expect(origin.message).to.match(/^CORSResponse: This CORS request is not allowed\. /);
    expect(origin.details).to.deep.equal({ Method: 'GET', ResourceType: 'OBJECT' });
    const method = refused({ 'access-control-request-method': 'PUT' }, 'bucket');
    expect(method.details).to.deep.equal({ Method: 'PUT', ResourceType: 'BUCKET' });
    expect(refused({ 'access-control-request-headers': 'x-a' }, 'bucket').code).to.equal(
      'AccessForbidden',
    );
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
    [
      'a PUT that says it asks for GET',
      'PUT',
      { origin: ORIGIN, 'access-control-request-method': 'GET' },
      ALLOWED,
    ],
    [
      'a GET that says it asks for PUT',
      'GET',
      { origin: ORIGIN, 'access-control-request-method': 'PUT' },
      [VARY],
    ],
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
