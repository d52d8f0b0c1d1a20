import { expect } from 'chai';
import { requireNoSecrets } from '../support/secrets.js';

describe('support: secrets in logs', () => {
  const hex = '0123456789abcdef'.repeat(4);

  for (const line of [
    'the key is s3cr3t/key',
    `GET /b/k?X-Amz-Signature=${hex}`,
    `authorization: AWS4-HMAC-SHA256 Credential=A, SignedHeaders=host, Signature=${hex}`,
    '{"authorization":"AWS KEY:c2lnbmF0dXJl"}',
    'GET /b/k?Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D&Expires=1',
    `x-auth-token AUTH_tk${hex.slice(0, 32)}`,
    `/v1/AUTH_a/c/o?temp_url_sig=${hex.slice(0, 40)}`,
  ]) {
    it(`are noticed: ${line.slice(0, 40)}`, () => {
      const check = (): void => {
        requireNoSecrets(`all is well\n${line}\n`, ['s3cr3t/key']);
      };
      expect(check).to.throw(/secret in the log/);
      expect(check).not.to.throw(hex.slice(0, 32));
    });
  }

  it('are no ids, hashes or masks', () => {
    const lines = [
      'tx9f3c2a71be04d0000002a-0068d1c35f',
      `etag ${hex}`,
      'key a?X-Amz-Signature=[secret]',
      'SignatureDoesNotMatch',
    ];
    expect(() => {
      requireNoSecrets(lines.join('\n'), ['s3cr3t/key']);
    }).not.to.throw();
  });
});
