import { expect } from 'chai';
import type { Backend, ObjectRef, PutOutcome } from '../../../src/backend/backend.js';
import { S3Error } from '../../../src/s3/errors.js';
import { CurrentLink } from '../../../src/s3/versions/current-link.js';
import { hexKey } from '../../../src/s3/versions/names.js';
import type { StoredIndex } from '../../../src/s3/versions/index-store.js';
import { errorOf } from '../../support/failure.js';
import { CALL, keyOf } from './support.js';

const KEY = keyOf('k');
/** The time that one attempt takes. */
const ATTEMPT_MS = 300;

/** A store that never puts at a key what it is told to, as with Swift's own versioning. */
class Deaf {
  now = 0;
  puts = 0;
  readonly backend: Backend;

  constructor(capabilities: Partial<Backend['capabilities']> = {}) {
    const strong = { conditionalReplace: true, conditionalDelete: true, atomicGuard: true };
    const keeping = { systemMetadata: true, atomicCreate: true };
    const different: PutOutcome = { outcome: 'precondition_failed' };
    this.backend = {
      capabilities: { ...strong, ...keeping, ...capabilities },
      headObject: (_call: unknown, { object }: ObjectRef) =>
        Promise.resolve({ ...HEAD, link: linkOf(object) }),
      putLink: () => {
        this.now += ATTEMPT_MS;
        this.puts++;
        return Promise.resolve(different);
      },
    } as unknown as Backend;
  }
}

const HEAD = { size: 1, etag: 'e', lastModified: 1, systemMetadata: {} };
const linkOf = (key: string) => ({
  target: { container: 'bucket+versions', object: `${hexKey(key)}/${'f'.repeat(32)}` },
  etag: 'e',
  lastModified: 1,
  systemMetadata: { 's3-generation': '1' },
});

function indexOf(generation: number): StoredIndex {
  const name = 'f'.repeat(32);
  const entry = { id: name, name, kind: 'version', lastModified: 1, size: 1, etag: 'e' } as const;
  const index = { generation, commit: name, recent: [], removed: [], entries: [entry] };
  return { index, etag: String(generation), lastModified: 1 };
}

const isStored = (): Promise<boolean> => Promise.resolve(false);

describe('s3/versions: a key that cannot be brought in step', () => {
  it('is given up after seconds, and at once when it is tried again', async () => {
    const store = new Deaf();
    const read = () => Promise.resolve(indexOf(2));
    const link = new CurrentLink(store.backend, { read, isStored }, () => store.now);
    const error = await errorOf(link.sync(CALL, KEY, indexOf(2)));
    expect(error).to.be.instanceOf(S3Error).with.property('code', 'ServiceUnavailable');
    expect(String((error as S3Error).cause)).to.contain('ringway repair');
    expect(store.now).to.be.within(5000, 5000 + ATTEMPT_MS);

    store.puts = 0;
    await errorOf(link.sync(CALL, KEY, indexOf(2)));
    expect(store.puts).to.equal(1);
    store.puts = 0;
    await errorOf(link.sync(CALL, keyOf('another'), indexOf(2)));
    expect(store.puts).to.be.above(10);
  });

  it('is tried on while others commit', async () => {
    // Each attempt is overtaken by another writer's commit.
    const store = new Deaf({ atomicGuard: false });
    let generation = 2;
    store.backend.putLink = () => {
      store.now += ATTEMPT_MS;
      store.puts++;
      generation += generation < 60 ? 1 : 0;
      return Promise.resolve({ outcome: 'created' } as PutOutcome);
    };
    const read = () => Promise.resolve(indexOf(generation));
    const link = new CurrentLink(store.backend, { read, isStored }, () => store.now);
    const synced = await link.sync(CALL, KEY, indexOf(2));
    expect(synced).to.have.property('outcome', 'in-step');
    expect(store.puts).to.equal(59);
  });
});
