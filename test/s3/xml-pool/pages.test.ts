import { expect } from 'chai';
import fc from 'fast-check';
import type { Backend, ContainerRef, PutObjectInput } from '../../../src/backend/backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { createPagePool, type PagePool } from '../../../src/s3/xml-pool/page-pool.js';
import { renderPage, type PageName, type PageParameters } from '../../../src/s3/pages/index.js';
import type { PageSource } from '../../../src/s3/pages/page-source.js';
import type { TaskTiming } from '../../../src/s3/xml-pool/pool-thread.js';
import { segmentsContainer } from '../../../src/s3/segments/names.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { codeOf } from '../../support/failure.js';
import { useOnce } from '../../support/fixture.js';
import { textOfDocument } from './documents.js';
import { swiftListingsOf } from './swift-listings.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';

const CALL = { requestId: 'pages' };
const ACCOUNT = 'AUTH_pages';
const OWNER = { id: 'owner & co', displayName: 'owner & co' };
const BUCKET = 'bucket';
const UPLOAD = { account: ACCOUNT, bucket: BUCKET, key: 'key', uploadId: 'a'.repeat(32) };

const CHARACTERS = Array.from('ab/ &<"\u0001\u0085é日\ufffe🚀%');

const names = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength: 12 }),
  { minLength: 400, maxLength: 400 },
);

const queries = fc.record({
  prefix: fc.constantFrom('', '', '', 'a', 'b/'),
  delimiter: fc.constantFrom(undefined, undefined, '/', 'é', ''),
  marker: fc.constantFrom('', 'a', 'b', ' '),
  max: fc.constantFrom(1, 127, 128, 129, 200, 399, 400, 401, 1000),
  urlEncoded: fc.boolean(),
});

function inputOf(name: string): PutObjectInput {
  return {
    size: 0,
    body: Buffer.alloc(0),
    contentType: name.includes('/') ? 'text/plain' : 'a/b; c="d"',
    listingAttributes: name.includes('a')
      ? { 's3-storage-class': 'GLACIER', 's3-checksum-algorithm': 'CRC32' }
      : {},
  };
}

async function fill(backend: Backend, ref: ContainerRef, objects: readonly string[]) {
  await backend.createContainer(CALL, ref, {});
  await Promise.all(
    objects.map((object) => backend.putObject(CALL, { ...ref, object }, inputOf(object))),
  );
}

