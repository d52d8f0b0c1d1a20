import { expect } from 'chai';
import { parseDocument } from '../../../src/s3/xml-pool/documents.js';
import {
  parseCorsConfiguration,
  renderCorsConfiguration,
} from '../../../src/s3/xml/cors-configuration.js';
import { expectS3Error } from '../support.js';

const CONFIGURATION = {
  rules: [
    {
      id: 'uploads & more',
      allowedOrigins: ['https://*.example.com', 'http://localhost:80'],
      allowedMethods: ['PUT', 'POST'] as const,
      allowedHeaders: ['X-Amz-*', 'content-type'],
      exposeHeaders: ['ETag'],
      maxAgeSeconds: 3000,
    },
    {
      id: undefined,
      allowedOrigins: ['*'],
      allowedMethods: ['GET'] as const,
      allowedHeaders: [],
      exposeHeaders: [],
      maxAgeSeconds: undefined,
    },
  ],
};

const DOCUMENT =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
  '<CORSRule><ID>uploads &amp; more</ID>' +
  '<AllowedMethod>PUT</AllowedMethod><AllowedMethod>POST</AllowedMethod>' +
  '<AllowedOrigin>https://*.example.com</AllowedOrigin>' +
  '<AllowedOrigin>http://localhost:80</AllowedOrigin>' +
  '<AllowedHeader>X-Amz-*</AllowedHeader><AllowedHeader>content-type</AllowedHeader>' +
  '<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule>' +
  '<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>' +
  '</CORSConfiguration>';

const ORIGIN = '<AllowedOrigin>*</AllowedOrigin>';
const METHOD = '<AllowedMethod>GET</AllowedMethod>';

function rule(inner: string): string {
  return `<CORSRule>${inner}</CORSRule>`;
}

function parse(inner: string): ReturnType<typeof parseCorsConfiguration> {
  return parseCorsConfiguration(Buffer.from(`<CORSConfiguration>${inner}</CORSConfiguration>`));
}

const MALFORMED: readonly string[] = [
  '',
  '<Rule/>',
  rule(''),
  rule(ORIGIN),
  rule(METHOD),
  rule(`${ORIGIN}${METHOD}<Other/>`),
  rule(`${ORIGIN}${METHOD}<ID>a</ID><ID>b</ID>`),
  rule(`${ORIGIN}${METHOD}<MaxAgeSeconds>1</MaxAgeSeconds><MaxAgeSeconds>1</MaxAgeSeconds>`),
  ...['', 'x', '-1', '1.5', '1e3', '2147483648', '99999999999'].map((age) =>
    rule(`${ORIGIN}${METHOD}<MaxAgeSeconds>${age}</MaxAgeSeconds>`),
  ),
  // The structure of all rules comes before the values of any.
  `${rule(`${ORIGIN}<AllowedMethod>FOO</AllowedMethod>`)}${rule('')}`,
];

const REFUSED: readonly (readonly [inner: string, code: string, message: string])[] = [
  ...['PATCH', 'OPTIONS', 'get', '*', ''].map(
    (method) =>
      [
        rule(`${ORIGIN}<AllowedMethod>${method}</AllowedMethod>`),
        'InvalidRequest',
        `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`,
      ] as const,
  ),
  [
    rule(`<AllowedOrigin>*example*.com</AllowedOrigin>${METHOD}`),
    'InvalidRequest',
    'AllowedOrigin "*example*.com" can not have more than one wildcard.',
  ],
  [
    rule(`${ORIGIN}${METHOD}<AllowedHeader>x-*-*</AllowedHeader>`),
    'InvalidRequest',
    'AllowedHeader "x-*-*" can not have more than one wildcard.',
  ],
  [
    rule(`${ORIGIN}${METHOD}<ExposeHeader>x-*</ExposeHeader>`),
    'InvalidRequest',
    'ExposeHeader "x-*" contains wildcard. We currently do not support wildcard for ExposeHeader.',
  ],
  [
    rule(`${ORIGIN}${METHOD}<ExposeHeader>a&#10;b: c</ExposeHeader>`),
    'InvalidRequest',
    'ExposeHeader "a\nb: c" contains invalid character.',
  ],
  [
    rule(`<ID>${'x'.repeat(256)}</ID>${ORIGIN}${METHOD}`),
    'InvalidArgument',
    'ID length should not exceed allowed limit of 255',
  ],
  [
    rule(`${ORIGIN}${METHOD}`).repeat(101),
    'InvalidRequest',
    'The number of CORS rules should not exceed allowed limit of 100 rules.',
  ],
];

describe('s3 xml: CORSConfiguration', () => {
  for (const name of ['x-a b', 'x-a, x-b', 'x:a']) {
    it(`is refused with ${name} to expose, and read where it is stored so`, () => {
      const exposing = rule(`${ORIGIN}${METHOD}<ExposeHeader>${name}</ExposeHeader>`);
      const body = Buffer.from(`<CORSConfiguration>${exposing}</CORSConfiguration>`);
      const parse = () => parseDocument('CORSConfiguration', body, []);
      const { message } = expectS3Error(parse, 'InvalidRequest');
      expect(message).to.equal(`ExposeHeader "${name}" contains invalid character.`);
      expect(parseCorsConfiguration(body).rules).to.have.length(1);
    });
  }

  it('is rendered as AWS does', () => {
    expect(renderCorsConfiguration(CONFIGURATION)).to.equal(DOCUMENT);
  });

  it('is read', () => {
    expect(parseCorsConfiguration(Buffer.from(DOCUMENT))).to.deep.equal(CONFIGURATION);
  });

  it('has elements in any order, and white space around values', () => {
    const { rules } = parse(
      rule(
        `\n<MaxAgeSeconds> 0 </MaxAgeSeconds>\n${METHOD}<AllowedOrigin> a </AllowedOrigin>${ORIGIN}`,
      ),
    );
    expect(rules[0]).to.deep.include({ maxAgeSeconds: 0, allowedOrigins: ['a', '*'] });
  });

  it('may have an empty origin, a hundred rules and an id of 255', () => {
    expect(parse(rule(`<AllowedOrigin/>${METHOD}`)).rules[0]?.allowedOrigins).to.deep.equal(['']);
    expect(parse(rule(`${ORIGIN}${METHOD}`).repeat(100)).rules).to.have.length(100);
    const id = 'x'.repeat(255);
    expect(parse(rule(`<ID>${id}</ID>${ORIGIN}${METHOD}`)).rules[0]?.id).to.equal(id);
  });

  for (const inner of MALFORMED) {
    it(`is malformed: ${inner || 'no rules'}`, () => {
      expectS3Error(() => parse(inner), 'MalformedXML');
    });
  }

  for (const [inner, code, message] of REFUSED) {
    it(`is refused: ${message}`, () => {
      expect(expectS3Error(() => parse(inner), code).message).to.equal(message);
    });
  }

  it('is at most 64 KiB', () => {
    const body = Buffer.from(DOCUMENT.padEnd(64 * 1024 + 1));
    expectS3Error(() => parseCorsConfiguration(body), 'MaxMessageLengthExceeded');
    expect(parseCorsConfiguration(body.subarray(0, -1)).rules).to.have.length(2);
  });
});
