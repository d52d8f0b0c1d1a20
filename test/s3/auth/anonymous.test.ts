import { expect } from 'chai';
import { requestHead, sizedBody } from '../../support/requests.js';
import { authenticatorAt, expectFailure, HOST, s3Failure, signedRequest } from './support.js';

/** SPEC.md 5.2 */
describe('authenticate: unsigned requests', () => {
  const authenticator = authenticatorAt(undefined, { anonymousAccount: 'AUTH_public' });

  it('are the anonymous account’s when they read', async () => {
    for (const method of ['GET', 'HEAD']) {
      const request = requestHead(method, '/bucket/key?versionId=null', { host: HOST });
      const { principal, headers } = await authenticator.authenticate(request);
      expect(principal).to.deep.equal({
        accessKey: '',
        account: 'AUTH_public',
        role: 'anonymous',
      });
      expect(headers).to.equal(request.headers);
    }
  });

  it('may have a body all the same', async () => {
    const request = requestHead('GET', '/bucket', { host: HOST });
    const authentication = await authenticator.authenticate(request);
    const payload = authentication.openPayload(sizedBody(Buffer.from('body')));
    expect((await payload.collect(10)).toString()).to.equal('body');
  });

  for (const method of ['PUT', 'POST', 'DELETE', 'OPTIONS', 'get', 'PATCH']) {
    it(`are denied when they are ${method}`, async () => {
      const request = requestHead(method, '/bucket/key', { host: HOST });
      await expectFailure(() => authenticator.authenticate(request), 'AccessDenied');
    });
  }

  it('are all denied without an anonymous account', async () => {
    for (const anonymousAccount of [undefined, '']) {
      const strict = authenticatorAt(undefined, { anonymousAccount });
      const request = requestHead('GET', '/bucket/key', { host: HOST });
      await expectFailure(() => strict.authenticate(request), 'AccessDenied');
    }
  });

  it('are not those whose signature is wrong, broken or half there', async () => {
    const signed = signedRequest('GET', '/bucket/key');
    const other = { ...signed, rawPath: '/bucket/other' };
    await expectFailure(() => authenticator.authenticate(other), 'SignatureDoesNotMatch');
    for (const [url, headers] of [
      ['/b/k?X-Amz-Signature=0', {}],
      ['/b/k?X-Amz-Algorithm=x', {}],
      ['/b/k?X-Amz-Credential=x', {}],
      ['/b/k?Signature=0', {}],
      ['/b/k?AWSAccessKeyId=a', {}],
      ['/b/k', { authorization: '' }],
      ['/b/k', { authorization: 'Basic dTpw' }],
      ['/b/k', { authorization: 'AWS' }],
    ] as const) {
      const request = requestHead('GET', url, { host: HOST, ...headers });
      const { code } = await s3Failure(() => authenticator.authenticate(request));
      expect(code, url).to.be.oneOf([
        'AuthorizationQueryParametersError',
        'AccessDenied',
        'InvalidArgument',
      ]);
    }
  });
});
