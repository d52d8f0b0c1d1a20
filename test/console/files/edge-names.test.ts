import http from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { codeOf, type ConsoleClient } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { EDGE_NAMES } from './edge-names.js';
import {
  download,
  job,
  list,
  listTrash,
  makeContainer,
  ok,
  query,
  unique,
  upload,
  zipTicket,
} from './support.js';
import { entriesOf } from './zip-reader.js';

describe('console files: edge names', () => {
  let container: string;
  let bed: TestBed;
  let client: ConsoleClient;

  before(async () => {
    bed = await startTestBed();
    client = await bed.login();
  });

  beforeEach(async () => {
    container = unique('☃+ c');
    await makeContainer(client, container);
  });

  after(() => bed.close());

  const names = async () =>
    (await list(client, container, { delimiter: '' })).items.map((item) => item.name);

  /** What an archive of one object holds, under the name that its table says is the object's. */
  async function zipped(name: string): Promise<string | undefined> {
    const path = await zipTicket(client, { container, names: [name] });
    const entries = entriesOf((await ok(client.get(path), 200)).bytes);
    const table = JSON.parse(String(entries.get('_names.json') ?? '{}')) as Record<string, string>;
    const [entry] = Object.entries(table).find(([, object]) => object === name) ?? [name];
    expect(entry.split('/')).not.to.include.members(['..']).and.not.to.include('');
    return entries.get(entry)?.toString();
  }

  async function throughTempUrl(name: string): Promise<string> {
    const made = (await ok(client.post('/api/files/tempurl', { container, name }))).json() as {
      url_path: string;
    };
    const { port } = new URL(bed.store.origin);
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get({ host: '127.0.0.1', port, path: made.url_path }, resolve).on('error', reject);
    });
    expect(response.statusCode).to.equal(200);
    return text(response);
  }

  for (const [title, name] of Object.entries(EDGE_NAMES)) {
    it(`takes ${title} through every operation`, async () => {
      const body = `body of ${name}`;
      await ok(upload(client, container, name, body), 201);
      expect(await names()).to.deep.equal([name]);
      expect((await ok(download(client, container, name), 200)).text).to.equal(body);
      expect(await throughTempUrl(name)).to.equal(body);
      expect(await zipped(name)).to.equal(body);

      const thrown = { container, names: [name], mode: 'trash' };
      expect((await job(client, '/api/files/delete', thrown)).result.failures).to.deep.equal([]);
      expect(await names()).to.deep.equal([]);
      const [entry] = await listTrash(client, container);
      expect(entry?.name).to.equal(name);

      const back = { container, trash_names: [entry!.trash_name] };
      const restored = await job(client, '/api/files/trash/restore', back);
      expect(restored.result.failures).to.deep.equal([]);
      expect(await names()).to.deep.equal([name]);
      expect((await ok(download(client, container, name), 200)).text).to.equal(body);
      expect(await listTrash(client, container)).to.deep.equal([]);
    });
  }

  it('refuses names that the store cannot hold, and changes none into another', async () => {
    const tooLong = await upload(client, container, 'x'.repeat(1025), 'x');
    expect([tooLong.status, codeOf(tooLong)]).to.deep.equal([400, 'invalid_argument']);
    const raw = [
      ['NUL', '%00'],
      ['not UTF-8', '%FF'],
      ['half a character', '%ED%A0%80'],
      ['half an escape', '%2'],
      ['no escape', '%zz'],
    ];
    for (const [title, name] of raw) {
      const path = `/api/files/object/body?${query({ container })}&name=${name}`;
      const headers = { 'content-type': 'application/octet-stream' };
      const put = await client.send('PUT', path, { body: 'x', headers });
      expect([put.status, codeOf(put)], title).to.deep.equal([400, 'invalid_argument']);
      expect((await client.get(path)).status, title).to.equal(400);
    }
    const half = { container, names: ['\ud800'], mode: 'trash' };
    expect((await client.post('/api/files/delete', half)).status).to.equal(400);
    expect(await names()).to.deep.equal([]);
  });
});
