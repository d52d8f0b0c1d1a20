import { expect } from 'chai';
import { useEach, useOnce } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { expectRefused } from '../support/client.js';
import { startRelayedBed } from '../support/store-relay.js';
import { makeContainer, ok, unique, upload } from './support.js';

const CONTAINER = unique('search');

describe('console files: the bounds of searches', () => {
  const bed = useOnce(startRelayedBed, 'close');
  const client = useOnce(() => bed().login());
  const relay = useEach(() => Object.assign(bed().relay, { holdListings: false, listings: 0 }));

  before(async () => {
    await makeContainer(client(), CONTAINER);
    await ok(upload(client(), CONTAINER, 'a', 'x'), 201);
  });

  const search = (more: object = {}, one = client()) =>
    one.post('/api/files/search', { container: CONTAINER, q: 'a', ...more });
  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);

  it('ends at its time also where the store does not answer, and says how far it came', async () => {
    relay().holdListings = true;
    const answer = await ok(search({ max_s: 1, marker: 'Z' }), 200);
    expect(linesOf(answer.text)).to.deep.equal([{ scanned: 0, truncated: true, next_marker: 'Z' }]);
    relay().holdListings = false;
    const next = await ok(search({ max_s: 1 }), 200);
    expect(linesOf(next.text)).to.have.length(2);
  });

  it('lets a session run two at once, and others theirs', async () => {
    relay().holdListings = true;
    const running = [search({ max_s: 2 }), search({ max_s: 2 })];
    await until(() => relay().listings === 2);
    const refused = await search();
    await expectRefused(refused, 503, 'busy');
    expect(Number(refused.headers['retry-after'])).to.be.above(0);
    relay().holdListings = false;
    await ok(search({}, await bed().login()), 200);
    for (const one of await Promise.all(running)) expect(one.status).to.equal(200);
    await ok(search(), 200);
  });
});
