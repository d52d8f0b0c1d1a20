import { expect } from 'chai';
import type { ByteSource } from '../../src/lib/cancellation.js';
import type { ColdBackend, ColdCopy, ListedCopy } from '../../src/cold/cold-backend.js';
import { ColdError } from '../../src/cold/cold-error.js';
import { patternBytes, reusedChunks } from '../contract/fixture.js';
import { failureOf } from '../support/failure.js';

export const ACCOUNT = 'AUTH_cold';

/** Of 64 characters, made of one number. */
export function idOf(number: number): string {
  return number.toString(16).padStart(64, '0');
}

export function copyOf(number: number, size: number, more: Partial<ColdCopy> = {}): ColdCopy {
  return {
    policy: 1,
    account: ACCOUNT,
    id: idOf(number),
    container: 'bücket+versions',
    object: 'a/../b\n"ü😀',
    size,
    etag: 'an-etag',
    lastModified: 1_700_000_000_123,
    ...more,
  };
}

export async function bytesOf(source: ByteSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export async function listed(backend: ColdBackend, account = ACCOUNT): Promise<ListedCopy[]> {
  const entries: ListedCopy[] = [];
  for await (const entry of backend.list(account)) entries.push(entry);
  return entries.sort((a, b) => (a.location.id < b.location.id ? -1 : 1));
}

export async function coldFailure(promise: Promise<unknown>): Promise<string> {
  const error = await failureOf(promise);
  expect(error).to.be.instanceOf(ColdError);
  return (error as ColdError).code;
}

/** Every promise of src/cold/cold-backend.ts, tested on whatever `open` gives. */
export function coldContract(name: string, open: () => Promise<ColdBackend>): void {
  describe(`cold backend contract: ${name}`, () => {
    let cold: ColdBackend;

    beforeEach(async () => {
      cold = await open();
    });

    for (const size of [0, 1, 1_500_000]) {
      it(`gives back ${size} bytes, and what they are of`, async () => {
        const bytes = patternBytes(size);
        const copy = copyOf(1, size);
        await cold.put(copy, reusedChunks(bytes, 100_000));
        expect(await cold.find(copy)).to.deep.equal(copy);
        const got = await cold.get(copy);
        expect(got?.copy).to.deep.equal(copy);
        expect(got && (await bytesOf(got.body)).equals(bytes)).to.be.true;
        await cold.put(copy, bytes);
        const again = await cold.get(copy);
        expect(again && (await bytesOf(again.body)).equals(bytes), 'put twice').to.be.true;
      });
    }

    it('keeps the list of segments', async () => {
      const segments = Array.from({ length: 10_000 }, (_, i) => {
        return {
          container: 'b+segments',
          object: `key/${'u'.repeat(32)}/${i}`,
          size: 0,
          etag: 'x',
        };
      });
      const copy = copyOf(1, 0, { segments });
      await cold.put(copy, Buffer.alloc(0));
      expect(await cold.find(copy)).to.deep.equal(copy);
    });

    it('finds nothing where nothing is, and deletes it', async () => {
      const copy = copyOf(1, 1);
      expect(await cold.find(copy)).to.equal(undefined);
      expect(await cold.get(copy)).to.equal(undefined);
      await cold.delete(copy);
      expect(await listed(cold)).to.deep.equal([]);
    });

    it('tells copies by policy, account and id', async () => {
      const accounts = [ACCOUNT, '..', 'a b%2F'];
      const copies = accounts.flatMap((account, i) => [
        copyOf(i, 3, { account }),
        copyOf(i, 3, { account, policy: 2 }),
      ]);
      for (const [i, copy] of copies.entries()) await cold.put(copy, Buffer.from(`${i}aa`));
      for (const [i, copy] of copies.entries()) {
        const got = await cold.get(copy);
        expect(got && (await bytesOf(got.body)).toString()).to.equal(`${i}aa`);
      }
      for (const [i, account] of accounts.entries()) {
        const locations = (await listed(cold, account)).map(({ location }) => location);
        expect(locations).to.have.deep.members([
          { policy: 1, account, id: idOf(i) },
          { policy: 2, account, id: idOf(i) },
        ]);
      }
    });

    it('lists what is there, with the time it was written', async () => {
      for (const number of [3, 1, 256]) await cold.put(copyOf(number, 1), Buffer.from('x'));
      await cold.delete(copyOf(1, 1));
      const entries = await listed(cold);
      expect(entries.map(({ location }) => location.id)).to.deep.equal([idOf(3), idOf(256)]);
      for (const { writtenAt } of entries) expect(writtenAt).to.be.closeTo(Date.now(), 60_000);
      expect(await cold.find(copyOf(1, 1))).to.equal(undefined);
    });

    for (const [what, body] of [
      ['shorter', patternBytes(99)],
      ['longer', patternBytes(101)],
    ] as const) {
      it(`keeps nothing of a body that is ${what} than announced`, async () => {
        const copy = copyOf(1, 100);
        for (const source of [body, reusedChunks(body, 40)]) {
          expect(await coldFailure(cold.put(copy, source))).to.equal('BodyMismatch');
        }
        expect(await listed(cold)).to.deep.equal([]);
        expect(await cold.find(copy)).to.equal(undefined);
      });
    }

    it('keeps nothing of a body that throws, and leaves what was there', async () => {
      const copy = copyOf(1, 100);
      const throwing = async function* () {
        await Promise.resolve();
        yield patternBytes(60);
        throw new Error('boom');
      };
      expect(await failureOf(cold.put(copy, throwing()))).to.have.property('message', 'boom');
      expect(await cold.find(copy)).to.equal(undefined);
      await cold.put(copy, patternBytes(100));
      expect(await failureOf(cold.put(copy, throwing()))).to.have.property('message', 'boom');
      const got = await cold.get(copy);
      expect(got && (await bytesOf(got.body)).equals(patternBytes(100))).to.be.true;
    });

    it('gives up with its caller', async () => {
      const ending = new AbortController();
      const endless = async function* () {
        for (let i = 0; ; i++) {
          await Promise.resolve();
          if (i === 3) ending.abort(new Error('enough'));
          yield patternBytes(10);
        }
      };
      const put = cold.put(copyOf(1, 1e9), endless(), ending.signal);
      expect(await failureOf(put)).to.have.property('message', 'enough');
      expect(await listed(cold)).to.deep.equal([]);
    });

    it('cleans up without touching copies', async () => {
      await cold.put(copyOf(1, 1), Buffer.from('x'));
      await cold.cleanUp(Date.now() + 60_000);
      expect(await listed(cold)).to.have.length(1);
    });
  });
}
