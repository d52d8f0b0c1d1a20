import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import {
  KEYSTONE,
  KEYSTONE_LIMIT_MS,
  TestKeystone,
  type Ec2Credential,
} from '../support/keystone.js';
import { KeystoneProxy } from '../support/keystone-proxy.js';
import { describeWith } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

const PASSWORD = 'a-password';

/** Swift's keystoneauth, its s3api with s3token, and Ringway, all of one Keystone. */
describeWith([...SWIFT_NEEDS, ...KEYSTONE], 'a cluster with Keystone', function () {
  this.timeout(KEYSTONE_LIMIT_MS);

  let keystone: TestKeystone;
  let proxy: KeystoneProxy;
  let service: Service;
  const folder = useTempFolderOnce('swift-keystone');
  let project: string;
  let bucket: string;
  const users: Record<string, string> = {};
  const clients: S3TestClient[] = [];

  /** The same user through Ringway and through s3api. */
  interface Pair {
    readonly ours: S3TestClient;
    readonly theirs: S3TestClient;
  }
  let anna: Pair;
  let bob: Pair;

  before(async () => {
    const lab = await sharedSwiftLab();
    keystone = await TestKeystone.start();
    const passwordFile = join(folder(), 'password');
    await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
    project = await keystone.createProject('tenant');
    const services = await keystone.createProject('service');
    for (const [name, of, ...roles] of [
      ['anna', project, 'member'],
      ['bob', project, 'reader'],
      ['gateway', services, 'admin', 'ResellerAdmin'],
    ] as const) {
      const id = await keystone.createUser(name, PASSWORD);
      users[name] = id;
      for (const role of roles) await keystone.grant(id, of, role);
    }
    proxy = await KeystoneProxy.start(lab, keystone, { name: 'gateway', password: PASSWORD });
    service = await startService({
      listeners: 1,
      config: {
        ...lab.gatewayKeys(),
        tempauth_conf: '',
        swift_endpoints: [proxy.url],
        swift_auth_url: keystone.url,
        swift_user: 'gateway',
        swift_project: 'service',
        swift_key_file: passwordFile,
        swift_container_cache_ms: 0,
        credentials_source: 'identity',
        identity_url: keystone.url,
        identity_user: 'gateway',
        identity_key_file: passwordFile,
        identity_timeout_ms: 60_000,
      },
    });
    [anna, bob] = [await pairOf('anna'), await pairOf('bob')];
  });

  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await service.stop();
    await proxy.close();
    await keystone.stop();
  });

  beforeEach(async () => {
    bucket = `keystone-${randomBytes(5).toString('hex')}`;
    expect((await anna.ours.put(`/${bucket}`)).status).to.equal(200);
  });

  async function pairOf(name: string): Promise<Pair> {
    const { access, secret }: Ec2Credential = await keystone.createEc2(users[name] ?? '', project);
    const client = (endpoint: string): S3TestClient => {
      const s3 = new S3TestClient({ endpoint, accessKey: access, secretKey: secret });
      clients.push(s3);
      return s3;
    };
    return { ours: client(service.endpoint), theirs: client(proxy.url) };
  }

  /** The token that a client of Swift gets from Keystone. */
  async function tokenOf(name: string): Promise<string> {
    const user = { id: users[name], password: PASSWORD };
    const identity = { methods: ['password'], password: { user } };
    const { headers, body } = await request(`${keystone.url}/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity, scope: { project: { id: project } } } }),
    });
    await body.dump();
    return String(headers['x-subject-token']);
  }

  it('is one account for Ringway and for s3api', async () => {
    await anna.ours.put(`/${bucket}/ours`, 'by Ringway', { 'x-amz-meta-a_b': 'c' });
    await anna.theirs.put(`/${bucket}/theirs`, 'by s3api', { 'x-amz-meta-a_b': 'c' });
    for (const s3 of [anna.ours, anna.theirs]) {
      const [ours, theirs] = [await s3.get(`/${bucket}/ours`), await s3.get(`/${bucket}/theirs`)];
      expect([ours.text, theirs.text]).to.deep.equal(['by Ringway', 'by s3api']);
      expect([ours.headers['x-amz-meta-a_b'], theirs.headers['x-amz-meta-a_b']]).to.deep.equal([
        'c',
        'c',
      ]);
      expect((await s3.get('/')).text).to.include(`<Name>${bucket}</Name>`);
      expect((await s3.get(`/${bucket}?acl`)).text).to.include('<ID>tenant:anna</ID>');
    }
    const versions = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    expect((await anna.ours.put(`/${bucket}?versioning`, versions)).status).to.equal(200);
    for (const text of ['first', 'second']) await anna.ours.put(`/${bucket}/ours`, text);
    expect((await anna.theirs.get(`/${bucket}/ours`)).text).to.equal('second');
  });

  it('has one meaning of container ACLs', async () => {
    await anna.ours.put(`/${bucket}/key`, 'x');
    const token = await tokenOf('anna');
    const { bob: id = '' } = users;
    for (const [acl, status] of [
      ['', 403],
      [`${project}:${id}`, 200],
      [`${project}:*`, 200],
      [`*:${id}`, 200],
      ['tenant:bob', 200],
      [`tenant:${id}`, 200],
      ['*:*', 200],
      ['reader', 200],
      ['member', 403],
      ['tenant:anna', 403],
      ['tenant', 403],
      [project, 403],
      ['bob', 403],
    ] as const) {
      const { statusCode, body } = await request(`${proxy.url}/v1/AUTH_${project}/${bucket}`, {
        method: 'POST',
        headers: { 'x-auth-token': token, 'x-container-read': acl },
      });
      await body.dump();
      expect(statusCode).to.equal(204);
      const [ours, theirs] = [
        await bob.ours.get(`/${bucket}/key`),
        await bob.theirs.get(`/${bucket}/key`),
      ];
      expect([ours.status, theirs.status], acl).to.deep.equal([status, status]);
    }
  });
});
