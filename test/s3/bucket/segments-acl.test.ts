import { expect } from 'chai';
import type { Backend, CallContext, ContainerAcl } from '../../../src/backend/backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { BackendError } from '../../../src/backend/errors.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import { createBucket } from '../../../src/s3/bucket/create-bucket.js';
import { putBucketAcl } from '../../../src/s3/bucket/acl.js';
import { putBucketVersioning } from '../../../src/s3/bucket/versioning.js';
import { createMultipartUpload } from '../../../src/s3/multipart/create-multipart-upload.js';
import { S3Error } from '../../../src/s3/errors.js';
import { segmentsContainer } from '../../../src/s3/segments/names.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { contextOf } from '../context.js';
import { failureOf } from '../../support/failure.js';

const CALL: CallContext = { requestId: 'segments-acl' };
const BUCKET = { account: 'AUTH_main', container: 'bucket' };
const SEGMENTS = segmentsContainer(BUCKET.account, BUCKET.container);
const OPEN: ContainerAcl = { read: '.r:*,.rlistings', write: '*:*' };
const READ_ONLY: ContainerAcl = { read: '.r:*', write: '' };
const ENABLED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';

describe('the ACL of a container with parts', () => {
  const directory = useTempFolder('segments-acl');
  const store = useEach<Backend>(() => openEmbeddedStore({ directory: directory() }), 'close');

  beforeEach(async () => {
    await store().createContainer(CALL, BUCKET, { acl: OPEN });
  });

  /** @param known - what the listener believes of the bucket; default: what is so */
  async function contextFor(
    request: string,
    { body = '', headers = {}, known }: Partial<Parts> = {},
  ): Promise<RequestContext> {
    const head = await store().headContainer(CALL, BUCKET);
    const services = { backend: store() };
    const believed = { ...head, ...(known && { acl: known }) };
    const parts = { containerHead: () => Promise.resolve(believed) };
    return contextOf({ request, body, headers, backend: {}, services, parts });
  }

  async function upload(known?: ContainerAcl): Promise<ContainerAcl> {
    await createMultipartUpload(await contextFor('POST /bucket/key?uploads', { known }));
    return segmentsAcl();
  }

  async function segmentsAcl(): Promise<ContainerAcl> {
    return (await store().headContainer(CALL, SEGMENTS)).acl;
  }

  async function keepVersions(): Promise<void> {
    await putBucketVersioning(await contextFor('PUT /bucket?versioning', { body: ENABLED }));
  }

  it('is the one of its bucket', async () => {
    expect(await upload()).to.deep.equal({ read: '.r:*', write: '*:*' });
  });

  it('is the one that the bucket has now, not what a listener last saw of it', async () => {
    await store().updateContainer(CALL, BUCKET, { acl: { read: '', write: '' } });
    expect(await upload(OPEN)).to.deep.equal({ read: '', write: '' });
  });

  it('lets no user write to the parts of versions', async () => {
    await keepVersions();
    expect(await upload()).to.deep.equal(READ_ONLY);
  });

  it('is closed to writers when the bucket begins to keep versions', async () => {
    await upload();
    await keepVersions();
    expect(await segmentsAcl()).to.deep.equal(READ_ONLY);
  });

  it('is not the one of a former bucket of the name', async () => {
    await upload();
    const context = await contextFor('PUT /bucket');
    await store().deleteContainer(CALL, BUCKET);
    await createBucket(context);
    expect(await segmentsAcl()).to.deep.equal({ read: '', write: '' });
  });

  it('is the one of the bucket that another creator made at the same time', async () => {
    await upload();
    const context = await contextFor('PUT /bucket');
    const createContainer = store().createContainer.bind(store());
    await store().deleteContainer(CALL, BUCKET);
    context.services.backend.createContainer = async (call, ref, input) => {
      await createContainer(call, ref, { acl: OPEN });
      return createContainer(call, ref, input);
    };
    const refused = await failureOf(createBucket(context), S3Error);
    expect(refused.code).to.equal('BucketAlreadyOwnedByYou');
    expect(await segmentsAcl()).to.deep.equal({ read: '.r:*', write: '*:*' });
  });

  it('is the one of the bucket that another creator made, also when the own attempt fails', async () => {
    await upload();
    const headers = { 'x-amz-acl': 'public-read' };
    const context = await contextFor('PUT /bucket', { headers });
    const createContainer = store().createContainer.bind(store());
    await store().deleteContainer(CALL, BUCKET);
    context.services.backend.createContainer = async (call, ref) => {
      await createContainer(call, ref, {});
      throw new BackendError('Unavailable', 'no answer');
    };
    expect((await failureOf(createBucket(context), BackendError)).code).to.equal('Unavailable');
    expect(await segmentsAcl()).to.deep.equal({ read: '', write: '' });
  });

  it('is set before a bucket is there, so that the bucket can be asked for again', async () => {
    await upload();
    const context = await contextFor('PUT /bucket');
    await store().deleteContainer(CALL, BUCKET);
    const updateContainer = store().updateContainer.bind(store());
    const refusals = [new BackendError('Unavailable', 'no answer')];
    context.services.backend.updateContainer = async (...args) => {
      const refusal = refusals.pop();
      if (refusal !== undefined) throw refusal;
      await updateContainer(...args);
    };
    expect((await failureOf(createBucket(context), BackendError)).code).to.equal('Unavailable');
    expect((await createBucket(context)).status).to.equal(200);
    expect(await segmentsAcl()).to.deep.equal({ read: '', write: '' });
  });

  it('stays closed to writers when the ACL of a bucket with versions is set', async () => {
    await upload();
    await keepVersions();
    const headers = { 'x-amz-acl': 'public-read-write' };
    await putBucketAcl(await contextFor('PUT /bucket?acl', { headers }));
    expect((await store().headContainer(CALL, BUCKET)).acl.write).to.equal('*:*');
    expect(await segmentsAcl()).to.deep.equal(READ_ONLY);
  });
});

interface Parts {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly known: ContainerAcl | undefined;
}
