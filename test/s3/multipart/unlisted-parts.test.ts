import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Backend, ObjectPage } from '../../../src/backend/backend.js';
import { uploadPart } from '../../../src/s3/multipart/upload-part.js';
import { uploadPartCopy } from '../../../src/s3/multipart/upload-part-copy.js';
import { withUnlistedParts } from '../../../src/s3/multipart/unlisted-parts.js';
import { SYSTEM_METADATA, writeStoredChecksum } from '../../../src/s3/object/attributes.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import {
  markerOf,
  partOf,
  segmentsContainer,
  type Upload,
} from '../../../src/s3/segments/names.js';
import { readParts } from '../../../src/s3/segments/parts.js';
import { removeUnreferencedParts } from '../../../src/s3/segments/remove.js';
import { RecordingBackend } from '../../support/backend/recording.js';
import { UnlistingBackend } from '../../support/backend/unlisting.js';
import { contextOf, PRINCIPAL } from '../context.js';
import { newUpload, openUpload } from '../segments/support.js';
import {
  ACCOUNT,
  ARCHIVE,
  BUCKET,
  CALL,
  gatewayOn,
  itOnStore,
  keyOf,
  put,
  putPlain,
} from '../versions/support.js';
import { bodies, complete, expectCompleted, KEY, prepare } from './completion-bench.js';

const SEGMENTS = segmentsContainer(ACCOUNT, BUCKET);

const CHECKSUM = { algorithm: 'CRC32', value: 'AAAAAA==' } as const;

/** A request about a part of an upload, whose body has a checksum. */
function requestOf(
  store: Backend,
  { key, uploadId }: Upload,
  partNumber: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): RequestContext {
  const request = `PUT /${BUCKET}/${key}?partNumber=${partNumber}&uploadId=${uploadId}`;
  const body = Buffer.from(text);
  const md5 = createHash('md5').update(body).digest('hex');
  const payload = {
    size: body.length,
    takesMd5: true,
    collect: () => Promise.resolve(body),
    digests: () => ({ md5, checksum: CHECKSUM }),
  };
  const principal = { ...PRINCIPAL, account: ACCOUNT };
  const parts = { principal, openPayload: () => payload };
  const services = { backend: store, versions: gatewayOn(store) };
  return contextOf({ request, headers, backend: {}, services, parts });
}

describe('s3 multipart: parts that the listing lacks', () => {
  itOnStore('are found by a completion', async (store) => {
    const upload = await prepare(store);
    const lagging = new UnlistingBackend(store, SEGMENTS.container);
    expect(await readParts(lagging, CALL, upload)).to.deep.equal([]);
    const told = await complete(lagging, upload);
    await expectCompleted(store, upload, told, ['before'], 'unlisted');
  });

  itOnStore(
    'are found where the listing shows what they replaced, with their checksum',
    async (store) => {
      await store.createContainer(CALL, SEGMENTS, {});
      const upload = await openUpload(store, 'key', [1, 2]);
      const before: ObjectPage = await store.listObjects(CALL, SEGMENTS, { limit: 10 });
      await uploadPart(requestOf(store, upload, 2, 'again'));
      const { etag } = await store.headObject(CALL, partOf(upload, 2));
      const lagging = new UnlistingBackend(store, SEGMENTS.container, before);
      const listed = await readParts(lagging, CALL, upload);
      const [first] = listed;
      const requested = [
        { partNumber: 1, etag: first?.etag ?? '' },
        { partNumber: 2, etag },
      ];
      const parts = await withUnlistedParts(lagging, CALL, upload, requested, listed);
      expect(parts.get(1)).to.deep.equal(first);
      expect(parts.get(2)).to.include({ partNumber: 2, etag, size: 5 });
      expect(parts.get(2)?.checksum).to.deep.equal(CHECKSUM);
    },
  );

  itOnStore('have the checksum of what they were copied from', async (store) => {
    await store.createContainer(CALL, SEGMENTS, {});
    const upload = newUpload('key');
    const marker = {
      size: 0,
      contentType: 'text/plain',
      body: Buffer.alloc(0),
      systemMetadata: { [SYSTEM_METADATA.uploadChecksum]: 'CRC32:FULL_OBJECT' },
    };
    await store.putObject(CALL, markerOf(upload), marker);
    const systemMetadata = { [SYSTEM_METADATA.checksum]: writeStoredChecksum(CHECKSUM) };
    await putPlain(store, keyOf('source'), 'text', { systemMetadata });
    const headers = { 'x-amz-copy-source': `/${BUCKET}/source` };
    const { pending } = await uploadPartCopy(requestOf(store, upload, 1, '', headers));
    await pending?.document;
    const { etag } = await store.headObject(CALL, partOf(upload, 1));
    const lagging = new UnlistingBackend(store, SEGMENTS.container);
    const requested = [{ partNumber: 1, etag }];
    const parts = await withUnlistedParts(lagging, CALL, upload, requested, []);
    expect(parts.get(1)?.checksum).to.deep.equal(CHECKSUM);
  });

  itOnStore(
    'are asked for only where the listing does not do, and not on and on',
    async (store) => {
      await store.createContainer(CALL, SEGMENTS, {});
      const upload = await openUpload(store, 'key', [1, 2, 3]);
      const listed = await readParts(store, CALL, upload);
      const recording = new RecordingBackend(store);
      const all = await withUnlistedParts(recording, CALL, upload, listed, listed);
      expect([...all.values()]).to.deep.equal(listed);
      expect(recording.take()).to.deep.equal([]);
      const missing = Array.from({ length: 10_000 }, (_, i) => ({ partNumber: i + 1, etag: 'x' }));
      const same = await withUnlistedParts(recording, CALL, upload, missing, listed);
      expect([...same.values()]).to.deep.equal(listed);
      expect(recording.counts()).to.deep.equal({ headObject: 8 });
    },
  );
});

describe('s3 multipart: versions that the listing lacks', () => {
  itOnStore('keep the parts that they are made of', async (store) => {
    const upload = await prepare(store);
    await complete(store, upload);
    await put(store, gatewayOn(store), KEY, 'after');
    const lagging = new UnlistingBackend(store, ARCHIVE.container);
    await removeUnreferencedParts(lagging, CALL, upload);
    expect(await bodies(store)).to.deep.equal(['after', 'part 1', 'before']);
  });
});
