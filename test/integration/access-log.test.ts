import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'undici';
import type { AccessEntry } from '../../src/telemetry/access-log.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { requireNoSecrets } from '../support/secrets.js';
import { signHeaders, UNSIGNED } from '../support/sigv4.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

describe('integration: access log', () => {
  const folder = useTempFolderOnce('access-log');
  const file = useOnce(() => join(folder(), 'access.log'));
  let service: Service;
  let client: S3TestClient;

  before(async () => {
    service = await startService({ config: { access_log: file() } });
    client = new S3TestClient(service);
  });

  after(async () => {
    await client.close();
    await service.stop();
    const logs = [file(), `${file()}.1`].map((name) => readFile(name, 'utf8'));
    for (const log of await Promise.all(logs)) requireNoSecrets(log, [service.secretKey]);
  });

  async function entries(): Promise<AccessEntry[]> {
    const text = await readFile(file(), 'utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as AccessEntry);
  }

  /** The line of a request, when it is written. */
  async function entryOf(requestId: string | undefined): Promise<AccessEntry> {
    const found = await eventually(
      async () => (await entries()).find((entry) => entry.request_id === requestId),
      (entry) => entry !== undefined,
    );
    if (found === undefined) throw new Error('no line');
    return found;
  }

  it('has a line for each request, with what was asked for and what came of it', async () => {
    await client.send({ method: 'PUT', path: '/photos' });
    const path = '/photos/a%20b/%C3%BC?x-id=PutObject';
    const headers = { 'user-agent': 'test/1' };
    const put = await client.send({ method: 'PUT', path, headers, body: 'hello' });
    const entry = await entryOf(put.headers['x-amz-request-id']);
    const fields = 'time request_id remote requester account bucket key operation method status ';
    const more = 'error_code bytes_in bytes_out total_ms ttfb_ms backend_ms wait_ms aborted_by ';
    const all = `${fields}${more}listener user_agent`.split(' ');
    expect(Object.keys(entry)).to.deep.equal(all);
    expect(entry).to.include({
      remote: '127.0.0.1',
      requester: service.accessKey,
      bucket: 'photos',
      key: 'a b/ü',
      operation: 'PutObject',
      method: 'PUT',
      status: 200,
      error_code: null,
      bytes_in: 5,
      bytes_out: 0,
      wait_ms: 0,
      aborted_by: null,
      user_agent: 'test/1',
    });
    expect(entry.backend_ms).to.be.within(0.001, entry.total_ms);
    expect(entry.ttfb_ms).to.be.within(entry.backend_ms, entry.total_ms);
    // A wrong unit or zone is off by far more than a clock that is set.
    expect(Date.parse(entry.time)).to.be.within(Date.now() - 60_000, Date.now() + 60_000);
  });

  it('records of a refused request what it claims, and no user', async () => {
    const other = new S3TestClient({ ...service, secretKey: 'wrong' });
    const refused = await other.send({ method: 'GET', path: '/photos/x' });
    await other.close();
    const entry = await entryOf(refused.headers['x-amz-request-id']);
    expect(entry).to.include({
      requester: null,
      account: null,
      bucket: 'photos',
      key: 'x',
      status: 403,
      error_code: 'SignatureDoesNotMatch',
    });
  });

  it('tells which side cut a response short', async () => {
    const body = Buffer.alloc(30_000_000);
    await client.send({ method: 'PUT', path: '/photos/large', body });
    const request = { method: 'GET', rawPath: '/photos/large', rawQuery: '' };
    const host = service.endpoint.slice('http://'.length);
    const identity = { ...service, region: 'us-east-1' };
    const headers = signHeaders(identity, { ...request, headers: { host } }, new Date(), UNSIGNED);
    const leaver = new Client(service.endpoint);
    const response = await leaver.request({ method: 'GET', path: request.rawPath, headers });
    response.body.on('error', () => undefined).destroy();
    await leaver.destroy();
    const entry = await eventually(
      async () => (await entries()).find((one) => one.key === 'large' && one.method === 'GET'),
      (found) => found !== undefined,
    );
    expect(entry).to.include({ status: 200, aborted_by: 'client' });
    expect(entry?.bytes_out).to.be.below(body.length);
  });

  it('goes on in a new file after SIGUSR1', async () => {
    await rename(file(), `${file()}.1`);
    process.kill(service.supervisorPid, 'SIGUSR1');
    await eventually(
      () => stat(file()).catch(() => undefined),
      (found) => found !== undefined,
    );
    const head = await client.send({ method: 'HEAD', path: '/photos' });
    await entryOf(head.headers['x-amz-request-id']);
    expect((await fetch(`${service.adminEndpoint}/livez`)).status).to.equal(200);
  });
});
