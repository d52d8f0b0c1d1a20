import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';
import type { Answer } from '../support/client.js';
import { expectRefused } from '../support/client.js';
import { startRelayedBed } from '../support/store-relay.js';
import {
  askStore,
  change,
  job,
  makeContainer,
  ok,
  query,
  shown,
  unique,
  upload,
} from './support.js';

const OPEN = unique('open');
const BUCKET = unique('bucket');

const RULE = {
  ...{ enabled: true, prefix: '', tags: [], size_greater_than: null, size_less_than: null },
  ...{ expire: { days: 7 }, transitions: [], noncurrent_expire: null, noncurrent_transitions: [] },
  abort_days: null,
};
const CORS = {
  ...{ id: '', methods: ['GET'], headers: [], expose_headers: [], max_age_s: null },
};

/** The changes of two users, with the value that both pages opened and the store's write. */
const CASES = [
  {
    what: 'acl',
    before: { read: '', write: '' },
    body: { name: OPEN },
    values: [
      { read: 'a:b', write: '' },
      { read: 'c:d', write: 'c:d' },
    ],
    isWrite: (method: string, path: string) => method === 'POST' && path.endsWith(`/${OPEN}`),
    says: 'the access rules',
  },
  {
    what: 'object',
    before: { meta: {} },
    body: { container: OPEN, name: 'o' },
    values: [{ meta: { colour: 'red' } }, { meta: { colour: 'blue' } }],
    isWrite: (method: string, path: string) => method === 'POST' && path.endsWith('/o'),
    says: 'the object',
  },
  {
    what: 'lifecycle',
    before: { rules: [] },
    body: { name: BUCKET },
    values: [{ rules: [{ ...RULE, id: 'one' }] }, { rules: [{ ...RULE, id: 'two' }] }],
    isWrite: (method: string, path: string) => method === 'PUT' && path.includes('lifecycle'),
    says: 'the lifecycle rules',
  },
  {
    what: 'cors',
    before: { rules: [] },
    body: { name: BUCKET },
    values: [
      { rules: [{ ...CORS, origins: ['https://one.example'] }] },
      { rules: [{ ...CORS, origins: ['https://two.example'] }] },
    ],
    isWrite: (method: string, path: string) => method === 'PUT' && path.includes('cors'),
    says: 'the CORS rules',
  },
  {
    what: 'tags',
    before: { tags: [] },
    body: { container: BUCKET },
    values: [{ tags: [{ key: 'k', value: 'one' }] }, { tags: [{ key: 'k', value: 'two' }] }],
    isWrite: (method: string, path: string) => method === 'PUT' && path.includes('tagging'),
    says: 'the tags',
  },
  {
    what: 'lock',
    before: { default_retention: null },
    body: { name: BUCKET, confirm_name: BUCKET },
    values: [
      { default_retention: { mode: 'GOVERNANCE', unit: 'days', count: 1 } },
      { default_retention: { mode: 'GOVERNANCE', unit: 'days', count: 2 } },
    ],
    isWrite: (method: string, path: string) => method === 'PUT' && path.includes('object-lock'),
    says: 'Object Lock',
  },
] as const;

/** Documents of a bucket in memory, and a gate in front of them. */
class FakeS3 {
  readonly documents = new Map<string, string>();
  before: ((method: string, path: string) => Promise<unknown> | undefined) | undefined;

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const body = await text(request);
    if (!url.startsWith(`/${BUCKET}`)) return void response.writeHead(404).end();
    await this.before?.(method, url);
    if (url.includes('versioning')) return void response.end('<R><Status>Enabled</Status></R>');
    if (method === 'PUT') this.documents.set(url, body);
    if (method === 'DELETE') {
      this.documents.delete(url);
      return void response.writeHead(204).end();
    }
    const found = this.documents.get(url);
    const none = '<Error><Code>NoSuchTagSet</Code></Error>';
    response
      .writeHead(found === undefined ? 404 : 200)
      .end(method === 'GET' ? (found ?? none) : '');
  }
}

describe('console files: changes from pages that were opened before', () => {
  const s3 = new FakeS3();
  const server = useOnce(() => serve((...exchange) => void s3.answer(...exchange)), 'close');
  const bed = useOnce(() => startRelayedBed({ s3_base: server().origin }), 'close');
  const client = useOnce(() => bed().login());
  const relay = useOnce(() => bed().relay);

  before(async () => {
    await makeContainer(client(), OPEN);
    await ok(upload(client(), OPEN, 'o', 'x'), 201);
  });

  const send = (what: string, body: object): Promise<Answer> =>
    client().send(what === 'object' ? 'PATCH' : 'PUT', `/api/files/${what}`, { body });

  for (const { what, body, before: former, values, isWrite, says } of CASES) {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      it(`${what}: the ${order[0] === 0 ? 'first' : 'second'} counts where it writes first`, async () => {
        await ok(change(client(), what, { ...body, ...former }), 204);
        const was = await shown(client(), what, body);
        const [mine, other] = order.map((index) => ({ ...body, ...values[index], was }));
        let late: Promise<Answer> | undefined;
        // Between the look of one and its write the other arrives.
        relay().before = s3.before = (method, path) => {
          if (late !== undefined || !isWrite(method, path)) return undefined;
          late = send(what, other!);
          return seen(4);
        };
        const first = await send(what, mine!);
        const second = await late!;
        relay().before = s3.before = undefined;
        expect(first.status, first.text).to.equal(204);
        await expectRefused(second, 409, 'conflict');
        const { error } = second.json() as {
          error: { message: string; details: { present: unknown } };
        };
        expect(error.message).to.match(
          new RegExp(`^Another user has changed ${says}\\. Now: .+\\.$`),
        );
        const present = await shown(client(), what, body);
        expect(error.details.present).to.deep.equal(present);
        expect(present).not.to.deep.equal(was);
        // With what there is now, the other one may.
        expect((await send(what, { ...other, was: present })).status).to.equal(204);
      });
    }
  }

  /** Goes through the console some times: what was sent before has got as far as it can. */
  async function seen(times: number): Promise<void> {
    for (let left = times; left > 0; left--) await client().get('/api/session');
  }

  it('gives a new trash the access rules that came while it was made', async () => {
    const container = unique('trash-rules');
    await makeContainer(client(), container);
    const lists = { name: container, read: 'a:b', write: 'a:b' };
    await ok(send('acl', { ...lists, was: { read: '', write: '' } }), 204);
    const ask = await askStore(bed().store);
    let isShut = false;
    relay().before = async (method, path) => {
      // Another client, past the console, shuts the user out between look and creation.
      if (isShut || method !== 'PUT' || !path.endsWith(`/${container}%2Btrash`)) return;
      isShut = true;
      await ask('POST', container, { 'x-container-read': '', 'x-container-write': '' });
    };
    // The trash was made when the rules were saved: it is deleted, so that a deletion makes it.
    const removed = `/api/files/container?${query({ name: `${container}+trash` })}`;
    await ok(client().send('DELETE', removed), 204);
    await ok(upload(client(), container, 'o', 'x'), 201);
    await job(client(), '/api/files/delete', { container, names: ['o'], mode: 'trash' });
    relay().before = undefined;
    expect(isShut).to.equal(true);
    expect(await shown(client(), 'acl', { name: `${container}+trash` })).to.deep.equal({
      ...{ read: '', write: '' },
    });
  });
});
