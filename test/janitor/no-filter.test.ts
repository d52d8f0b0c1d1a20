import { expect } from 'chai';
import type * as B from '../../src/backend/backend.js';
import { DecoratedBackend } from '../../src/backend/decorators/decorated-backend.js';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import { partOf } from '../../src/s3/segments/names.js';
import { archiveContainer, versionRef } from '../../src/s3/versions/names.js';
import { useEach } from '../support/fixture.js';
import { ColdBench } from './cold-support.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS, NEVER } from './support.js';

const ARCHIVE = archiveContainer(ACCOUNT, BUCKET);
const OF = { account: ACCOUNT, bucket: BUCKET };
const NAME = '0'.repeat(31) + '1';

/** A cluster as a gateway sees it that lacks the filter's secret, while the others have it. */
class WithoutFilter extends DecoratedBackend {
  constructor(inner: B.Backend) {
    super(inner, { ...inner.capabilities, systemMetadata: false, conditionalReplace: false });
  }

  override async headContainer(context: B.CallContext, ref: B.ContainerRef) {
    return { ...(await super.headContainer(context, ref)), systemMetadata: {} };
  }

  override async headObject(context: B.CallContext, ref: B.ObjectRef, options?: B.ReadOptions) {
    return { ...(await super.headObject(context, ref, options)), systemMetadata: {} };
  }

  override async listObjects(context: B.CallContext, ref: B.ContainerRef, query: B.ObjectQuery) {
    const page = await super.listObjects(context, ref, query);
    const entries = page.entries.map((entry) =>
      entry.kind === 'object' ? { ...entry, object: { ...entry.object, attributes: {} } } : entry,
    );
    return { ...page, entries };
  }
}

describe('janitor: a store without protected metadata', () => {
  const bench = useEach(() => Bench.open(), 'close');

  async function visit(of = bench()): Promise<void> {
    await of.janitor({}, new WithoutFilter(of.store)).visit(NEVER, 'now');
    expect(of.interruptions).to.deep.equal([]);
  }

  it('keeps the parts of versions, and says that it cannot tell them from garbage', async () => {
    const uploadId = await bench().upload('key', 1, 2);
    await bench().store.createContainer(CALL, ARCHIVE, {});
    const segments = await Promise.all(
      [1, 2].map(async (number) => {
        const part = partOf({ account: ACCOUNT, bucket: BUCKET, key: 'key', uploadId }, number);
        const { size, etag } = await bench().store.headObject(CALL, part);
        return { container: part.container, object: part.object, size, etag };
      }),
    );
    const attributes = { [SYSTEM_METADATA.uploadId]: uploadId };
    await bench().store.putManifest(CALL, versionRef({ ...OF, key: 'key' }, NAME), {
      contentType: 'text/plain',
      etag: 'x-2',
      systemMetadata: attributes,
      listingAttributes: attributes,
      segments,
    });
    await bench().removeMarker('key', uploadId);
    bench().clock.advance(2 * DAY_MS);
    await visit();
    expect(bench().told).to.deep.equal([]);
    expect(await bench().segments()).to.deep.equal(['key/1/1', 'key/1/2']);
    expect(bench().unreadable).to.deep.equal([`${BUCKET}+segments`, `${BUCKET}+versions`]);
  });

  it('leaves archives alone, with what no index names', async () => {
    await bench().store.createContainer(CALL, ARCHIVE, {});
    const input = { size: 1, contentType: 'text/plain', body: Buffer.from('x') };
    await bench().store.putObject(CALL, versionRef({ ...OF, key: 'orphan' }, NAME), input);
    bench().clock.advance(2 * DAY_MS);
    await visit();
    expect(bench().told).to.deep.equal([]);
    expect(await bench().keys(ARCHIVE.container)).to.have.length(1);
    expect(bench().unreadable).to.deep.equal([ARCHIVE.container]);
  });

  it('clears parts of no upload where there never were versions', async () => {
    const uploadId = await bench().upload('crashed', 1, 2);
    await bench().removeMarker('crashed', uploadId);
    bench().clock.advance(2 * DAY_MS);
    await visit();
    expect(bench().told).to.deep.equal(['sweep done crashed']);
    expect(bench().unreadable).to.deep.equal([]);
  });

  it('removes no cold copies: which object is theirs cannot be seen', async () => {
    const cold = await ColdBench.open();
    try {
      await cold.putCold('key');
      await cold.settle();
      expect(await cold.copies()).to.equal(1);
      cold.bench.clock.advance(2 * DAY_MS);
      await visit(cold.bench);
      expect(await cold.copies()).to.equal(1);
      expect(cold.bench.unreadable).to.deep.equal(['the cold tier']);
    } finally {
      await cold.close();
    }
  });
});
