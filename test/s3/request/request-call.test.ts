import { expect } from 'chai';
import type { Principal } from '../../../src/s3/auth/principal.js';
import { RequestCall } from '../../../src/s3/request/request-call.js';
import { cancelledBy } from '../../../src/lib/cancellation.js';

const OWNER: Principal = { accessKey: 'K', account: 'AUTH_a', role: 'owner', user: 'a:one' };
const MEMBER: Principal = { ...OWNER, role: 'member', user: 'a:two' };

function requester(principal: Principal, referer?: string): unknown {
  const call = new RequestCall('tx', cancelledBy(new AbortController().signal), undefined);
  call.identified(principal, referer);
  return JSON.parse(decodeURIComponent(call.behalf?.header ?? ''));
}

describe('the requester of a call to Swift', () => {
  it('is each principal itself, with the referrer of this request and no other', () => {
    const owner = { role: 'owner', account: 'AUTH_a', user: 'a:one' };
    const member = { ...owner, role: 'member', user: 'a:two' };
    expect(requester(OWNER)).to.deep.equal(owner);
    expect(requester(MEMBER, 'http://b.example/x')).to.deep.equal({
      ...member,
      referer: 'http://b.example/',
    });
    expect(requester(MEMBER)).to.deep.equal(member);
    expect(requester(OWNER, 'http://c.example/')).to.include({ referer: 'http://c.example/' });
    expect(requester(OWNER)).to.deep.equal(owner);
  });
});
