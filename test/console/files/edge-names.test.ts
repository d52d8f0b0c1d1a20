import http from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { expectRefused } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { ALL_EDGE_NAMES, EDGE_NAMES } from './edge-names.js';
import {
  change,
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

const IN_ORDER = [...ALL_EDGE_NAMES].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const bodyOf = (name: string) => `body of ${name}`;

/** The result of an operation for each name, by the name's oddity. */
async function ofEach(operation: (name: string) => Promise<string | undefined>) {
  const results = Object.entries(EDGE_NAMES).map(async ([title, name]) => {
    const result = await operation(name).catch((error: unknown) => String(error));
    return [title, result] as const;
  });
  return Object.fromEntries(await Promise.all(results));
}

const BODIES = Object.fromEntries(
  Object.entries(EDGE_NAMES).map(([title, name]) => [title, bodyOf(name)]),
);

/** Clients take `a/../b` in an address for `b`. */
const isShortened = (name: string) => name.split('/').some((part) => /^\.\.?$/.test(part));

describe('console files: edge names', () => {
  const container = unique('☃+ c');
  const bed = useOnce(startTestBed, 'close');
  const client = useOnce(() => bed().login());

  before(async () => {
    await makeContainer(client(), container);
    await ofEach(async (name) => {
      await ok(upload(client(), container, name, bodyOf(name)), 201);
      return undefined;
    });
  });

  const names = async () =>
    (await list(client(), container, { delimiter: '' })).items.map((item) => item.name);

  const downloads = () =>
    ofEach(async (name) => (await ok(download(client(), container, name), 200)).text);

  it('lists and downloads each', async () => {
    expect(await names()).to.deep.equal(IN_ORDER);
    expect(await downloads()).to.deep.equal(BODIES);
  });

  it('tells the properties of each, and changes them', async () => {
    const properties = await ofEach(async (name) => {
      const place = { container, name };
      const body = { ...place, meta: { of: encodeURIComponent(name).slice(0, 200) } };
      await ok(change(client(), 'object', body), 204);
      const answer = await ok(client().get(`/api/files/object?${query(place)}`), 200);
      return (answer.json() as { meta: { of: string } }).meta.of;
    });
    const expected = await ofEach((name) =>
      Promise.resolve(encodeURIComponent(name).slice(0, 200)),
    );
    expect(properties).to.deep.equal(expected);
  });

  it('makes a TempURL of each that the store takes, unless browsers would shorten it', async () => {
    const { port } = new URL(bed().store.origin);
    const bodies = await ofEach(async (name) => {
      if (isShortened(name)) {
        const refused = await client().post('/api/files/tempurl', { container, name });
        await expectRefused(refused, 400, 'bad_name');
        return bodyOf(name);
      }
      const made = (await ok(client().post('/api/files/tempurl', { container, name }))).json() as {
        url_path: string;
      };
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        http.get({ host: '127.0.0.1', port, path: made.url_path }, resolve).on('error', reject);
      });
      expect(response.statusCode).to.equal(200);
      return text(response);
    });
    expect(bodies).to.deep.equal(BODIES);
  });

  it('packs each under a name that stays in its folder, and says what it was', async () => {
    const path = await zipTicket(client(), { container, names: ALL_EDGE_NAMES });
    const entries = entriesOf((await ok(client().get(path), 200)).bytes);
    const table = JSON.parse(String(entries.get('_names.json'))) as Record<string, string>;
    for (const entry of entries.keys()) {
      for (const part of entry.split('/')) expect(['', '.', '..']).not.to.include(part);
    }
    const bodies = await ofEach((name) => {
      const [entry] = Object.entries(table).find(([, object]) => object === name) ?? [name];
      return Promise.resolve(entries.get(entry)?.toString());
    });
    expect(bodies).to.deep.equal(BODIES);
  });

  it('throws each away, and brings it back', async () => {
    const thrown = { container, names: ALL_EDGE_NAMES, mode: 'trash' };
    expect((await job(client(), '/api/files/delete', thrown)).result.failures).to.deep.equal([]);
    expect(await names()).to.deep.equal([]);
    const items = await listTrash(client(), container);
    expect(items.map(({ name }) => name)).to.have.members(ALL_EDGE_NAMES);

    const back = { container, trash_names: items.map((item) => item.trash_name) };
    const restored = await job(client(), '/api/files/trash/restore', back);
    expect(restored.result.failures).to.deep.equal([]);
    expect(await names()).to.deep.equal(IN_ORDER);
    expect(await downloads()).to.deep.equal(BODIES);
    expect(await listTrash(client(), container)).to.deep.equal([]);
  });

  it('refuses names that the store cannot hold, and changes none into another', async () => {
    await expectRefused(
      upload(client(), container, 'x'.repeat(1025), 'x'),
      400,
      'invalid_argument',
    );
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
      const refused = await client().send('PUT', path, { body: 'x', headers });
      await expectRefused(refused, 400, 'invalid_argument', title);
      expect((await client().get(path)).status, title).to.equal(400);
    }
    const half = { container, names: ['\ud800'], mode: 'trash' };
    expect((await client().post('/api/files/delete', half)).status).to.equal(400);
    expect(await names()).to.deep.equal(IN_ORDER);
  });
});
