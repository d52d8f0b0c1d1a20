import { expect } from 'chai';

import type { RequestHead } from '../../../src/http/exchange.js';
import type { ErrorCode } from '../../../src/s3/errors.js';
import { requestHead } from '../../support/requests.js';
import { Signer } from '../../support/sigv4.js';
import {
  DATE,
  EMPTY_SHA256,
  expectRefusal,
  HOST,
  IDENTITY,
  presignedRequest,
  REQUEST_DATES,
  signedRequest,
  verify,
  withHeader,
} from './support.js';

const REQUEST = signedRequest('GET', '/b/key');
const AUTHORIZATION = REQUEST.headers.get('authorization')!;

function withAuthorization(authorization: string): RequestHead {
  return withHeader(REQUEST, 'authorization', authorization);
}

/** @param says part of the message */
type Row = readonly [text: string, code: ErrorCode, says?: string];

describe('malformed Authorization headers', () => {
  const edit = (from: string | RegExp, to: string): string => AUTHORIZATION.replace(from, to);
  const MALFORMED = 'AuthorizationHeaderMalformed';
  const ROWS: readonly Row[] = [
    ['', 'InvalidArgument', 'Unsupported Authorization Type'],
    ['Basic dTpw', 'InvalidArgument', 'Unsupported Authorization Type'],
    ['Bearer abc', 'InvalidArgument', 'Unsupported Authorization Type'],
    ['aws4-hmac-sha256 x', 'InvalidArgument'],
    ['AWS AKID:c2ln', 'InvalidAccessKeyId'],
    [edit('HMAC-SHA256', 'ECDSA-P256-SHA256'), 'InvalidRequest'],
    ['AWS4-HMAC-SHA256', MALFORMED, 'missing Credential'],
    ['AWS4-HMAC-SHA256 ', MALFORMED, 'component ""'],
    ['AWS4-HMAC-SHA256 nonsense', MALFORMED, 'nonsense'],
    [edit('AWS4-HMAC-SHA256 ', 'AWS4-HMAC-SHA256'), 'InvalidArgument'],
    [edit(/Credential=[^,]*, /, ''), MALFORMED, 'missing Credential'],
    [edit(/SignedHeaders=[^,]*, /, ''), MALFORMED, 'missing SignedHeaders'],
    [edit(/, Signature=.*/, ''), MALFORMED, 'missing Signature'],
    [edit(/Signature=.*/, 'Signature='), MALFORMED, 'Signature'],
    [edit('Credential', 'credential'), MALFORMED, 'credential'],
    [edit('Signature=', 'Extra=1, Signature='), MALFORMED, 'Extra'],
    [`${AUTHORIZATION}, Signature=1`, MALFORMED, 'Signature=1'],
    [`${AUTHORIZATION}0`, 'SignatureDoesNotMatch'],
    [AUTHORIZATION.slice(0, -1), 'SignatureDoesNotMatch'],
    [AUTHORIZATION.toUpperCase().replace('AWS4', 'AWS4'), MALFORMED],
    [
      AUTHORIZATION.slice(0, -1) + String.fromCharCode(0x100 + AUTHORIZATION.at(-1)!.charCodeAt(0)),
      'SignatureDoesNotMatch',
    ],
    [edit('AKIAIOSFODNN7EXAMPLE/', ''), MALFORMED, 'the Credential is mal-formed'],
    [edit('AKIAIOSFODNN7EXAMPLE', ''), MALFORMED, 'the Credential is mal-formed'],
    [edit(/AKI[^,]*/, 'x'), MALFORMED, 'the Credential is mal-formed'],
    [edit(/AKI[^,]*/, '////'), MALFORMED, 'the Credential is mal-formed'],
    [edit('/20130524/', '/2013-05-24/'), MALFORMED, 'incorrect date format'],
    [edit('/20130524/', '/20130525/'), MALFORMED, 'Invalid credential date'],
    [edit('/us-east-1/', '/eu-west-1/'), MALFORMED, "the region 'eu-west-1' is wrong"],
    [edit('/us-east-1/', '//'), MALFORMED],
    [edit('/s3/', '/ec2/'), MALFORMED, 'incorrect service "ec2"'],
    [edit('aws4_request', 'aws5'), MALFORMED, 'incorrect terminal "aws5"'],
    [edit('SignedHeaders=host;', 'SignedHeaders='), 'AccessDenied', 'not signed'],
    [edit('SignedHeaders=host;', 'SignedHeaders=host;;'), 'SignatureDoesNotMatch'],
    [edit('SignedHeaders=host;', 'SignedHeaders=Host;host;'), 'SignatureDoesNotMatch'],
    [edit('SignedHeaders=host;', 'SignedHeaders=absent;host;'), 'SignatureDoesNotMatch'],
  ];

  for (const [authorization, code, says = ''] of ROWS) {
    it(`${code}: ${JSON.stringify(authorization).slice(0, 90)} … ${says}`, async () => {
      const error = await expectRefusal(withAuthorization(authorization), code);
      expect(error.message).to.contain(says);
    });
  }

  it('tells the region that would be right', async () => {
    const authorization = edit('/us-east-1/', '/eu-west-1/');
    const error = await expectRefusal(withAuthorization(authorization), MALFORMED);
    expect(error.details).to.deep.equal({ Region: 'us-east-1' });
  });

  it('does not repeat a token of another scheme', async () => {
    const error = await expectRefusal(withAuthorization('Bearer hush'), 'InvalidArgument');
    expect(JSON.stringify([error.message, error.details])).not.to.contain('hush');
  });

  it('takes the components in any order, with or without spaces', async () => {
    const [credential, names, signature] = AUTHORIZATION.slice(17).split(', ');
    for (const rest of [
      `${credential},${names},${signature}`,
      `${signature} , ${credential},   ${names}`,
    ]) {
      await verify(withAuthorization(`AWS4-HMAC-SHA256 ${rest}`));
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
      const error = await expectRefusal(withHeader(REQUEST, 'x-amz-date', date), 'AccessDenied');
      expect(error.message).to.equal(says);
    }
    const dateless = withHeader(REQUEST, 'x-amz-date', undefined);
    for (const date of [undefined, '', 'GMT', 'soon', 'Fri, 99 May 2013 00:00:00 GMT']) {
      const error = await expectRefusal(withHeader(dateless, 'date', date), 'AccessDenied');
      expect(error.message).to.equal(says);
    }
  });

  it('takes the Date header where there is no x-amz-date, in every spelling of UTC', async () => {
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
    const name = 'x-amz-content-sha256';
    await expectRefusal(withHeader(REQUEST, name, undefined), 'InvalidRequest');
    const rest = EMPTY_SHA256.slice(1);
    for (const value of ['', 'unsigned-payload', rest, `${EMPTY_SHA256}0`, `g${rest}`]) {
      const error = await expectRefusal(withHeader(REQUEST, name, value), 'InvalidArgument');
      expect(error.details).to.deep.equal({ ArgumentName: name, ArgumentValue: value });
    }
    for (const end of ['', '-TRAILER']) {
      const value = `STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD${end}`;
      await expectRefusal(withHeader(REQUEST, name, value), 'NotImplemented');
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
  const QUERY = presignedRequest('GET', '/b/key').rawQuery;
  const PARAMETERS = 'AuthorizationQueryParametersError';
  const edit = (from: string | RegExp, to: string): string => QUERY.replace(from, to);

  const expires = (seconds: string): string => edit('Expires=3600', `Expires=${seconds}`);
  const ROWS: readonly Row[] = [
    [
      edit('Algorithm=AWS4-HMAC-SHA256', 'Algorithm=AWS4-HMAC-SHA1'),
      PARAMETERS,
      'X-Amz-Algorithm only supports',
    ],
    [expires('x'), PARAMETERS, 'should be a number'],
    [expires('1.5'), PARAMETERS, 'should be a number'],
    [expires('-1'), PARAMETERS, 'non-negative'],
    [expires('-'), PARAMETERS, 'non-negative'],
    [expires('0'), PARAMETERS, 'at least 1'],
    [expires('604801'), PARAMETERS, 'less than a week'],
    [expires(`${'0'.repeat(400)}1`), PARAMETERS, 'less than a week'],
    [expires('3601'), 'SignatureDoesNotMatch'],
    [edit('X-Amz-Date=20130524T000000Z', 'X-Amz-Date=20130524'), PARAMETERS, 'ISO8601'],
    [edit('X-Amz-Date=20130524T', 'X-Amz-Date=20130523T'), PARAMETERS, 'Invalid credential date'],
    [edit('%2Fus-east-1%2F', '%2Feu-west-1%2F'), PARAMETERS, "the region 'eu-west-1' is wrong"],
    [edit('%2Fs3%2F', '%2Fsts%2F'), PARAMETERS, 'incorrect service'],
    [edit('aws4_request', 'aws3'), PARAMETERS, 'incorrect terminal'],
    [edit(/X-Amz-Credential=[^&]*/, 'X-Amz-Credential=x'), PARAMETERS, 'mal-formed'],
    [edit('SignedHeaders=host', 'SignedHeaders=accept'), 'AccessDenied', 'not signed'],
    [`${QUERY}&X-Amz-Expires=3600`, PARAMETERS],
    [`${QUERY}&X-Amz-Signature=0`, PARAMETERS],
    [edit(IDENTITY.accessKey, 'NOBODY'), 'InvalidAccessKeyId'],
    [edit(/.$/, 'g'), 'SignatureDoesNotMatch'],
    [`${QUERY}&X-Amz-Content-Sha256=x`, 'SignatureDoesNotMatch'],
    ...QUERY.split('&').flatMap((parameter): Row[] => [
      [QUERY.replace(parameter, '').replace('&&', '&'), PARAMETERS],
      [QUERY.replace(parameter, parameter.replace(/=.*/, '=')), PARAMETERS],
    ]),
  ];

  const refusal = (query: string, code: ErrorCode) =>
    expectRefusal(requestHead('GET', `/b/key?${query}`, { host: HOST }), code);

  for (const [query, code, says = ''] of ROWS) {
    it(`${code}: ${says} ${query.slice(0, 60)}`, async () => {
      expect((await refusal(query, code)).message).to.contain(says);
    });
  }

  it('tells the region that would be right', async () => {
    const query = edit('%2Fus-east-1%2F', '%2Feu-west-1%2F');
    const { details } = await refusal(query, PARAMETERS);
    expect(details).to.deep.equal({ Region: 'us-east-1' });
  });
});
