import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { completeDocument, partList } from '../integration/multipart-bench.js';
import { eventually } from '../support/eventually.js';
import { FAULTY_MAIN, storeFaultsEnvironment } from '../support/faulty/store-faults.js';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import { startService } from '../support/service.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

/** Manifest, fence, index, link: what CompleteMultipartUpload writes of a version. */
const WRITES = ['manifest', 'fence', 'index', 'link'] as const;

const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';

describe('CompleteMultipartUpload in a listener that is killed with SIGKILL', function () {
  this.timeout(120_000);

  for (const [at, name] of WRITES.entries()) {
    it(`right after it has written the ${name}: the next try makes one version of it`, async () => {
      const folder = await makeTempFolder('completion-killed');
      const flag = join(folder, 'killed');
      const env = storeFaultsEnvironment({ kill: { write: at + 1, flag } });
      const dataDir = join(folder, 'data');
      const service = await startService({ main: FAULTY_MAIN, env, dataDir, listeners: 1 });
      const s3 = new S3TestClient(service);
      try {
        const { path, body } = await upload(s3);
        const first = await s3.send({ method: 'POST', path, body }).catch(() => undefined);
        expect(first?.headers['x-amz-version-id'], 'of who was killed').to.equal(undefined);
        expect(existsSync(flag)).to.equal(true);
        const answer = await eventually(
          () => tryAgain(s3, path, body),
          ({ status }) => status > 0,
        );
        expect([answer.status, answer.code], answer.text).to.deep.equal([200, undefined]);
        const again = await s3.send({ method: 'POST', path, body });
        const id = answer.headers['x-amz-version-id'];
        expect(again.headers['x-amz-version-id']).to.equal(id).and.not.equal(undefined);

        const current = await s3.get('/bucket/key');
        expect(current.text).to.equal('from parts');
        expect(current.headers['x-amz-version-id']).to.equal(id);
        const listed = await s3.get('/bucket?versions');
        const ids = [...listed.text.matchAll(/<VersionId>([^<]*)</g)].map(([, found]) => found);
        expect(ids).to.have.length(2);
        expect(ids[0]).to.equal(id);
        expect((await s3.get('/bucket?uploads')).text).not.to.contain('<Upload>');
      } finally {
        await s3.close();
        expect(await service.stop()).to.equal(0);
        await removeFolder(folder);
      }
    });
  }
});

/** An upload of one part to a key that has a version. */
async function upload(s3: S3TestClient): Promise<{ path: string; body: string }> {
  expect((await s3.put('/bucket')).status).to.equal(200);
  expect((await s3.put('/bucket?versioning', VERSIONING)).status).to.equal(200);
  expect((await s3.put('/bucket/key', 'before')).status).to.equal(200);
  const created = await s3.send({ method: 'POST', path: '/bucket/key?uploads' });
  const id = /<UploadId>([0-9a-f]{32})</.exec(created.text)?.[1] ?? '';
  const part = await s3.put(`/bucket/key?partNumber=1&uploadId=${id}`, 'from parts');
  const body = completeDocument(partList([part.headers.etag ?? '']));
  return { path: `/bucket/key?uploadId=${id}`, body };
}

/** Status 0 while nobody listens. */
async function tryAgain(
  s3: S3TestClient,
  path: string,
  body: string,
): Promise<Pick<S3Answer, 'status' | 'code' | 'text' | 'headers'>> {
  try {
    return await s3.send({ method: 'POST', path, body });
  } catch {
    return { status: 0, code: undefined, text: '', headers: {} };
  }
}
