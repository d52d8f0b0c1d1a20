import { expect } from 'chai';
import type { SwiftResponse } from '../../../../src/backend/swift/transport.js';
import { answer } from '../support/fake-swift.js';
import { openDirectFixture, REF, type DirectFixture } from './support.js';

/** Of what is read. */

describe('direct reads of listings', () => {
  let fixture: DirectFixture;

  beforeEach(async () => {
    fixture = await openDirectFixture();
  });

  afterEach(() => fixture.close());

  /** Sets the step of each node, for good. */
  const script = (...steps: Parameters<typeof set>[1][]): void => {
    for (const [index, step] of steps.entries()) set(index, step);
  };
  const set = (index: number, step: (typeof fixture.nodes)[0]['steps'][0]): void => {
    fixture.nodes[index]!.steps = [step];
  };
  const asked = (): number[] => fixture.nodes.map(({ seen }) => seen.length);

  it('list a container that is not sharded', async () => {
    const query = 'format=json&limit=2';
    script(answer(200, '[]', { 'X-Backend-Sharding-State': 'unsharded' }));
    expect((await fixture.read({ object: undefined, query })).text).to.equal('[]');
    expect(fixture.nodes[0]!.seen[0]!.url).to.match(/^\/d0\/[01]\/AUTH_a\/c\?format=json&limit=2$/);
  });

  it('leave one that is sharded to a proxy', async () => {
    const query = 'format=json&limit=2';
    script(answer(200, '[]', { 'X-Backend-Sharding-State': 'sharded' }));
    for (let i = 0; i < 2; i++) await fixture.read({ object: undefined, query });
    expect(fixture.ways).to.deep.equal(['sharded', 'sharded']);
    expect(asked()).to.deep.equal([1, 0, 0]);
  });

  it('leave one that Swift encrypts to a proxy', async () => {
    const query = 'format=json&limit=2';
    script(answer(200, '[{"name":"o","hash":"Zm9v; swift_meta=%7B%7D","bytes":3}]'));
    for (let i = 0; i < 2; i++) {
      expect((await fixture.read({ object: undefined, query })).text).to.equal('of the proxy');
    }
    expect(fixture.ways).to.deep.equal(['encrypted', 'encrypted']);
    expect(asked()).to.deep.equal([1, 0, 0]);
  });

  it('give a listing as text and as bytes, of the length that is asked for', async () => {
    const list = (): Promise<SwiftResponse> =>
      fixture.transport.request({
        context: { requestId: 'r' },
        method: 'GET',
        account: REF.account,
        container: REF.container,
        query: 'format=json',
      });
    script(answer(200, '[1]'));
    expect(await (await list()).text(3)).to.equal('[1]');
    const { memory, length } = await (await list()).whole(3);
    expect(memory.toString('utf8', 0, length)).to.equal('[1]');
    for (const kind of ['text', 'whole'] as const) {
      const error: unknown = await (await list())[kind](2).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'Corrupt');
    }
    (await list()).cancel();
  });

  it('leave a listing that breaks off to a proxy', async () => {
    script(({ response, incoming }) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('[', () => incoming.socket.destroy());
    });
    const query = 'format=json';
    expect((await fixture.read({ object: undefined, query })).text).to.equal('of the proxy');
    expect(fixture.ways).to.deep.equal(['nodes_failed']);
  });
});
