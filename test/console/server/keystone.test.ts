import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { useEach } from '../../support/fixture.js';
import { codeOf } from '../support/client.js';
import { startKeystoneBed } from '../support/keystone-store.js';

const PASSWORD = {
  method: 'password',
  user: 'anna',
  domain: 'Default',
  project: 'test',
  project_domain: '',
  password: 'anna-password',
};
const ACCESS_KEY = { method: 'ec2', access_key: 'anna-key', secret_key: 'anna-secret' };

describe('console session with Keystone', () => {
  const bed = useEach(startKeystoneBed, 'close');

  beforeEach(() => {
    bed().keystone.credentials.set('app-1', { secret: 'app-secret', user: bed().anna });
  });

  it('takes a password, an application credential, and an access key', async () => {
    for (const login of [
      PASSWORD,
      { ...PASSWORD, domain: '' },
      { method: 'application_credential', id: 'app-1', secret: 'app-secret' },
      ACCESS_KEY,
    ]) {
      const client = bed().client();
      const answer = await client.login(login);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.json()).to.include({ user: 'anna', account: 'test', role: 'admin' });
      expect(answer.text).not.to.match(/token-|secret|password/);
      expect((await client.get('/api/files/containers')).status).to.equal(200);
    }
  });

  it('says the same to whatever is wrong, and to a user without a role', async () => {
    bed().keystone.add({ ...bed().anna, access: 'guest-key', user: 'guest', roles: ['other'] });
    const bodies = [];
    for (const login of [
      { ...PASSWORD, password: 'wrong' },
      { ...PASSWORD, user: 'nobody' },
      { ...PASSWORD, project: 'none' },
      { ...PASSWORD, domain: 'elsewhere' },
      { ...PASSWORD, user: 'guest' },
      { method: 'application_credential', id: 'app-1', secret: 'wrong' },
      { ...ACCESS_KEY, secret_key: 'wrong' },
      { ...ACCESS_KEY, access_key: 'unknown' },
    ]) {
      const answer = await bed().client().login(login);
      expect(answer.status).to.equal(401);
      bodies.push(answer.text.replace(/tx[\w-]+/, ''));
    }
    expect(new Set(bodies).size).to.equal(1);
    const other = await bed().client().login({ account: 'test', user: 'tester', key: 'testing' });
    expect(other.status).to.equal(400);
  });

  it('knows users of other domains by name and domain', async () => {
    const elsewhere = { user: 'anna', project: 'test', domain: 'other', roles: ['ResellerAdmin'] };
    bed().keystone.add({ access: 'other', secret: 's', password: 'p', ...elsewhere });
    const answer = await bed()
      .client()
      .login({ ...PASSWORD, domain: 'other', password: 'p' });
    expect(answer.json()).to.include({
      user: 'other/anna',
      account: 'other/test',
      role: 'operator',
    });
  });

  it('asks for another token when one has expired, until the role is another one', async () => {
    for (const login of [PASSWORD, ACCESS_KEY]) {
      bed().anna.roles = ['member'];
      const client = bed().client();
      await client.login(login);
      bed().keystone.expireTokens();
      expect((await client.get('/api/files/containers')).status).to.equal(200);
      bed().anna.roles = ['reader'];
      expect((await client.get('/api/files/containers')).status).to.equal(200);
      bed().keystone.expireTokens();
      expect((await client.get('/api/files/containers')).status).to.equal(401);
      expect((await client.get('/api/session')).status).to.equal(401);
    }
  });

  it('ends the session of a user whose role changed, on pages that ask nothing of Swift too', async () => {
    bed().anna.roles = ['ResellerAdmin'];
    const client = bed().client();
    await client.login(PASSWORD);
    bed().keystone.expireTokens();
    bed().anna.roles = ['reader'];
    expect((await client.get('/api/session')).status).to.equal(200);
    bed().clock.nowMs += 6 * 60_000;
    await eventually(
      () => client.get('/api/session'),
      ({ status }) => status === 401,
    );
  });

  it('says that Keystone does not answer', async () => {
    const client = bed().client();
    await client.login(PASSWORD);
    bed().keystone.misbehave = (_request, response) => {
      response.destroy();
      return true;
    };
    expect(codeOf(await bed().client().login(PASSWORD))).to.equal('upstream_unavailable');
    // Requests that need no token go on.
    expect((await client.get('/api/session')).status).to.equal(200);
  });

  it('signs for S3 with a key pair that the user has in the project', async () => {
    await using withS3 = await startKeystoneBed({ s3_base: 'http://127.0.0.1:1' });
    const { logins } = withS3.console.context;
    const keys = { accessKeys: ['anna-key'], secretKey: 'anna-secret' };
    for (const login of [PASSWORD, ACCESS_KEY]) {
      expect((await logins.attempt(login).enter()).s3).to.deep.equal(keys);
    }
  });

  it('shows the fields of Keystone', async () => {
    const { text } = await bed().client().get('/login.html');
    for (const name of ['user', 'domain', 'project', 'password', 'access_key', 'secret_key']) {
      expect(text).to.include(`name="${name}"`);
    }
    expect(text).to.include('value="Default"').and.not.include('name="account"');
    const page = await bed().client().get('/login-keystone.html');
    expect(page.status).to.equal(401);
  });
});
