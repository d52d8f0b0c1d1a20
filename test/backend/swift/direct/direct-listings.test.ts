import { expect } from 'chai';
import type { SwiftResponse } from '../../../../src/backend/swift/transport.js';
import { answer, shortBody } from '../support/fake-swift.js';
import { openDirectFixture, REF, type DirectFixture } from './support.js';
import { codeOf } from '../../../support/failure.js';

describe('direct reads of listings', () => {
  let fixture: DirectFixture;

  beforeEach(async () => {
    fixture = await openDirectFixture();
  });

  afterEach(() => fixture.close());

  it('list a container that is not sharded', async () => {
    const query = 'format=json&limit=2';
    fixture.script(answer(200, '[]', { 'X-Backend-Sharding-State': 'unsharded' }));
    expect((await fixture.read({ object: undefined, query })).text).to.equal('[]');
    expect(fixture.nodes[0]!.seen[0]!.url).to.match(/^\/d0\/[01]\/AUTH_a\/c\?format=json&limit=2$/);
  });

  it('leave one that is sharded to a proxy', async () => {
    const query = 'format=json&limit=2';
    fixture.script(answer(200, '[]', { 'X-Backend-Sharding-State': 'sharded' }));
    for (let i = 0; i < 2; i++) await fixture.read({ object: undefined, query });
    expect(fixture.ways).to.deep.equal(['sharded', 'sharded']);
    expect(fixture.asked()).to.deep.equal([1, 0, 0]);
  });

  it('leave one that Swift encrypts to a proxy', async () => {
    const query = 'format=json&limit=2';
    fixture.script(answer(200, '[{"name":"o","hash":"Zm9v; swift_meta=%7B%7D","bytes":3}]'));
    for (let i = 0; i < 2; i++) {
      expect((await fixture.read({ object: undefined, query })).text).to.equal('of the proxy');
    }
    expect(fixture.ways).to.deep.equal(['encrypted', 'encrypted']);
    expect(fixture.asked()).to.deep.equal([1, 0, 0]);
  });

  it('give a listing as text and as bytes, of the length that is asked for', async () => {
    const { account, container } = REF;
    const asked = { context: { requestId: 'r' }, account, container, query: 'format=json' };
    const list = (): Promise<SwiftResponse> =>
      fixture.transport.request({ ...asked, method: 'GET' });
    fixture.script(answer(200, '[1]'));
    expect(await (await list()).text(3)).to.equal('[1]');
    const { memory, length } = await (await list()).whole(3);
    expect(memory.toString('utf8', 0, length)).to.equal('[1]');
    for (const kind of ['text', 'whole'] as const) {
      expect(await codeOf((await list())[kind](2))).to.equal('Corrupt');
    }
    (await list()).cancel();
  });

  it('leave a listing that breaks off to a proxy', async () => {
    fixture.script(shortBody(100, '['));
    const query = 'format=json';
    expect((await fixture.read({ object: undefined, query })).text).to.equal('of the proxy');
    expect(fixture.ways).to.deep.equal(['nodes_failed']);
  });
});
