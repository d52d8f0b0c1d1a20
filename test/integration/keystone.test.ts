import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { parseConsoleConfig } from '../../console/config/load.js';
import { KeystoneLogins } from '../../console/server/keystone-logins.js';
import { CredentialsRefusedError } from '../../console/swift/errors.js';
import { putInChunks } from '../support/chunked-put.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import {
  KEYSTONE,
  KEYSTONE_LIMIT_MS,
  TestKeystone,
  type Ec2Credential,
} from '../support/keystone.js';
import { describeWith } from '../support/needs.js';
import { startService, type Service } from '../support/service.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

const CACHE_MS = 1_000;

describeWith(KEYSTONE, 'integration: Keystone', function () {
  this.timeout(KEYSTONE_LIMIT_MS);

  const folder = useTempFolderOnce('identity');
  const keystone = useOnce(() => TestKeystone.start(), 'stop');
  let project: string;
  /** With nothing that only one test wants. */
  let shared: Promise<Service> | undefined;
  const services: Service[] = [];
  const clients: S3Client[] = [];
  const users: Record<string, string> = {};

  before(async () => {
    await writeFile(join(folder(), 'password'), 'gateway-password\n', { mode: 0o600 });
    project = await keystone().createProject('test');
    const service = await keystone().createProject('service');
    for (const [name, role] of [
      ['anna', 'member'],
      ['bob', 'reader'],
    ] as const) {
      users[name] = await keystone().createUser(name, 'unused-password');
      await keystone().grant(users[name], project, role);
    }
    for (const [name, role] of [
      ['gateway', 'admin'],
      ['verifier', 'service'],
    ] as const) {
      users[name] = await keystone().createUser(name, 'gateway-password');
      await keystone().grant(users[name], service, role);
    }
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    for (const service of services.splice(0)) await service.stop();
  });

  after(async () => {
    await (await shared)?.stop();
  });

  function serveAll(): Promise<Service> {
    shared ??= start({});
    return shared;
  }

  async function serve(config: Readonly<Record<string, unknown>>): Promise<Service> {
    const service = await start(config);
    services.push(service);
    return service;
  }

  function start(config: Readonly<Record<string, unknown>>): Promise<Service> {
    return startService({
      listeners: 1,
      config: {
        credentials_source: 'identity',
        identity_url: keystone().url,
        identity_user: 'gateway',
        identity_key_file: join(folder(), 'password'),
        identity_cache_ms: CACHE_MS,
        identity_timeout_ms: 60_000,
        // The janitor asks Keystone as well, which serves one request at a time.
        janitor_interval_ms: 0,
        ...config,
      },
    });
  }

  function as({ endpoint }: Service, { access, secret }: Ec2Credential): S3Client {
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId: access, secretAccessKey: secret },
    });
    clients.push(client);
    return client;
  }

  const ec2 = (name: string): Promise<Ec2Credential> =>
    keystone().createEc2(users[name] ?? '', project);

  async function codeOf(attempt: Promise<unknown>): Promise<string> {
    try {
      await attempt;
      return 'accepted';
    } catch (error) {
      if (error instanceof S3ServiceException) return error.name;
      throw error;
    }
  }

  /** @param chunkSecretKey - where the chunks are signed by somebody else */
  function putChunks(
    { endpoint }: Service,
    { access: accessKey, secret: secretKey }: Ec2Credential,
    path: string,
    chunkSecretKey = secretKey,
  ): Promise<number> {
    return putInChunks({ endpoint, path, accessKey, secretKey, chunkSecretKey });
  }

  const list = (client: S3Client): Promise<string> => codeOf(client.send(new ListBucketsCommand()));

  it('serves the account of the project, to owners and as ACLs grant', async () => {
    const service = await serveAll();
    const anna = as(service, await ec2('anna'));
    const bob = as(service, await ec2('bob'));
    const object = { Bucket: 'bucket', Key: 'key' };
    await anna.send(new CreateBucketCommand({ Bucket: 'bucket' }));
    await anna.send(new PutObjectCommand({ ...object, Body: 'text' }));
    // The id is what ACLs know of Keystone's default domain.
    const { Owner } = await anna.send(new ListBucketsCommand());
    expect(Owner?.ID).to.equal('test:anna');
    expect(await codeOf(bob.send(new GetObjectCommand(object)))).to.equal('AccessDenied');
    await anna.send(new PutObjectAclCommand({ ...object, GrantRead: 'id="test:bob"' }));
    const { Body } = await bob.send(new GetObjectCommand(object));
    expect(await Body?.transformToString()).to.equal('text');
    expect(service.output()).not.to.include('gateway-password');
  });

  it('takes a presigned URL, and chunks that are signed', async () => {
    const service = await serveAll();
    const credential = await ec2('anna');
    const anna = as(service, credential);
    const url = await getSignedUrl(anna, new ListBucketsCommand());
    expect((await fetch(url)).status).to.equal(200);
    await anna.send(new CreateBucketCommand({ Bucket: 'chunks' }));
    expect(await putChunks(service, credential, '/chunks/key')).to.equal(200);
    expect(await putChunks(service, credential, '/chunks/key', 'guess')).to.equal(403);
  });

  it('refuses wrong secrets, unknown keys, and keys that were deleted', async () => {
    const service = await serveAll();
    const credential = await ec2('anna');
    const anna = as(service, credential);
    expect(await list(anna)).to.equal('accepted');
    const guess = as(service, { ...credential, secret: 'guess' });
    expect(await list(guess)).to.equal('SignatureDoesNotMatch');
    const nobody = as(service, { ...credential, access: 'nobody' });
    expect(await list(nobody)).to.equal('InvalidAccessKeyId');
    await keystone().deleteEc2(users.anna ?? '', credential);
    await eventually(
      () => list(anna),
      (code) => code === 'InvalidAccessKeyId',
    );
  });

  it('hears of a role that is given or taken away', async () => {
    const service = await serveAll();
    const bob = as(service, await ec2('bob'));
    expect(await list(bob)).to.equal('AccessDenied');
    await keystone().grant(users.bob ?? '', project, 'member');
    await eventually(
      () => list(bob),
      (code) => code === 'accepted',
    );
    await keystone().withdraw(users.bob ?? '', project, 'member');
    await eventually(
      () => list(bob),
      (code) => code === 'AccessDenied',
    );
  });

  it('verifies without secrets for a user who may not read them, but for signed chunks', async () => {
    const service = await serve({ identity_user: 'verifier' });
    const credential = await ec2('anna');
    const anna = as(service, credential);
    expect(await list(anna)).to.equal('accepted');
    await anna.send(new CreateBucketCommand({ Bucket: 'verified' }));
    const put = new PutObjectCommand({ Bucket: 'verified', Key: 'key', Body: 'text' });
    expect(await codeOf(anna.send(put))).to.equal('accepted');
    expect(await putChunks(service, credential, '/verified/key')).to.equal(501);
    const guess = as(service, { ...credential, secret: 'guess' });
    expect(await list(guess)).to.equal('SignatureDoesNotMatch');
    // It comes through a pipe of its own.
    await eventually(
      () => Promise.resolve(service.output()),
      (text) => text.includes('may not read secrets'),
    );
  });

  it('says what is wrong with its own user, and accepts no client', async () => {
    const service = await serve({
      identity_user: '',
      identity_key_file: '',
      probe_interval_ms: 500,
    });
    const ready = async (): Promise<string> =>
      (await fetch(`${service.adminEndpoint}/readyz?verbose`)).text();
    await eventually(ready, (text) => text.includes('identity: failed, it asks for a token'));
    expect(await list(as(service, await ec2('anna')))).to.equal('SignatureDoesNotMatch');
  });

  it('tells the janitor the accounts of its projects', async () => {
    const service = await serve({ janitor_interval_ms: 3_600_000, probe_interval_ms: 500 });
    const ready = async (): Promise<string> =>
      (await fetch(`${service.adminEndpoint}/readyz?verbose`)).text();
    const text = await eventually(
      ready,
      (said) => said.includes('projects of Keystone'),
      KEYSTONE_LIMIT_MS / 2,
    );
    // Of the projects admin, service and test.
    expect(text).to.match(/janitor accounts: ok, 3, with those of 3 projects of Keystone/);
  });

  it('lets users log in to the console, by each way that the login page has', async () => {
    const options = parseConsoleConfig(
      {
        store_base: 'http://127.0.0.1:1',
        auth_url: keystone().url,
        s3_base: 'http://127.0.0.1:1',
        keystone_user: 'verifier',
        keystone_key_file: join(folder(), 'password'),
      },
      folder(),
    );
    const logins = await KeystoneLogins.open(options);
    const pair = await ec2('anna');
    const secret = 'app-secret';
    const password = { user: 'anna', project: 'test', password: 'unused-password' };
    const id = await keystone().createApplicationCredential(users.anna ?? '', project, {
      password: password.password,
      secret,
    });
    try {
      for (const way of [
        { method: 'password', ...password },
        { method: 'application_credential', id, secret },
        { method: 'ec2', access_key: pair.access, secret_key: pair.secret },
      ]) {
        const { user, token, s3 } = await logins.attempt(way).enter();
        expect(user).to.deep.equal({ account: 'test', user: 'anna', role: 'admin' });
        expect(token.account).to.equal(`AUTH_${project}`);
        expect(s3 === undefined, way.method).to.equal(way.method === 'application_credential');
      }
      for (const way of [
        { method: 'password', ...password, password: 'wrong' },
        { method: 'application_credential', id, secret: 'wrong' },
        { method: 'ec2', access_key: pair.access, secret_key: 'wrong' },
        { method: 'ec2', access_key: 'unknown', secret_key: 'wrong' },
      ]) {
        const failure = await logins
          .attempt(way)
          .enter()
          .catch((error: unknown) => error);
        expect(failure, JSON.stringify(way)).to.be.instanceOf(CredentialsRefusedError);
      }
    } finally {
      await logins.close();
    }
  });

  it('goes on with known keys while it does not answer, says so, and takes others after', async () => {
    const service = await serve({
      identity_timeout_ms: 10_000,
      // Known keys are known beyond their time.
      identity_cache_ms: 1,
      probe_interval_ms: 500,
    });
    const known = as(service, await ec2('anna'));
    const unknown = as(service, await ec2('anna'));
    await eventually(
      () => list(known),
      (code) => code === 'accepted',
    );
    const admin = async (path: string): Promise<string> =>
      (await fetch(`${service.adminEndpoint}${path}`)).text();
    keystone().pause();
    expect(await list(unknown)).to.equal('ServiceUnavailable');
    expect(await list(known)).to.equal('accepted');
    const said = await eventually(
      () => admin('/readyz?verbose'),
      (text) => text.includes('known access key goes on'),
    );
    expect(said).to.match(/identity: ok, (no answer|has not answered).*for 60 min at most/);
    const metrics = await admin('/metrics');
    for (const series of [
      'ringway_identity_lookups_total{source="stale"} [1-9]',
      'ringway_identity_lookups_total{source="none"} 1',
      'ringway_identity_requests_total{purpose="verify",code="timeout"} [1-9]',
      'ringway_identity_up{endpoint="http:[^"]*"} 0',
    ]) {
      expect(metrics).to.match(new RegExp(`^${series.replace(/[{}]/g, '\\$&')}`, 'm'));
    }
    keystone().resume();
    await eventually(
      () => list(unknown),
      (code) => code === 'accepted',
      KEYSTONE_LIMIT_MS / 2,
    );
  });
});
