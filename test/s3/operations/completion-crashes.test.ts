import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { CrashedError, CrashPointBackend } from '../../../src/backend/decorators/crash-points.js';
import { SYSTEM_METADATA } from '../../../src/s3/object-attributes.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import { completeMultipartUpload } from '../../../src/s3/operations/multipart/complete-multipart-upload.js';
import { S3Error } from '../../../src/s3/s3-error.js';
import { partOf, segmentsContainer, type Upload } from '../../../src/s3/segments/names.js';
import { removeUnreferencedParts } from '../../../src/s3/segments/remove.js';
import { versioningPatch } from '../../../src/s3/rules/versioning.js';
import { openUpload } from '../segments/support.js';
import {
  ACCOUNT,
  BUCKET,
  CALL,
  CONTAINER,
  gatewayOn,
  keyOf,
  put,
  read,
  readVersion,
  withStore,
} from '../versions/support.js';
import { contextOf } from './context.js';

/** CompleteMultipartUpload in a bucket that keeps versions, by a gateway that dies on the way. */

const KEY = keyOf('key');

async function complete(backend: Backend, upload: Upload): Promise<'done' | 'crashed' | 'refused'> {
  const { etag } = await backend.headObject(CALL, partOf(upload, 1)).catch(asNothing);
  const body =
    '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>' +
    `<ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  const request = `POST /${BUCKET}/${KEY.key}?uploadId=${upload.uploadId}`;
  const context = contextOf({ request, body, backend: {} });
  const services = { ...context.services, backend, versions: gatewayOn(backend) };
  const principal = { ...context.principal, account: ACCOUNT };
  const containerHead = () => backend.headContainer(CALL, CONTAINER);
  const url = 'http://localhost/bucket/key';
  const own = { ...context, url, services, principal, containerHead } as unknown as RequestContext;
  try {
    const { pending } = await completeMultipartUpload(own);
    await pending?.document;
    return 'done';
  } catch (error) {
    if (error instanceof CrashedError) return 'crashed';
    if (error instanceof S3Error) return 'refused';
    throw error;
  }
}

/** Its part is gone or the gateway is: any ETag will do. */
function asNothing(): { etag: string } {
  return { etag: 'd41d8cd98f00b204e9800998ecf8427e' };
}

/** A version, and an upload that is to replace it. */
async function prepare(store: Backend): Promise<Upload> {
  await store.updateContainer(CALL, CONTAINER, { systemMetadata: versioningPatch('Enabled') });
  await store.createContainer(CALL, segmentsContainer(ACCOUNT, BUCKET), {});
  await put(store, gatewayOn(store), KEY, 'before');
  return openUpload(store, KEY.key, [1]);
}

async function countWrites(): Promise<number> {
  let calls = 0;
  await withStore(async (store) => {
    const upload = await prepare(store);
    const counting = new CrashPointBackend(store);
    expect(await complete(counting, upload)).to.equal('done');
    calls = counting.calls;
  });
  return calls;
}

describe('s3 operations: a completion that crashes', function () {
  this.timeout(60_000);

  it('leaves the version that was there, and a whole new one or none', async () => {
    const writes = await countWrites();
    expect(writes).to.be.at.least(4);
    for (let at = 1; at <= writes; at++) {
      for (const when of ['before', 'after'] as const) {
        await withStore(async (store) => {
          const upload = await prepare(store);
          const crashing = new CrashPointBackend(store, { at, when });
          const first = await complete(crashing, upload);
          const retry = await complete(store, upload);
          if (first === 'done') expect(retry).to.equal('done');
          // Nothing that the sweeper takes for garbage is a version's.
          await removeUnreferencedParts(store, CALL, upload);
          await expectWhole(store, upload, retry === 'done', `${when} write ${at}`);
        });
      }
    }
  });
});

async function expectWhole(
  store: Backend,
  upload: Upload,
  isDone: boolean,
  where: string,
): Promise<void> {
  const versions = gatewayOn(store);
  const { entries } = await versions.readIndex(CALL, KEY);
  const bodies = await Promise.all(entries.map(({ id }) => readVersion(store, versions, KEY, id)));
  const isThere = bodies.length === 2;
  expect(bodies, where).to.deep.equal(isThere ? ['part 1', 'before'] : ['before']);
  if (isDone) expect(isThere, where).to.equal(true);
  if (isThere) expect(entries[0]).to.have.property('uploadId', upload.uploadId);
  await versions.repairLink(CALL, KEY);
  expect(await read(store, KEY), where).to.equal(bodies[0]);
  const { systemMetadata } = await store.headObject(CALL, { ...CONTAINER, object: KEY.key });
  expect(systemMetadata[SYSTEM_METADATA.versionId], where).to.equal(entries[0]?.id);
}
