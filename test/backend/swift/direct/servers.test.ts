import { expect } from 'chai';
import { cancelledBy } from '../../../../src/lib/cancellation.js';
import { until } from '../../../support/until.js';
import { hang, type SeenRequest, type Step } from '../support/fake-swift.js';
import { openDirectFixture, stored, type DirectFixture } from './support.js';

describe('direct reads: servers that come and go', () => {
  let fixture: DirectFixture;

  beforeEach(async () => {
    fixture = await openDirectFixture();
  });

  afterEach(() => fixture.close());

  it('wait for a server that hangs once', async () => {
    await fixture.close();
    fixture = await openDirectFixture({ nodeTimeoutMs: 1000 });
    fixture.script(hang, stored('b'));
    for (let i = 0; i < 3; i++) expect((await fixture.read()).text).to.equal('b');
    expect(fixture.asked()).to.deep.equal([1, 3, 0]);
    expect(fixture.errors).to.deep.equal(['timeout']);
  });

  it('ask a second server when the first takes long', async () => {
    await fixture.close();
    fixture = await openDirectFixture({ hedgeMs: 10 });
    fixture.script(hang, stored('b'));
    expect((await fixture.read()).text).to.equal('b');
    expect(fixture.hedges.won).to.equal(1);
    expect(fixture.errors).to.deep.equal([]);
  });

  it('end with the request, which says nothing of the server', async () => {
    const begun: Step = ({ response }) => {
      response.writeHead(200, { 'Content-Length': 10, 'X-Backend-Data-Timestamp': '1.0' });
      response.write('0123');
    };
    const reason = new Error('given up');
    // Servers with other errors are left out after ten.
    for (const step of [hang, ...Array<Step>(12).fill(begun)]) {
      const { seen } = fixture.nodes[0]!;
      const { length } = seen;
      fixture.script(step, hang, hang);
      const controller = new AbortController();
      const context = { requestId: 'r', cancellation: cancelledBy(controller.signal) };
      const reading = fixture.read({ context }).catch((thrown: unknown) => thrown);
      await until(() => seen.length > length);
      controller.abort(reason);
      expect(await reading).to.equal(reason);
    }
    expect(fixture.errors).to.deep.equal([]);
    fixture.script(stored('bytes'));
    expect((await fixture.read()).text).to.equal('bytes');
    expect(fixture.asked()).to.deep.equal([14, 0, 0]);
  });

  it('close the connections to a server that has left the rings', async () => {
    await fixture.close();
    fixture = await openDirectFixture({ ringsCheckMs: 5, keepAliveMs: 60_000 });
    const [left, other] = fixture.nodes;
    const held: SeenRequest[] = [];
    left!.steps = [(request) => void held.push(request)];
    const reading = fixture.read();
    await until(() => held.length === 1);
    left!.steps = [stored('idle')];
    expect((await fixture.read()).text).to.equal('idle');
    expect(left!.openConnections).to.equal(2);
    await fixture.writeRings([other!]);
    await until(() => left!.openConnections === 1);
    await stored('to its end')(held[0]!);
    expect((await reading).text).to.equal('to its end');
    await until(() => left!.openConnections === 0);
    other!.steps = [stored('of the other')];
    expect((await fixture.read()).text).to.equal('of the other');
  });
});
