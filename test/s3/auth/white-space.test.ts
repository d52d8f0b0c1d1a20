import { requestHead } from '../../support/requests.js';
import { signHeadersV2 } from '../../support/sigv2.js';
import { DATE, expectRefusal, HOST, IDENTITY, signedRequest, verify } from './support.js';

describe('white space around signed values', () => {
  const UNICODE_SPACES = '\u00a0value\u3000';

  it('is trimmed where it is ASCII, and signed where it is not', async () => {
    await verify(signedRequest('GET', '/b', { 'x-amz-meta-a': ` \t${UNICODE_SPACES}\t ` }));
    const toSign = { method: 'GET', rawPath: '/b' };
    const headers = {
      host: HOST,
      date: DATE.toUTCString(),
      'x-amz-meta-a': `\t${UNICODE_SPACES} `,
    };
    await verify(requestHead('GET', '/b', signHeadersV2(IDENTITY, { ...toSign, headers })));
  });

  it('cannot be added to or taken from a value that was signed', async () => {
    const signed = signedRequest('GET', '/b', { 'x-amz-meta-a': 'value' });
    const changed = new Map(signed.headers).set('x-amz-meta-a', UNICODE_SPACES);
    await expectRefusal({ ...signed, headers: changed }, 'SignatureDoesNotMatch');
  });
});
