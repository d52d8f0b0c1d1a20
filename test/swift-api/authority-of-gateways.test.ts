import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { signatureHeaders } from '../support/swift-client.js';
import { GATEWAY_SECRET, SERVICE_USER } from './support/api.js';
import { ApiClient, type Answer } from './support/client.js';
import { ACCOUNT, expectNothingTold, Pointers, ROOT } from './support/pointers.js';

describe('swift api: whose rights count for a gateway', () => {
  const pointers = useOnce(() => Pointers.open(), 'close');
  const by: Pointers['by'] = (...request) => pointers().by(...request);

  const asked = async (key: string, requester?: object): Promise<Answer> => {
    const gateway = await ApiClient.login(pointers().api, SERVICE_USER.user, SERVICE_USER.key);
    const path = `${ROOT}/b/${key}`;
    const named = requester && {
      'x-gateway-for': encodeURIComponent(JSON.stringify(requester)),
    };
    const headers = { ...signatureHeaders(GATEWAY_SECRET, 'GET', path), ...named };
    const answer = await gateway.send('GET', path, { headers });
    await gateway.close();
    return answer;
  };
  const member = { role: 'member', account: ACCOUNT, user: 'test:tester2' };
  const owner = { role: 'owner', account: ACCOUNT, user: 'test:tester' };

  it('are those of the requester that it names, and its own for what is its own', async () => {
    for (const requester of [undefined, member, { role: 'anonymous' }]) {
      for (const key of ['versioned', 'k', 'o']) {
        expect((await asked(key, requester)).status, key).to.equal(200);
      }
      for (const key of ['l-closed', 'l-version', 'd-closed', 's-closed', 'l-none']) {
        const refused = await asked(key, requester);
        expect(refused.status, key).to.equal(403);
        expect(refused.headers['x-gateway-denied'], key).to.equal('true');
        expectNothingTold(refused);
      }
    }
    for (const key of ['l-closed', 'l-version', 'd-closed', 's-closed', 'l-open']) {
      expect((await asked(key, owner)).status, key).to.equal(200);
    }
    expect((await asked('l-open')).status).to.equal(403);
    expect((await asked('l-open', member)).status).to.equal(200);
    expect((await asked('d-open', member)).status).to.equal(200);
    expect((await asked('d-open', { role: 'anonymous' })).status).to.equal(403);
  });

  it('are none of an owner of another account', async () => {
    const other = { ...owner, account: 'AUTH_test2' };
    expect((await asked('l-closed', other)).status).to.equal(403);
    const admin = { ...other, user: SERVICE_USER.user };
    expect((await asked('l-closed', admin)).status).to.equal(200);
  });

  it('open the bucket for its own work there, and nothing else', async () => {
    expect((await asked('l-open', { role: 'bucket' })).status).to.equal(200);
    expect((await asked('l-closed', { role: 'bucket' })).status).to.equal(403);
    expect((await asked('l-open', { role: 'names' })).status).to.equal(403);
  });

  it('go by the referrer that it hands on', async () => {
    await by(0, 'POST', 'x', { 'x-container-read': '.r:.example.com' });
    const referer = 'http://www.example.com/page';
    expect((await asked('l-closed', { role: 'anonymous', referer })).status).to.equal(200);
    expect((await asked('l-closed', { role: 'anonymous' })).status).to.equal(403);
    await by(0, 'POST', 'x', { 'x-container-read': '' });
  });

  it('are refused where no gateway would say so', async () => {
    for (const requester of [{}, { role: 'king' }, [], { role: 1 }]) {
      expect((await asked('o', requester)).status).to.equal(400);
    }
  });
});
