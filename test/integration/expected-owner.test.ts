import { expect } from 'chai';
import { ENDPOINT_ROWS } from '../../src/s3/endpoint/table.js';
import type { S3Request, S3TestClient } from '../support/s3-client.js';
import { ANNA_ID, OWNER_ID, useAclBench } from './acl-users.js';

const HEADER = 'x-amz-expected-bucket-owner';
const SOURCE_HEADER = 'x-amz-source-expected-bucket-owner';
/** Of no bucket, or not yet of one. */
const WITHOUT_OWNER: ReadonlySet<string> = new Set(['CreateBucket', 'PreflightRequest']);

/** A request of each supported operation, as the endpoint table has them. */
function requests(): readonly (readonly [operation: string, request: S3Request])[] {
  return (['bucket', 'object'] as const).flatMap((resource) =>
    ENDPOINT_ROWS[resource]
      .filter(([, , operation, supported]) => supported && !WITHOUT_OWNER.has(operation))
      .map(([subresource, method, operation, , refinement = '']) => {
        const part = operation.startsWith('UploadPart') ? 'partNumber' : '';
        const query = [subresource, refinement.startsWith('?') ? refinement.slice(1) : '', part]
          .filter((name) => name !== '')
          .map((name) => `${name}=${VALUES[name] ?? ''}`)
          .join('&');
        const path = resource === 'bucket' ? '/owned' : '/owned/key';
        const isCopy = refinement.startsWith('x-amz');
        const headers = isCopy ? { 'x-amz-copy-source': '/owned/source' } : {};
        return [operation, { method, path: `${path}?${query}`, headers }] as const;
      }),
  );
}

const VALUES: Readonly<Record<string, string>> = {
  'list-type': '2',
  partNumber: '1',
  uploadId: 'ZDdmNjI0ODctYTM0Yi00ZTY1LWFhY2EtYzU2N2FkYzRmZDM1',
};

function expecting(owner: string, { headers, ...request }: S3Request): S3Request {
  return { ...request, headers: { ...headers, [HEADER]: owner } };
}

describe('the owner that a client expects of a bucket', () => {
  const users = useAclBench();
  let owner: S3TestClient;

  before(async () => {
    owner = users().owner;
    for (const bucket of ['owned', 'open']) await owner.put(`/${bucket}`);
    for (const key of ['key', 'source']) await owner.put(`/owned/${key}`, 'as it was');
    await owner.send({ method: 'PUT', path: '/open?acl', headers: { 'x-amz-acl': 'public-read' } });
  });

  for (const [operation, request] of requests()) {
    it(`is asked of ${operation}`, async () => {
      const other = await owner.send(expecting('main:somebody-else', request));
      expect(other.status).to.equal(403);
      if (request.method !== 'HEAD') expect(other.code).to.equal('AccessDenied');
      expect((await owner.get('/owned/key')).text).to.equal('as it was');
    });
  }

  it('lets every operation through that names the owner', async () => {
    for (const [operation, request] of requests()) {
      await owner.put('/owned/key', 'as it was');
      const { status, code } = await owner.send(expecting(OWNER_ID, request));
      expect(status, operation).not.to.equal(403);
      expect(status, `${operation}: ${String(code)}`).not.to.equal(501);
    }
    await owner.put('/owned');
    for (const key of ['key', 'source']) await owner.put(`/owned/${key}`, 'as it was');
  });

  for (const [named, status] of [
    [OWNER_ID, 200],
    // The account that the bucket lies in.
    ['main', 200],
    ['AUTH_main', 403],
    ['other', 403],
    [ANNA_ID, 403],
    [OWNER_ID.toLowerCase(), 403],
    ['', 403],
  ] as const) {
    it(`answers ${String(status)} to the owner ${JSON.stringify(named)}`, async () => {
      for (const bucket of ['owned', 'open']) {
        const { text } = await owner.get(`/${bucket}?acl`);
        expect(text).to.contain(`<Owner><ID>${OWNER_ID}</ID>`);
        const answer = await owner.head(`/${bucket}`, { [HEADER]: named });
        expect(answer.status, bucket).to.equal(status);
      }
    });
  }

  it('is the owner that the ACL names, to users whom it lets in', async () => {
    const { anna, stranger } = users();
    expect((await anna.head('/open', { [HEADER]: OWNER_ID })).status).to.equal(200);
    expect((await anna.head('/open', { [HEADER]: ANNA_ID })).status).to.equal(403);
    const unsigned = { method: 'GET', path: '/open', signed: false };
    expect((await anna.send(expecting('main', unsigned))).status).to.equal(200);
    expect((await anna.send(expecting('other', unsigned))).code).to.equal('AccessDenied');
    // Nobody is told who owns what it may not see.
    expect((await anna.head('/owned', { [HEADER]: OWNER_ID })).status).to.equal(403);
    expect((await stranger.head('/open', { [HEADER]: 'main' })).status).to.equal(404);
  });

  it('is asked of the source of a copy, and of its destination', async () => {
    const begun = await owner.send({ method: 'POST', path: '/open/parts?uploads' });
    const [, uploadId = ''] = /<UploadId>([^<]+)</.exec(begun.text) ?? [];
    for (const path of ['/open/copy', `/open/parts?partNumber=1&uploadId=${uploadId}`]) {
      const copy = (headers: Record<string, string>) =>
        owner.send({
          method: 'PUT',
          path,
          headers: { 'x-amz-copy-source': 'owned/source', ...headers },
        });
      expect((await copy({ [SOURCE_HEADER]: 'other' })).code).to.equal('AccessDenied');
      expect((await copy({ [HEADER]: 'other' })).code).to.equal('AccessDenied');
      const both = { [HEADER]: OWNER_ID, [SOURCE_HEADER]: 'main' };
      expect((await copy(both)).status).to.equal(200);
      expect((await copy({ ...both, [SOURCE_HEADER]: 'other' })).code).to.equal('AccessDenied');
    }
    const missing = await owner.send({
      method: 'PUT',
      path: '/open/copy',
      headers: { 'x-amz-copy-source': 'missing/source', [SOURCE_HEADER]: 'main' },
    });
    expect(missing.code).to.equal('NoSuchBucket');
  });

  it('is never ignored', async () => {
    const made = await owner.send({ method: 'PUT', path: '/made', headers: { [HEADER]: 'main' } });
    expect(made.code).to.equal('NotImplemented');
    expect((await owner.head('/made')).status).to.equal(404);
    expect((await owner.get('/', { [HEADER]: 'main' })).code).to.equal('NotImplemented');
    const put = { method: 'PUT', path: '/owned/new', headers: { [SOURCE_HEADER]: 'main' } };
    expect((await owner.send(put)).code).to.equal('NotImplemented');
    expect((await owner.head('/owned/new')).status).to.equal(404);
    expect((await owner.get(`/owned?${HEADER}=main`)).code).to.equal('NotImplemented');
    expect((await owner.get('/missing', { [HEADER]: 'main' })).code).to.equal('NoSuchBucket');
  });
});
