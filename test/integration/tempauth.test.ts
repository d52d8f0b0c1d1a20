import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

const USERS = 'user_test_tester = testing .admin\nuser_test_member = testing2';

const confOf = (users: string): string =>
  `[pipeline:main]\npipeline = tempauth proxy-server\n[filter:tempauth]\n${users}\n`;

describe("integration: tempauth's users", () => {
  const folder = useTempFolderOnce('tempauth');
  let conf: string;
  let service: Service;
  const clients: S3TestClient[] = [];

  before(async () => {
    conf = join(folder(), 'proxy-server.conf');
    await writeFile(conf, confOf(USERS), { mode: 0o600 });
    service = await startService({
      config: { credentials_source: 'tempauth', tempauth_conf: conf, janitor_interval_ms: 60_000 },
    });
  });

  after(async () => {
    for (const client of clients) await client.close();
    await service.stop();
  });

  function as(accessKey: string, secretKey: string): S3TestClient {
    const client = new S3TestClient({ endpoint: service.endpoint, accessKey, secretKey });
    clients.push(client);
    return client;
  }

  /** New connections each time, so that all listeners are asked. */
  async function codeFor(accessKey: string, secretKey: string): Promise<string> {
    const client = new S3TestClient({ endpoint: service.endpoint, accessKey, secretKey });
    const { code = 'accepted' } = await client.get('/');
    await client.close();
    return code;
  }

  /** Until several answers in a row say so: listeners hear of it one after the other. */
  async function settles(accessKey: string, secretKey: string, code: string): Promise<void> {
    const ask = async (): Promise<string[]> => {
      const codes: string[] = [];
      while (codes.length < 8) codes.push(await codeFor(accessKey, secretKey));
      return codes;
    };
    await eventually(ask, (codes) => codes.every((one) => one === code));
  }

  it('lets an owner create, and a member do what ACLs grant', async () => {
    const owner = as('test:tester', 'testing');
    const member = as('test:member', 'testing2');
    expect((await owner.put('/shared')).status).to.equal(200);
    expect((await owner.put('/shared/key', 'text')).status).to.equal(200);
    expect((await member.get('/shared/key')).code).to.equal('AccessDenied');
    const acl = { 'x-amz-grant-read': 'id="test:member"' };
    expect((await owner.put('/shared/key?acl', '', acl)).status).to.equal(200);
    expect((await member.get('/shared/key')).text).to.equal('text');
    expect((await member.put('/own')).code).to.equal('AccessDenied');
  });

  it('knows users that are added, and none that are removed, without a restart', async () => {
    const pids = service.pids();
    expect(await codeFor('test:new', 'fresh')).to.equal('InvalidAccessKeyId');
    await writeFile(conf, confOf(`${USERS}\nuser_test_new = fresh .admin`));
    await settles('test:new', 'fresh', 'accepted');
    // As editors and configuration management do it.
    await writeFile(`${conf}.new`, confOf(USERS), { mode: 0o600 });
    await rename(`${conf}.new`, conf);
    await settles('test:new', 'fresh', 'InvalidAccessKeyId');
    expect(await codeFor('test:tester', 'testing')).to.equal('accepted');
    expect(service.pids()).to.deep.equal(pids);
  });

  it('takes a changed key, and no longer the old one', async () => {
    await writeFile(conf, confOf(USERS.replace('testing2', 'changed2')));
    // A member who is known may list no buckets.
    await settles('test:member', 'changed2', 'AccessDenied');
    await settles('test:member', 'testing2', 'SignatureDoesNotMatch');
    await writeFile(conf, confOf(USERS));
    await settles('test:member', 'testing2', 'AccessDenied');
  });

  it('keeps what it knows when the file is broken or gone, and says so', async () => {
    const said = (pattern: RegExp) => (text: string) => pattern.test(text);
    const output = (): Promise<string> => Promise.resolve(service.output());
    await writeFile(conf, confOf(`${USERS}\nuser_broken = hush-hush`));
    await eventually(output, said(/user_broken: .*expected user_<account>/));
    expect(await codeFor('test:tester', 'testing')).to.equal('accepted');
    await rm(conf);
    await eventually(output, said(/ENOENT/));
    expect(await codeFor('test:tester', 'testing')).to.equal('accepted');
    await writeFile(conf, confOf(`${USERS}\nuser_test_late = l8 .admin`), { mode: 0o600 });
    await settles('test:late', 'l8', 'accepted');
    expect(service.output()).not.to.include('hush-hush');
    expect(service.output()).not.to.include('testing2');
  });

  it('gives them to a listener that is started again', async () => {
    await writeFile(conf, confOf(`${USERS}\nuser_test_kept = kept .admin`));
    await settles('test:kept', 'kept', 'accepted');
    const [first = 0] = service.pids();
    process.kill(first, 'SIGKILL');
    await eventually(
      () => Promise.resolve(service.pids()),
      (pids) => !pids.includes(first) && pids.length === 3,
    );
    await settles('test:kept', 'kept', 'accepted');
  });
});
