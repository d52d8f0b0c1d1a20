import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { copyObject } from '../../../console/surfaces/files/copy-object.js';
import { objectInfo } from '../../../console/surfaces/files/object-info.js';
import { purge } from '../../../console/surfaces/files/purge.js';
import { SegmentCleanup } from '../../../console/surfaces/files/segment-cleanup.js';
import { LISTING_LIMIT } from '../../../console/surfaces/files/swift-listing.js';
import { FakeSwift } from './fake-swift.js';

const PLAIN = 'plain';
const VERSIONED = 'versioned';
const HISTORY = 'history';
const SEGMENTS = `${PLAIN}+segments`;

describe('console files: segments that large objects share', () => {
  let swift: FakeSwift;
  let whenPaused: () => void;
  let cleanup: SegmentCleanup;

  beforeEach(() => {
    swift = new FakeSwift();
    swift.containers.set(PLAIN, {});
    swift.containers.set(`${PLAIN}+trash`, {});
    swift.containers.set(SEGMENTS, {});
    swift.containers.set(VERSIONED, { 'x-versions-enabled': 'False' });
    swift.containers.set(HISTORY, { 'x-history-location': 'old' });
    whenPaused = () => undefined;
    const pause = async () => {
      whenPaused();
      await Promise.resolve();
    };
    cleanup = new SegmentCleanup(swift.account, pause, () => 0);
  });

  function makeLarge(container: string, name: string): void {
    const object = `${name}/1`;
    swift.put(SEGMENTS, object, `segment of ${name}`);
    swift.putLarge(container, name, [{ container: SEGMENTS, object }]);
  }

  async function copy(from: string, to: string): Promise<void> {
    const store = swift.account;
    const info = await objectInfo(store, PLAIN, from);
    await copyObject(
      store,
      { container: PLAIN, object: from },
      { container: PLAIN, object: to },
      info,
    );
  }

  const purged = async (...names: readonly string[]) => {
    for (const name of names) await purge(swift.account, PLAIN, name, cleanup);
  };
  const segments = () => [...swift.objects.keys()].filter((key) => key.startsWith(SEGMENTS));

  it('go with the last manifest, and not before', async () => {
    for (const name of ['alone', 'copied']) makeLarge(PLAIN, name);
    await copy('copied', 'copy');
    await purged('alone', 'copied');
    expect(segments()).to.have.length(2);
    await cleanup.settle();
    expect(segments()).to.deep.equal([`${SEGMENTS}/copied/1`]);
    await purged('copy');
    await cleanup.settle();
    expect(segments()).to.deep.equal([]);
  });

  it('go when all copies of a manifest went in one job', async () => {
    makeLarge(PLAIN, 'a');
    await copy('a', 'b');
    await Promise.all([purged('a'), purged('b')]);
    await cleanup.settle();
    expect(segments()).to.deep.equal([]);
  });

  for (const order of ['before', 'after']) {
    it(`stay for a copy that is written ${order} its original is deleted`, async () => {
      for (const name of ['first', 'last']) makeLarge(PLAIN, name);
      await purged('first');
      const gate = new EventEmitter();
      const held = once(gate, 'go');
      const atStore = once(gate, 'arrived');
      swift.before = async ({ method, object }) => {
        if (method !== 'COPY' || object !== 'last') return;
        gate.emit('arrived');
        if (order === 'after') await held;
      };
      const copied = copy('last', 'copy');
      await atStore;
      if (order === 'before') await copied;
      // The copy has read its manifest: the store writes it though the original goes meanwhile.
      const original = swift.objects.get(`${PLAIN}/last`)!;
      await purged('last');
      if (order === 'after') swift.objects.set(`${PLAIN}/last`, original);
      const settled = cleanup.settle();
      gate.emit('go');
      await copied;
      if (order === 'after') swift.objects.delete(`${PLAIN}/last`);
      await settled;
      expect(segments()).to.deep.equal([`${SEGMENTS}/last/1`]);
    });
  }

  it('stay for a copy that another client makes in the pause', async () => {
    makeLarge(PLAIN, 'a');
    const original = swift.objects.get(`${PLAIN}/a`)!;
    await purged('a');
    whenPaused = () => {
      swift.objects.set(`${PLAIN}+trash/restored`, original);
    };
    await cleanup.settle();
    expect(segments()).to.have.length(1);
  });

  it('go though a listing still has the manifest', async () => {
    makeLarge(PLAIN, 'a');
    await purged('a');
    const ghost = { body: '', etag: '', headers: {}, writtenAt: 0, segments: [] };
    swift.before = ({ method, object }) => {
      if (method === 'HEAD' && object === 'ghost') swift.objects.delete(`${PLAIN}/ghost`);
    };
    makeLarge(PLAIN, 'a');
    const { etag } = swift.objects.get(`${PLAIN}/a`)!;
    swift.objects.delete(`${PLAIN}/a`);
    swift.objects.set(`${PLAIN}/ghost`, { ...ghost, etag });
    await cleanup.settle();
    expect(segments()).to.deep.equal([]);
  });

  it('are not those of an object that took the name meanwhile', async () => {
    makeLarge(PLAIN, 'a');
    swift.before = ({ method, object }) => {
      if (method === 'DELETE' && object === 'a') swift.put(PLAIN, 'a', 'newer');
    };
    const failure = await purged('a').catch((error: unknown) => error as { status: number });
    expect(failure?.status).to.equal(412);
    await cleanup.settle();
    expect(segments()).to.have.length(1);
    expect(swift.objects.get(`${PLAIN}/a`)?.body).to.equal('newer');
  });

  it('stay where a deleted manifest lives on', async () => {
    for (const container of [VERSIONED, HISTORY]) {
      makeLarge(container, container);
      await purge(swift.account, container, container, cleanup);
    }
    await cleanup.settle();
    expect(segments()).to.have.length(2);
  });

  it('stay for a version that is not current, which is listed page by page', async () => {
    makeLarge(PLAIN, 'kept');
    const { etag } = swift.objects.get(`${PLAIN}/kept`)!;
    const first = Array.from({ length: LISTING_LIMIT }, (_, i) => ({
      name: `a${i}`,
      version_id: 'null',
    }));
    swift.versions = (marker, version) => {
      if (marker === undefined) return first;
      // As Swift has it: behind a marker of “null” no versions follow.
      return version === 'null' ? [] : [{ name: 'o', version_id: '1', slo_etag: `"${etag}"` }];
    };
    await purged('kept');
    await cleanup.settle();
    expect(segments()).to.have.length(1);
  });
});