describe('long pages of listings', () => {
  const directory = useTempFolderOnce('page-pool');
  const store = useOnce<Backend>(() => openEmbeddedStore({ directory: directory() }), 'close');
  const swift = useOnce(() => swiftListingsOf(store()));
  let buckets = 0;
  const tasks: TaskTiming[] = [];
  const pool: PagePool = createPagePool({ onTask: (timing) => tasks.push(timing) });

  after(() => pool.close());

  function sourceOf(backend: PageSource['backend']): PageSource {
    const versions = new VersionedKeys({ backend: store(), indexBytesMax: 1024 * 1024 });
    return {
      backend,
      call: CALL,
      readIndex: (call, of) => versions.readIndex(call, of),
      repairLink: (call, of) => versions.repairLink(call, of),
    };
  }

  /** @returns the page, after it was found to be the same on the loop and by way of the pool */
  async function same<Name extends PageName>(
    name: Name,
    backend: PageSource['backend'],
    parameters: PageParameters<Name>,
  ): Promise<string> {
    // Without a way to leave pages to a thread.
    const onLoop = await renderPage(name, sourceOf(backend), parameters);
    const byPool = await pool.render(name, sourceOf(backend), parameters);
    const expected = await textOfDocument(onLoop);
    expect(await textOfDocument(byPool)).to.equal(expected);
    return expected;
  }

  it('of objects are byte for byte those of the event loop, from both stores', async () => {
    let long = 0;
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.array(queries, { minLength: 6, maxLength: 6 }),
        async (all, asked) => {
          const bucket = `${BUCKET}-${++buckets}`;
          const ref = { account: ACCOUNT, container: bucket };
          await fill(store(), ref, all);
          for (const { prefix, delimiter, marker, max, urlEncoded } of asked) {
            const common = { prefix, delimiter, marker, maxKeys: max, urlEncoded };
            const at = { account: ACCOUNT, bucket };
            const before = tasks.length;
            for (const backend of [store(), swift()]) {
              await same('ListObjects', backend, { ...at, owner: OWNER, query: common });
              const query = {
                ...common,
                startAfter: marker === '' ? undefined : marker,
                continuationToken: undefined,
                fetchOwner: urlEncoded,
              };
              const owner = urlEncoded ? OWNER : undefined;
              await same('ListObjectsV2', backend, { ...at, owner, query });
            }
            long += tasks.length - before;
          }
        },
      ),
      { numRuns: 8 },
    );
    expect(long).to.be.greaterThan(20);
  });

  it('of parts and uploads are those of the event loop', async () => {
    const { key, uploadId } = UPLOAD;
    const parts = Array.from({ length: 1500 }, (_, i) => `${key}/${uploadId}/${i + 1}`);
    const uploads = Array.from(
      { length: 600 },
      (_, i) => `up & ${i % 7}/${i}/${i.toString(16).padStart(32, '0')}`,
    );
    await fill(store(), segmentsContainer(ACCOUNT, BUCKET), [...parts, ...uploads]);
    await store().createContainer(CALL, { account: ACCOUNT, container: BUCKET }, {});
    const before = tasks.length;
    for (const [partNumberMarker, maxParts] of [
      [0, 1000],
      [700, 1000],
      [1499, 5],
      [0, 0],
    ] as const) {
      const query = { uploadId, partNumberMarker, maxParts, urlEncoded: false };
      const text = await same('ListParts', store(), {
        upload: UPLOAD,
        owner: OWNER,
        query,
        systemMetadata: { 's3-initiator': 'somebody' },
      });
      const expected = Math.min(maxParts, 1500 - partNumberMarker);
      expect(text.split('<PartNumber>').length - 1).to.equal(expected);
    }
    for (const delimiter of [undefined, '/']) {
      const query = {
        prefix: 'up',
        delimiter,
        keyMarker: '',
        uploadIdMarker: '',
        maxUploads: 1000,
        urlEncoded: true,
      };
      const page = { account: ACCOUNT, bucket: BUCKET, owner: OWNER, query };
      await same('ListMultipartUploads', store(), page);
    }
    expect(tasks.length - before).to.be.at.least(4);
  });

  it('of versions are those of the event loop', async () => {
    const bucket = 'versioned';
    const ref = { account: ACCOUNT, container: bucket };
    const plain = Array.from({ length: 300 }, (_, i) => `plain/${i}`);
    await fill(store(), ref, plain);
    const versions = new VersionedKeys({ backend: store(), indexBytesMax: 1024 * 1024 });
    for (let i = 0; i < 60; i++) {
      const of = { account: ACCOUNT, bucket, key: `plain/${i}` };
      await versions.createDeleteMarker(CALL, of, { nullVersion: false });
    }
    const before = tasks.length;
    for (const [delimiter, keyMarker, maxKeys] of [
      [undefined, '', 1000],
      [undefined, 'plain/2', 200],
      ['1', '', 1000],
    ] as const) {
      const query = {
        prefix: '',
        delimiter,
        keyMarker,
        versionIdMarker: '',
        maxKeys,
        urlEncoded: false,
      };
      const page = { account: ACCOUNT, bucket, owner: OWNER, query };
      await same('ListObjectVersions', store(), page);
    }
    expect(tasks.length).to.be.greaterThan(before);
  });

  it('of a bucket that is not there fail as on the event loop', async () => {
    const query = {
      prefix: '',
      delimiter: undefined,
      marker: '',
      maxKeys: 1000,
      urlEncoded: false,
    };
    const page = { account: ACCOUNT, bucket: 'missing', owner: OWNER, query };
    const rendered = pool.render('ListObjects', sourceOf(store()), page);
    expect(await codeOf(rendered)).to.equal('NoSuchContainer');
  });
});
