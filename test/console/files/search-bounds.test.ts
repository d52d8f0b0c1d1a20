import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { codeOf, type ConsoleClient } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { StoreRelay } from '../support/store-relay.js';
import { makeContainer, ok, unique, upload } from './support.js';

const CONTAINER = unique('search');

describe('console files: the bounds of searches', () => {
  const relay = new StoreRelay();
  let bed: TestBed;
  let client: ConsoleClient;

  before(async () => {
    bed = await startTestBed({ store_base: await relay.listen() });
    relay.target = bed.store.origin;
    client = await bed.login();
    await makeContainer(client, CONTAINER);
    await ok(upload(client, CONTAINER, 'a', 'x'), 201);
  });
  after(async () => {
    await bed.close();
    relay.close();
  });
  beforeEach(() => {
    relay.holdListings = false;
    relay.listings = 0;
  });

  const search = (one: ConsoleClient, more: object = {}) =>
    one.post('/api/files/search', { container: CONTAINER, q: 'a', ...more });
  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);

  it('ends at its time also where the store does not answer, and says how far it came', async () => {
    relay.holdListings = true;
    const answer = await ok(search(client, { max_s: 1, marker: 'Z' }), 200);
    expect(linesOf(answer.text)).to.deep.equal([{ scanned: 0, truncated: true, next_marker: 'Z' }]);
    relay.holdListings = false;
    const next = await ok(search(client, { max_s: 1 }), 200);
    expect(linesOf(next.text)).to.have.length(2);
  });

  it('lets a session run two at once, and others theirs', async () => {
    relay.holdListings = true;
    const running = [search(client, { max_s: 2 }), search(client, { max_s: 2 })];
    await eventually(
      () => Promise.resolve(relay.listings),
      (count) => count === 2,
    );
    const refused = await search(client);
    expect([refused.status, codeOf(refused)]).to.deep.equal([503, 'busy']);
    expect(Number(refused.headers['retry-after'])).to.be.above(0);
    relay.holdListings = false;
    await ok(search(await bed.login()), 200);
    for (const one of await Promise.all(running)) expect(one.status).to.equal(200);
    await ok(search(client), 200);
  });
});
