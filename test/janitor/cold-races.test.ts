import { expect } from 'chai';
import type { Backend } from '../../src/backend/backend.js';
import { CrashPointBackend } from '../support/backend/crash-points.js';
import type { BackendCall } from '../../src/backend/decorators/decorated-backend.js';
import type { ByteSource } from '../../src/lib/cancellation.js';
import type { ColdBackend, ColdCopy } from '../../src/cold/cold-backend.js';
import { ColdError } from '../../src/cold/cold-error.js';
import { MemoryColdBackend } from '../support/backend/memory-cold.js';
import { errorOf, failureOf } from '../support/failure.js';
import { until } from '../support/until.js';
import { patternBytes } from '../contract/fixture.js';
import { ColdBench, refOf } from './cold-support.js';
import { ACCOUNT, CALL, DAY_MS, NEVER, Interposed } from './support.js';

const SIZE = 200_000;

const callOnKey =
  (method: BackendCall['method']) =>
  (call: BackendCall): boolean =>
    call.method === method && call.ref.object === 'key';

describe('janitor: cold tier, when things go wrong', () => {
  let cold: ColdBench;

  beforeEach(async () => {
    cold = await ColdBench.open();
  });

  afterEach(() => cold.close());

  /** In the place of the cold backend that there was. */
  async function openWithDamaging(): Promise<DamagingBackend> {
    const damaging = new DamagingBackend();
    await cold.close();
    cold = await ColdBench.open({ cold: damaging });
    return damaging;
  }

  for (const when of ['before', 'after'] as const) {
    it(`loses nothing to a janitor that crashes ${when} any of its writes`, async () => {
      for (let at = 1, crashed = true; crashed; at++) {
        const key = `key-${at}`;
        const bytes = await cold.putCold(key, patternBytes(SIZE, at));
        // Three passes: archive, release, and nothing.
        const backend = new CrashPointBackend(cold.bench.store, { at, when });
        for (let pass = 0; pass < 3 && !backend.crashed; pass++) {
          await errorOf(cold.bench.janitor({}, backend).visit(NEVER, 'now'));
        }
        crashed = backend.crashed;
        await cold.expectKept(key, bytes);
        await cold.settle();
        expect(await cold.head(key)).to.include({ bodyAbsent: true });
        await cold.expectKept(key, bytes);
        await cold.bench.store.deleteObject(CALL, refOf(key));
      }
    });

    it(`loses nothing to a restore that crashes ${when} any of its writes`, async () => {
      const uploadId = await cold.bench.upload('large', 1, 3);
      await cold.bench.complete('large', uploadId, 3);
      await cold.makeCold('large');
      const bytes = await cold.read('large');
      for (let at = 1, crashed = true; crashed; at++) {
        await cold.settle();
        expect(await cold.head('large')).to.include({ bodyAbsent: true });
        const backend = new CrashPointBackend(cold.bench.store, { at, when });
        await errorOf(cold.restorer(backend).restore(refOf('large'), 1, CALL));
        crashed = backend.crashed;
        // Either it has become readable with all of its bytes, or nothing has happened.
        if (await cold.isReadable('large')) {
          expect((await cold.read('large')).equals(bytes)).to.be.true;
        }
        await cold.expectKept('large', bytes);
        cold.bench.clock.advance(3 * DAY_MS);
      }
    });
  }

  const MEANWHILE: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['is overwritten', () => cold.bench.put('key', 'new')],
    ['is restored', () => cold.restore('key')],
    ['is deleted', () => cold.bench.store.deleteObject(CALL, refOf('key'))],
  ];
  for (const step of ['archive', 'release'] as const) {
    for (const [what, meanwhile] of MEANWHILE) {
      it(`leaves an object alone that ${what} right before the ${step} is committed`, async () => {
        const bytes = await cold.putCold('key', patternBytes(SIZE));
        if (step === 'release') await cold.pass();
        const method = step === 'release' ? 'updateBody' : 'updateObject';
        const told = await cold.pass(
          new Interposed(cold.bench.store, callOnKey(method), meanwhile),
        );
        const gone = what === 'is deleted';
        expect(told).to.deep.equal([`${step} ${gone ? 'gone' : 'changed'} key`]);
        if (gone) return;
        const expected = what === 'is overwritten' ? Buffer.from('new') : bytes;
        expect((await cold.read('key')).equals(expected)).to.be.true;
        expect(await cold.isReadable('key')).to.be.true;
      });
    }
  }

  it('keeps the parts that a restore writes while the former ones are being removed', async () => {
    const counting = await openWithDamaging();
    const { bench } = cold;
    await bench.complete('key', await bench.upload('key', 1, 3), 3);
    await cold.makeCold('key');
    const bytes = await cold.read('key');
    expect(await cold.pass()).to.deep.equal(['archive done key']);
    const { lastModified } = await newestPart();
    while (Date.now() <= lastModified) await Promise.resolve();
    const janitor = bench.janitor({ segmentGraceMs: 1000 });
    const visit = janitor.visit(NEVER, 'now');
    // Of the renewal of the lease, and of the parts that wait.
    await until(() => bench.clock.sleeping === 2);
    counting.reads = 0;
    const racing = new Interposed(bench.store, callOnKey('updateBody'), async () => {
      bench.clock.advance(1000);
      expect(await visit).to.include({ outcome: 'finished' });
    });
    expect(await cold.restorer(racing).restore(refOf('key'), 1, CALL)).to.equal(202);
    expect(counting.reads, 'attempts').to.equal(1);
    expect((await cold.read('key')).equals(bytes)).to.be.true;

    async function newestPart() {
      const container = { account: ACCOUNT, container: 'bucket+segments' };
      const { entries } = await bench.store.listObjects(CALL, container, { limit: 10 });
      const last = entries.at(-1);
      if (last?.kind !== 'object') throw new Error('there are no parts');
      return last.object;
    }
  });

  it('never archives a part of an object', async () => {
    await cold.putCold('key', patternBytes(SIZE));
    const partial = new Proxy(cold.bench.store, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        if (name !== 'getObject') return method.bind(target) as unknown;
        return (...[call, ref]: Parameters<Backend['getObject']>) =>
          ref.object === 'key'
            ? target.getObject(call, ref, { first: 0, last: 9 })
            : target.getObject(call, ref);
      },
    });
    expect(await cold.pass(partial)).to.deep.equal(['archive changed key']);
    expect(await cold.copies()).to.equal(0);
  });

  it('gives up a damaged copy before the body goes, and archives anew', async () => {
    const damaging = await openWithDamaging();
    const bytes = await cold.putCold('key', patternBytes(SIZE));
    damaging.damages = true;
    expect(await cold.pass()).to.deep.equal(['archive done key']);
    expect(await cold.pass()).to.deep.equal(['release failed key']);
    expect((await cold.read('key')).equals(bytes)).to.be.true;
    expect(await cold.copies()).to.equal(0);
    damaging.damages = false;
    await cold.settle();
    await cold.expectKept('key', bytes);
  });

  it('restores nothing from a copy that is damaged or lost', async () => {
    const damaging = await openWithDamaging();
    await cold.putCold('key', patternBytes(SIZE));
    await cold.settle();
    damaging.damages = true;
    expect(await failureOf(cold.restore('key'))).to.have.property('code', 'InternalError');
    expect(await cold.isReadable('key')).to.be.false;
    damaging.away = true;
    expect(await failureOf(cold.restore('key'))).to.have.property('code', 'ServiceUnavailable');
    damaging.damages = damaging.away = false;
    expect(await cold.restore('key')).to.equal(202);
  });

  it('says what failed when the cold backend is full or away, and tries again', async () => {
    const damaging = await openWithDamaging();
    await cold.putCold('key');
    await cold.bench.put('expired');
    damaging.away = true;
    expect(await cold.pass()).to.deep.equal(['archive failed key']);
    expect(cold.bench.unreadable).to.deep.equal(['the cold backend']);
    damaging.away = false;
    expect(await cold.pass()).to.deep.equal(['archive done key']);
  });

  it('lets all concurrent requests wait for one piece of work', async () => {
    const counting = await openWithDamaging();
    const bytes = await cold.putCold('key', patternBytes(SIZE));
    await cold.settle();
    counting.reads = 0;
    const restorer = cold.restorer();
    const asked = Array.from({ length: 10 }, () => restorer.restore(refOf('key'), 1, CALL));
    expect(await Promise.all(asked)).to.deep.equal(Array(10).fill(202));
    expect(counting.reads).to.equal(1);
    expect((await cold.read('key')).equals(bytes)).to.be.true;
  });

  it('gives up what is under way when it is closed', async () => {
    const waiting = await openWithDamaging();
    await cold.putCold('key', patternBytes(SIZE));
    await cold.settle();
    const restorer = cold.restorer();
    const begun = new Promise<void>((resolve) => (waiting.onRead = resolve));
    const restoring = failureOf(restorer.restore(refOf('key'), 1, CALL));
    await begun;
    await restorer.close();
    expect(await restoring).to.have.property('message', 'the service is being stopped');
    expect(await cold.isReadable('key')).to.be.false;
  });
});

/** A cold backend that fails when told to. */
class DamagingBackend extends MemoryColdBackend implements ColdBackend {
  damages = false;
  away = false;
  reads = 0;
  onRead: () => void = () => undefined;

  override async put(copy: ColdCopy, body: Buffer | ByteSource): Promise<void> {
    this.#requireThere();
    await super.put(copy, body);
  }

  override async get(location: Parameters<ColdBackend['get']>[0]) {
    this.#requireThere();
    this.reads += 1;
    const found = await super.get(location);
    this.onRead();
    return found && { ...found, body: this.damages ? damaged(found.body) : found.body };
  }

  override async *list(account: string) {
    this.#requireThere();
    yield* super.list(account);
  }

  #requireThere(): void {
    if (this.away) throw new ColdError('Unavailable', 'it is away');
  }
}

async function* damaged(body: ByteSource): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    yield bytes;
  }
}
