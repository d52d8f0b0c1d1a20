import { expect } from 'chai';
import type { PutObjectInput } from '../../src/backend/backend.js';
import { useEach } from '../support/fixture.js';
import { ACCOUNT, Bench, BUCKET, CALL, NEVER } from './support.js';

const OPEN = { openExpired: true };

/** An object whose time is over already, which no client could set. */
function expired(more: Partial<PutObjectInput> = {}): PutObjectInput {
  const deleteAt = Date.now() - 1000;
  return { size: 1, contentType: 'text/plain', body: Buffer.from('x'), deleteAt, ...more };
}

describe('janitor: objects that expire by themselves', () => {
  const bench = useEach(() => Bench.open(), 'close');

  function refOf(object: string) {
    return { account: ACCOUNT, container: BUCKET, object };
  }

  it('removes those that have, in whatever container, and no others', async () => {
    const { store } = bench();
    const later = Date.now() + 86_400_000;
    await store.createContainer(CALL, { account: ACCOUNT, container: 'No bucket' }, {});
    await store.putObject(CALL, refOf('over'), expired());
    await store.putObject(CALL, refOf('later'), expired({ deleteAt: later }));
    await store.putObject(CALL, { ...refOf('other'), container: 'No bucket' }, expired());
    await store.putObject(CALL, refOf('again'), expired());
    await store.putObject(CALL, refOf('again'), expired({ deleteAt: undefined }));
    expect((await bench().janitor().visit(NEVER, 'now')).outcome).to.equal('finished');
    expect(await bench().keys()).to.deep.equal(['again', 'later']);
    expect(bench().told.sort()).to.deep.equal(['remove done other', 'remove done over']);
    expect(await store.listExpired?.(CALL, ACCOUNT, { limit: 10 })).to.deep.equal([]);
  });

  it('leaves what Object Lock holds', async () => {
    const lock = { 's3-object-lock-legal-hold': 'ON' };
    await bench().store.putObject(CALL, refOf('held'), expired({ systemMetadata: lock }));
    await bench().janitor().visit(NEVER, 'now');
    expect(bench().told).to.deep.equal(['remove locked held']);
    expect(await bench().store.headObject(CALL, refOf('held'), OPEN)).to.include({ size: 1 });
  });
});
