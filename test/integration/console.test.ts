import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConsoleClient } from '../console/support/client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { ringway } from '../support/ringway.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

interface Child {
  readonly kind: string;
  readonly pid: number;
  readonly state: string;
}

const BYTES = Buffer.from('from the console: \u2603 and all');

/** The secrets that no answer of it may show. */
function secretsOf(service: Service) {
  const [, storeOrigin = ''] = /Swift API +(\S+)\/auth/.exec(service.output()) ?? [];
  return { storeOrigin, stateDir: join(service.dataDir, 'console') };
}

/** The console as the service starts it, over its embedded store. */
describe('service: console', () => {
  const folder = useTempFolderOnce('service-console');
  let service: Service;
  let client: ConsoleClient;

  before(async () => {
    await writeFile(join(folder(), 'console.json'), '{"cluster_name": "before"}');
    service = await startService({
      store: '127.0.0.1:0',
      console: '127.0.0.1:0',
      listeners: 1,
      config: { console_config: join(folder(), 'console.json'), probe_interval_ms: 100 },
    });
    const port = Number(/Console +http:\/\/127\.0\.0\.1:(\d+)/.exec(service.output())?.[1]);
    client = new ConsoleClient(port, secretsOf(service));
    await untilUp();
  });

  after(async () => {
    await service.stop();
  });

  async function consoleChild(): Promise<Child | undefined> {
    const status = (await (await fetch(`${service.adminEndpoint}/statusz`)).json()) as {
      readonly children: readonly Child[];
    };
    return status.children.find(({ kind, state }) => kind === 'console' && state === 'up');
  }

  async function untilUp(pidBefore?: number): Promise<Child> {
    const child = await eventually(
      consoleChild,
      (one) => one !== undefined && one.pid !== pidBefore,
    );
    if (child === undefined) throw new Error('no console');
    return child;
  }

  /** As the banner says. */
  async function login() {
    expect(service.output()).to.include('Log in       with the access key and the secret key');
    const [, accessKey] = /Access key +(\S+)/.exec(service.output()) ?? [];
    const body = { method: 'access_key', access_key: accessKey, secret_key: service.secretKey };
    const answer = await client.login(body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as { readonly role: string; readonly cluster_name: string };
  }

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${service.adminEndpoint}/metrics`)).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }

  it('lets in with the access key of the banner, and shares its bytes with S3', async () => {
    expect(await login()).to.include({ role: 'operator', cluster_name: 'before' });
    const made = await client.send('PUT', '/api/files/container', { body: { name: 'shared' } });
    expect(made.status, made.text).to.be.below(300);
    const upload = await client.beginUpload(
      '/api/files/object/body?container=shared&name=a%20name',
      BYTES.length,
    );
    upload.body.end(BYTES);
    expect((await upload.answer).status).to.be.below(300);
    const s3 = new S3TestClient(service);
    expect((await s3.get('/shared/a%20name')).body).to.deep.equal(BYTES);
    expect((await s3.put('/shared/back', 'from S3')).status).to.equal(200);
    await s3.close();
    const back = await client.get('/api/files/object/body?container=shared&name=back');
    expect(back.text).to.equal('from S3');
  });

  it('is part of the service: health, metrics, log, state', async () => {
    expect(await metric('ringway_console_up')).to.equal(1);
    await eventually(
      () => metric('ringway_console_logins_total\\{result="ok"\\}'),
      (count) => count >= 1,
    );
    const verbose = await (await fetch(`${service.adminEndpoint}/readyz?verbose`)).text();
    expect(verbose).to.match(/^\[\+\] console store: ok/m);
    const audit = await readFile(join(service.dataDir, 'console', 'audit.jsonl'), 'utf8');
    expect(audit).to.include('"action":"login"').and.not.include(service.secretKey);
    const { pid } = await untilUp();
    const seen = await Promise.all(
      ['environ', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
    );
    expect(seen.join('')).not.to.include(service.secretKey);
  });

  it('is started again after a kill -9, where it was; its sessions are gone, and S3 goes on', async () => {
    const { pid } = await untilUp();
    process.kill(pid, 'SIGKILL');
    await untilUp(pid);
    expect((await client.get('/api/session')).status).to.equal(401);
    await login();
    expect(await metric('ringway_console_restarts_total\\{reason="signal"\\}')).to.equal(1);
    expect((await fetch(`${service.adminEndpoint}/readyz`)).status).to.equal(200);
  });

  it('is another one after a reload, with its new configuration; an upload under way is finished', async () => {
    const { pid } = await untilUp();
    await login();
    await client.send('PUT', '/api/files/container', { body: { name: 'slow' } });
    const target = '/api/files/object/body?container=slow&name=slow';
    const upload = await client.beginUpload(target, BYTES.length);
    // The store cuts an upload of which nothing comes for twelve seconds.
    let sent = 5;
    upload.body.write(BYTES.subarray(0, sent));
    const drip = setInterval(() => {
      if (sent < BYTES.length - 1) upload.body.write(BYTES.subarray(sent, ++sent));
    }, 1000);
    await writeFile(join(folder(), 'console.json'), '{"cluster_name": "after"}');
    const reloaded = ringway(service, 'reload');
    await untilUp(pid);
    clearInterval(drip);
    expect((await client.get('/api/session')).status).to.equal(401);
    // The records of the next one wait for the log of the former one.
    const loggedIn = login();
    upload.body.end(BYTES.subarray(sent));
    expect((await upload.answer).status, service.output()).to.be.below(300);
    expect(await loggedIn).to.include({ cluster_name: 'after' });
    expect(await reloaded).to.include({ code: 0 });
    const chain = await client.get('/api/audit/verify');
    expect(chain.status, chain.text).to.equal(200);
    expect(chain.text).not.to.include('problem');
  });

  it('follows the credentials: a user who is removed from them is logged out', async () => {
    await login();
    const file = join(service.dataDir, 'credentials.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replaceAll(service.accessKey, 'SOMEBODYELSE'));
    await eventually(
      async () => (await client.get('/api/session')).status,
      (status) => status === 401,
    );
    await writeFile(file, text);
  });
});

describe('service: console whose address is in use', () => {
  it('is there when the address is free, and S3 before', async () => {
    const port = await freePort();
    const holder = createServer().listen(port, '127.0.0.1');
    const service = await startService({
      store: '127.0.0.1:0',
      console: `127.0.0.1:${port}`,
      listeners: 1,
      config: { restart_backoff_ms_max: 100, restart_limit: 1000 },
    });
    try {
      expect(service.output()).to.match(/Console +not yet, and tried again: console_listen: /);
      holder.close();
      await eventually(
        () =>
          new ConsoleClient(port, secretsOf(service)).get('/healthz').then(
            ({ status }) => status,
            () => 0,
          ),
        (status) => status === 200,
      );
    } finally {
      holder.close();
      await service.stop();
    }
  });
});
