import { expect } from 'chai';
import type { Capabilities, PutOutcome } from '../../../src/backend/backend.js';
import { createMultipartUpload } from '../../../src/s3/multipart/create-multipart-upload.js';
import { S3Error } from '../../../src/s3/errors.js';
import { contextOf } from '../context.js';
import { failureOf } from '../../support/failure.js';

const CREATED: PutOutcome = { outcome: 'created', etag: 'e', lastModified: 0 };

describe('CreateMultipartUpload', () => {
  function create(outcome: PutOutcome) {
    return createMultipartUpload(
      contextOf({
        request: 'POST /bucket/key?uploads',
        backend: {
          capabilities: { systemMetadata: true, objectNameBytesMax: 1024 } as Capabilities,
          putObject: () => Promise.resolve(outcome),
        },
      }),
    );
  }

  it('names an upload that the store has', async () => {
    expect((await create(CREATED)).status).to.equal(200);
  });

  it('names none where the store answered that it took nothing', async () => {
    const refused = await failureOf(create({ outcome: 'stale' }), S3Error);
    expect(refused.code).to.equal('OperationAborted');
  });
});
