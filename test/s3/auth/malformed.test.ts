import { expect } from 'chai';

import type { RequestHead } from '../../../src/http/exchange.js';
import type { ErrorCode } from '../../../src/s3/errors.js';
import { requestHead } from '../../support/requests.js';
import { presignQuery, Signer } from '../../support/sigv4.js';
import {
  DATE,
  EMPTY_SHA256,
  expectRefusal,
  HOST,
  IDENTITY,
  REQUEST_DATES,
  signedRequest,
} from './support.js';

const REQUEST = signedRequest('GET', '/b/key');
const AUTHORIZATION = REQUEST.headers.get('authorization')!;

function withHeaders(changes: Readonly<Record<string, string | undefined>>): RequestHead {
  const headers = new Map(REQUEST.headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return { ...REQUEST, headers };
}

interface Row {
  readonly code: ErrorCode;
  /** Part of the message. */
  readonly says?: string;
}

describe('malformed Authorization headers', () => {
  const edit = (from: string | RegExp, to: string): string => AUTHORIZATION.replace(from, to);
  const MALFORMED = 'AuthorizationHeaderMalformed';
  const ROWS: readonly (readonly [authorization: string, row: Row])[] = [
    ['', { code: 'InvalidArgument', says: 'Unsupported Authorization Type' }],
    ['Basic dTpw', { code: 'InvalidArgument', says: 'Unsupported Authorization Type' }],
    ['Bearer abc', { code: 'InvalidArgument', says: 'Unsupported Authorization Type' }],
    ['aws4-hmac-sha256 x', { code: 'InvalidArgument' }],
    ['AWS AKID:c2ln', { code: 'InvalidAccessKeyId' }],
    [edit('HMAC-SHA256', 'ECDSA-P256-SHA256'), { code: 'InvalidRequest' }],
    ['AWS4-HMAC-SHA256', { code: MALFORMED, says: 'missing Credential' }],
    ['AWS4-HMAC-SHA256 ', { code: MALFORMED, says: 'component ""' }],
    ['AWS4-HMAC-SHA256 nonsense', { code: MALFORMED, says: 'nonsense' }],
    [edit('AWS4-HMAC-SHA256 ', 'AWS4-HMAC-SHA256'), { code: 'InvalidArgument' }],
    [edit(/Credential=[^,]*, /, ''), { code: MALFORMED, says: 'missing Credential' }],
    [edit(/SignedHeaders=[^,]*, /, ''), { code: MALFORMED, says: 'missing SignedHeaders' }],
    [edit(/, Signature=.*/, ''), { code: MALFORMED, says: 'missing Signature' }],
    [edit(/Signature=.*/, 'Signature='), { code: MALFORMED, says: 'Signature' }],
    [edit('Credential', 'credential'), { code: MALFORMED, says: 'credential' }],
    [edit('Signature=', 'Extra=1, Signature='), { code: MALFORMED, says: 'Extra' }],
    [`${AUTHORIZATION}, Signature=1`, { code: MALFORMED, says: 'Signature=1' }],
    [`${AUTHORIZATION}0`, { code: 'SignatureDoesNotMatch' }],
    [AUTHORIZATION.slice(0, -1), { code: 'SignatureDoesNotMatch' }],
    [AUTHORIZATION.toUpperCase().replace('AWS4', 'AWS4'), { code: MALFORMED }],
    [
      AUTHORIZATION.slice(0, -1) + String.fromCharCode(0x100 + AUTHORIZATION.at(-1)!.charCodeAt(0)),
      { code: 'SignatureDoesNotMatch' },
    ],
    [edit('AKIAIOSFODNN7EXAMPLE/', ''), { code: MALFORMED, says: 'the Credential is mal-formed' }],
    [edit('AKIAIOSFODNN7EXAMPLE', ''), { code: MALFORMED, says: 'the Credential is mal-formed' }],
    [edit(/AKI[^,]*/, 'x'), { code: MALFORMED, says: 'the Credential is mal-formed' }],
    [edit(/AKI[^,]*/, '////'), { code: MALFORMED, says: 'the Credential is mal-formed' }],
    [edit('/20130524/', '/2013-05-24/'), { code: MALFORMED, says: 'incorrect date format' }],
    [edit('/20130524/', '/20130525/'), { code: MALFORMED, says: 'Invalid credential date' }],
    [
      edit('/us-east-1/', '/eu-west-1/'),
      { code: MALFORMED, says: "the region 'eu-west-1' is wrong" },
    ],
    [edit('/us-east-1/', '//'), { code: MALFORMED }],
    [edit('/s3/', '/ec2/'), { code: MALFORMED, says: 'incorrect service "ec2"' }],
    [edit('aws4_request', 'aws5'), { code: MALFORMED, says: 'incorrect terminal "aws5"' }],
    [edit('SignedHeaders=host;', 'SignedHeaders='), { code: 'AccessDenied', says: 'not signed' }],
    [edit('SignedHeaders=host;', 'SignedHeaders=host;;'), { code: 'SignatureDoesNotMatch' }],
    [edit('SignedHeaders=host;', 'SignedHeaders=Host;host;'), { code: 'SignatureDoesNotMatch' }],
    [edit('SignedHeaders=host;', 'SignedHeaders=absent;host;'), { code: 'SignatureDoesNotMatch' }],
  ];

  for (const [authorization, { code, says = '' }] of ROWS) {
    it(`${code}: ${JSON.stringify(authorization).slice(0, 90)} … ${says}`, async () => {
      const error = await expectRefusal(withHeaders({ authorization }), code);
      expect(error.message).to.contain(says);
    });
  }

  it('tells the region that would be right', async () => {
    const authorization = edit('/us-east-1/', '/eu-west-1/');
    const error = await expectRefusal(withHeaders({ authorization }), MALFORMED);
    expect(error.details).to.deep.equal({ Region: 'us-east-1' });
  });

  it('does not repeat a token of another scheme', async () => {
    const error = await expectRefusal(
      withHeaders({ authorization: 'Bearer hush' }),
      'InvalidArgument',
    );
    expect(JSON.stringify([error.message, error.details])).not.to.contain('hush');
  });

  it('takes the components in any order, with or without spaces', async () => {
    const { verify } = await import('./support.js');
    const [credential, names, signature] = AUTHORIZATION.slice(17).split(', ');
    for (const rest of [
      `${credential},${names},${signature}`,
      `${signature} , ${credential},   ${names}`,
    ]) {
      await verify(withHeaders({ authorization: `AWS4-HMAC-SHA256 ${rest}` }));
    }
  });
});

/** Signed without x-amz-date, at {@link DATE}, which the header is to say. */
function signedByDate(date: string): RequestHead {
  const headers = { date, host: HOST, 'x-amz-content-sha256': EMPTY_SHA256 };
  const signer = new Signer(IDENTITY, DATE);
  const signature = signer.signRequest({ method: 'GET', rawPath: '/b', headers }, EMPTY_SHA256);
  const authorization = `AWS4-HMAC-SHA256 Credential=${IDENTITY.accessKey}/${signer.scope}, SignedHeaders=date;host;x-amz-content-sha256, Signature=${signature}`;
  return requestHead('GET', '/b', { ...headers, authorization });
}

describe('what else a signed request needs', () => {
  it('a date that can be read', async () => {
    const says = 'AWS authentication requires a valid Date or x-amz-date header';
    const BAD_DATES = [
      '',
      'yesterday',
      '20130524',
      '20130524T000000',
      '20130524T000000z',
      '20130524T240000Z',
      '20130532T000000Z',
      '20130229T000000Z',
      '2013052+T000000Z',
      '00000524T000000Z',
      'Fri, 24 May 2013 00:00:00 GMT',
    ];
    for (const date of BAD_DATES) {
      const error = await expectRefusal(withHeaders({ 'x-amz-date': date }), 'AccessDenied');
      expect(error.message).to.equal(says);
    }
    for (const date of [undefined, '', 'GMT', 'soon', 'Fri, 99 May 2013 00:00:00 GMT']) {
      const error = await expectRefusal(
        withHeaders({ 'x-amz-date': undefined, date }),
        'AccessDenied',
      );
      expect(error.message).to.equal(says);
    }
  });

  it('takes the Date header where there is no x-amz-date, in every spelling of UTC', async () => {
    const { verify } = await import('./support.js');
    for (const date of REQUEST_DATES) await verify(signedByDate(date));
    // Signed correctly, as if they were in UTC.
    for (const date of [
      'Fri, 24 May 2013 00:00:00 +0200',
      'Fri, 24 May 2013 00:00:00 EST',
      'Fri, 24 May 2013 00:00:00',
      'Fri, 24 Foo 2013 00:00:00 -0000',
      '2013-05-24T00:00:00+02:00',
      '2013-05-32T00:00:00Z',
    ]) {
      await expectRefusal(signedByDate(date), 'AccessDenied');
    }
  });

  it('a payload hash that says what it is', async () => {
    await expectRefusal(withHeaders({ 'x-amz-content-sha256': undefined }), 'InvalidRequest');
    for (const value of ['', 'unsigned-payload', EMPTY_SHA256.slice(1), `${EMPTY_SHA256}0`]) {
      const error = await expectRefusal(
        withHeaders({ 'x-amz-content-sha256': value }),
        'InvalidArgument',
      );
      expect(error.details).to.deep.equal({
        ArgumentName: 'x-amz-content-sha256',
        ArgumentValue: value,
      });
    }
    const notHex = `g${EMPTY_SHA256.slice(1)}`;
    await expectRefusal(withHeaders({ 'x-amz-content-sha256': notHex }), 'InvalidArgument');
    for (const value of [
      'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
      'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER',
    ]) {
      await expectRefusal(withHeaders({ 'x-amz-content-sha256': value }), 'NotImplemented');
    }
  });
});

describe('requests without a usable signature', () => {
  const bare = (url: string, headers: Readonly<Record<string, string>> = {}): RequestHead =>
    requestHead('GET', url, { host: HOST, ...headers });

  it('are denied when unsigned', async () => {
    for (const url of ['/', '/b', '/b/key?versionId=null', '/b?X-Amz-Date=1&X-Amz-Expires=2']) {
      await expectRefusal(bare(url), 'AccessDenied');
    }
  });

  it('may not be signed twice', async () => {
    for (const query of ['X-Amz-Algorithm=AWS4-HMAC-SHA256', 'X-Amz-Signature=', 'Signature=x']) {
      const error = await expectRefusal({ ...REQUEST, rawQuery: query }, 'InvalidArgument');
      expect(error.message).to.contain('Only one auth mechanism allowed');
    }
  });
});

describe('malformed presigned queries', () => {
  const toSign = { method: 'GET', rawPath: '/b/key', headers: { host: HOST } };
  const QUERY = presignQuery(IDENTITY, toSign, DATE, 3600);
  const PARAMETERS = 'AuthorizationQueryParametersError';
  const edit = (from: string | RegExp, to: string): string => QUERY.replace(from, to);

  const ROWS: readonly (readonly [query: string, row: Row])[] = [
    [
      edit('Algorithm=AWS4-HMAC-SHA256', 'Algorithm=AWS4-HMAC-SHA1'),
      { code: PARAMETERS, says: 'X-Amz-Algorithm only supports' },
    ],
    [
      edit('X-Amz-Expires=3600', 'X-Amz-Expires=x'),
      { code: PARAMETERS, says: 'should be a number' },
    ],
    [
      edit('X-Amz-Expires=3600', 'X-Amz-Expires=1.5'),
      { code: PARAMETERS, says: 'should be a number' },
    ],
    [edit('X-Amz-Expires=3600', 'X-Amz-Expires=-1'), { code: PARAMETERS, says: 'non-negative' }],
    [edit('X-Amz-Expires=3600', 'X-Amz-Expires=-'), { code: PARAMETERS, says: 'non-negative' }],
    [edit('X-Amz-Expires=3600', 'X-Amz-Expires=0'), { code: PARAMETERS, says: 'at least 1' }],
    [
      edit('X-Amz-Expires=3600', 'X-Amz-Expires=604801'),
      { code: PARAMETERS, says: 'less than a week' },
    ],
    [
      edit('X-Amz-Expires=3600', `X-Amz-Expires=${'0'.repeat(400)}1`),
      { code: PARAMETERS, says: 'less than a week' },
    ],
    [edit('X-Amz-Expires=3600', 'X-Amz-Expires=3601'), { code: 'SignatureDoesNotMatch' }],
    [
      edit('X-Amz-Date=20130524T000000Z', 'X-Amz-Date=20130524'),
      { code: PARAMETERS, says: 'ISO8601' },
    ],
    [
      edit('X-Amz-Date=20130524T', 'X-Amz-Date=20130523T'),
      { code: PARAMETERS, says: 'Invalid credential date' },
    ],
    [
      edit('%2Fus-east-1%2F', '%2Feu-west-1%2F'),
      { code: PARAMETERS, says: "the region 'eu-west-1' is wrong" },
    ],
    [edit('%2Fs3%2F', '%2Fsts%2F'), { code: PARAMETERS, says: 'incorrect service' }],
    [edit('aws4_request', 'aws3'), { code: PARAMETERS, says: 'incorrect terminal' }],
    [
      edit(/X-Amz-Credential=[^&]*/, 'X-Amz-Credential=x'),
      { code: PARAMETERS, says: 'mal-formed' },
    ],
    [
      edit('SignedHeaders=host', 'SignedHeaders=accept'),
      { code: 'AccessDenied', says: 'not signed' },
    ],
    [`${QUERY}&X-Amz-Expires=3600`, { code: PARAMETERS }],
    [`${QUERY}&X-Amz-Signature=0`, { code: PARAMETERS }],
    [edit(IDENTITY.accessKey, 'NOBODY'), { code: 'InvalidAccessKeyId' }],
    [edit(/.$/, 'g'), { code: 'SignatureDoesNotMatch' }],
    [`${QUERY}&X-Amz-Content-Sha256=x`, { code: 'SignatureDoesNotMatch' }],
    ...[...QUERY.split('&')].map((parameter): readonly [string, Row] => [
      QUERY.replace(parameter, '').replace('&&', '&'),
      { code: PARAMETERS },
    ]),
    ...[...QUERY.split('&')].map((parameter): readonly [string, Row] => [
      QUERY.replace(parameter, parameter.replace(/=.*/, '=')),
      { code: PARAMETERS },
    ]),
  ];

  for (const [query, { code, says = '' }] of ROWS) {
    it(`${code}: ${says} ${query.slice(0, 60)}`, async () => {
      const request = requestHead('GET', `/b/key?${query}`, { host: HOST });
      expect((await expectRefusal(request, code)).message).to.contain(says);
    });
  }

  it('tells the region that would be right', async () => {
    const query = edit('%2Fus-east-1%2F', '%2Feu-west-1%2F');
    const request = requestHead('GET', `/b/key?${query}`, { host: HOST });
    expect((await expectRefusal(request, PARAMETERS)).details).to.deep.equal({
      Region: 'us-east-1',
    });
  });
});
