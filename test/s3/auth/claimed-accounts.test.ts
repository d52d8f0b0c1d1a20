import { expect } from 'chai';
import {
  claimedAccounts,
  type Credential,
  RosterCredentials,
} from '../../../src/s3/auth/principal.js';
import { requestHead } from '../../support/requests.js';

function credential(accessKey: string, account: string): Credential {
  return { accessKey, secretKey: 'secret-secret', account, role: 'owner' };
}

const ROSTER = new RosterCredentials([
  credential('K1', 'AUTH_one'),
  credential('K2', 'AUTH_two'),
  credential('K3', 'AUTH_one'),
]);
const SCOPE = '20240101/us-east-1/s3/aws4_request';

async function accounts(url: string, authorization?: string, anonymous = ''): Promise<string> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const request = requestHead('OPTIONS', url, headers);
  return (await claimedAccounts(request, ROSTER, anonymous)).join();
}

describe('claimed accounts', () => {
  const ALL = 'AUTH_one,AUTH_two';

  for (const [what, url, authorization, expected] of [
    [
      'a header of version 4',
      '/b',
      `AWS4-HMAC-SHA256 Credential=K2/${SCOPE}, SignedHeaders=host`,
      'AUTH_two',
    ],
    ['a header of version 2', '/b', 'AWS K2:c2lnbmF0dXJl', 'AUTH_two'],
    [
      'a presigned URL',
      `/b/k?X-Amz-Credential=K2%2F${encodeURIComponent(SCOPE)}`,
      undefined,
      'AUTH_two',
    ],
    ['a presigned URL of version 2', '/b/k?AWSAccessKeyId=K2&Expires=1', undefined, 'AUTH_two'],
    ['nothing', '/b/k?acl', undefined, ALL],
    ['a key that nobody has', '/b', 'AWS K9:c2lnbmF0dXJl', ALL],
    ['another scheme', '/b', 'Bearer abc', ALL],
    ['half a credential', '/b?X-Amz-Credential=K2', undefined, ALL],
    ['a query that cannot be read', '/b?%zz', undefined, ALL],
  ] as const) {
    it(`by ${what}: ${expected}`, async () => {
      expect(await accounts(url, authorization)).to.equal(expected);
    });
  }

  it('begin with the anonymous one, once', async () => {
    expect(await accounts('/b', undefined, 'AUTH_public')).to.equal(`AUTH_public,${ALL}`);
    expect(await accounts('/b', undefined, 'AUTH_two')).to.equal('AUTH_two,AUTH_one');
  });

  it('are few, however many there are', async () => {
    const many = Array.from({ length: 100 }, (_, i) => credential(`K${i}`, `AUTH_${i}`));
    const request = requestHead('OPTIONS', '/b', {});
    expect(await claimedAccounts(request, new RosterCredentials(many), '')).to.have.length(8);
  });
});
