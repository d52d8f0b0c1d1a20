import { expectRefusal, signedRequest, signedRequestV2, verify, withHeader } from './support.js';

describe('white space around signed values', () => {
  const UNICODE_SPACES = '\u00a0value\u3000';

  it('is trimmed where it is ASCII, and signed where it is not', async () => {
    await verify(signedRequest('GET', '/b', { 'x-amz-meta-a': ` \t${UNICODE_SPACES}\t ` }));
    await verify(signedRequestV2('GET', '/b', { 'x-amz-meta-a': `\t${UNICODE_SPACES} ` }));
  });

  it('cannot be added to or taken from a value that was signed', async () => {
    const signed = signedRequest('GET', '/b', { 'x-amz-meta-a': 'value' });
    const changed = withHeader(signed, 'x-amz-meta-a', UNICODE_SPACES);
    await expectRefusal(changed, 'SignatureDoesNotMatch');
  });
});
