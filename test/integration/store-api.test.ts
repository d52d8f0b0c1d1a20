import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';

describe('service: Swift API of the store', () => {
  let service: Service;
  let origin: string;

  before(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    service = await startService({ store: `127.0.0.1:${port}`, listeners: 1 });
    await eventually(
      () =>
        fetch(`${origin}/healthcheck`).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 200,
    );
  });

  after(() => service.stop());

  async function login(): Promise<string> {
    const headers = { 'x-auth-user': service.accessKey, 'x-auth-key': service.secretKey };
    const response = await fetch(`${origin}/auth/v1.0`, { headers });
    expect(response.status).to.equal(200);
    expect(response.headers.get('x-storage-url')).to.equal(`${origin}/v1/AUTH_main`);
    return response.headers.get('x-auth-token') ?? '';
  }

  it('shows what S3 wrote, and S3 shows what it wrote', async () => {
    const s3 = new S3TestClient(service);
    expect((await s3.put('/shared')).status).to.equal(200);
    expect((await s3.put('/shared/from/s3', 'one')).status).to.equal(200);
    const headers = { 'x-auth-token': await login() };
    const path = `${origin}/v1/AUTH_main/shared`;
    expect(await (await fetch(`${path}/from/s3`, { headers })).text()).to.equal('one');
    const put = await fetch(`${path}/from/swift`, { method: 'PUT', headers, body: 'two' });
    expect(put.status).to.equal(201);
    expect((await s3.get('/shared/from/swift')).text).to.equal('two');
    await s3.close();
    expect(await (await fetch(path, { headers })).text()).to.equal('from/s3\nfrom/swift\n');
  });

  it('describes the S3 API in /info as Swift describes its s3api', async () => {
    const info = (await (await fetch(`${origin}/info`)).json()) as Record<string, unknown>;
    expect(info.s3api).to.deep.equal({
      max_bucket_listing: 1000,
      max_parts_listing: 1000,
      max_upload_part_num: 10_000,
      max_multi_delete_objects: 1000,
      allow_multipart_uploads: true,
      min_segment_size: 5_242_880,
      s3_acl: true,
    });
  });

  it('is shown by the admin port, counts, and comes back after a crash', async () => {
    const token = await login();
    const statusz = await (await fetch(`${service.adminEndpoint}/statusz`)).json();
    const { children } = statusz as { children: { kind: string; pid: number }[] };
    const child = children.find(({ kind }) => kind === 'store');
    expect(child?.pid).to.be.a('number');
    const metrics = await (await fetch(`${service.adminEndpoint}/metrics`)).text();
    expect(metrics).to.match(/^ringway_swift_api_up 1$/m);
    expect(metrics).to.match(/^ringway_swift_api_requests_total\{.*resource="auth".*\} [1-9]/m);
    process.kill(child!.pid, 'SIGKILL');
    await eventually(
      () => fetch(`${service.adminEndpoint}/metrics`).then((response) => response.text()),
      (text) => /^ringway_swift_api_restarts_total\{reason="signal"\} 1$/m.test(text),
    );
    // The token is of no process: it holds.
    await eventually(
      () =>
        fetch(`${origin}/v1/AUTH_main`, { headers: { 'x-auth-token': token } }).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 200 || status === 204,
    );
  });
});
