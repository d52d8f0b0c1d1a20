import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { CrashedError } from '../../support/backend/crash-points.js';
import { BackendError } from '../../../src/backend/errors.js';
import type { RequestContext, S3Response } from '../../../src/s3/operation.js';
import { abortMultipartUpload } from '../../../src/s3/multipart/upload.js';
import { completeMultipartUpload } from '../../../src/s3/multipart/complete-multipart-upload.js';
import { versioningPatch } from '../../../src/s3/rules/versioning.js';
import { S3Error } from '../../../src/s3/errors.js';
import { segmentsContainer, type Upload } from '../../../src/s3/segments/names.js';
import { removeUnreferencedParts } from '../../../src/s3/segments/remove.js';
import { openUpload } from '../segments/support.js';
import {
  ACCOUNT,
  archivedNames,
  BUCKET,
  CALL,
  CONTAINER,
  gatewayOn,
  keyOf,
  put,
  read,
  readVersion,
} from '../versions/support.js';
import { contextOf, PRINCIPAL } from '../context.js';

/** One key of a bucket that keeps versions, and the end of an upload of one part to it. */

export const KEY = keyOf('key');

export const ABSENT = { 'if-none-match': '*' };

/** The MD5 of `part 1`. */
const PART_ETAG = '7d3fedcaf1bbe1100d0d2b19f56cfdd4';

/**
 * The answer to a client: the version id, or the code of the error. `ServiceUnavailable`: the store
 * failed, and the client was answered 503; `crashed`: it was answered nothing.
 */
export type Told = { readonly versionId: string } | { readonly code: string };

export const FAILED: Told = { code: 'ServiceUnavailable' };
const CRASHED: Told = { code: 'crashed' };

/** A version, and an upload that is to replace it. */
export async function prepare(store: Backend): Promise<Upload> {
  await store.updateContainer(CALL, CONTAINER, { systemMetadata: versioningPatch('Enabled') });
  await store.createContainer(CALL, segmentsContainer(ACCOUNT, BUCKET), {});
  await put(store, gatewayOn(store), KEY, 'before');
  return openUpload(store, KEY.key, [1]);
}

/** CompleteMultipartUpload, by a gateway of its own. */
export function complete(
  backend: Backend,
  upload: Upload,
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const body =
    '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>' +
    `<ETag>${PART_ETAG}</ETag></Part></CompleteMultipartUpload>`;
  return tell(async () => {
    const request = `POST /${BUCKET}/${KEY.key}?uploadId=${upload.uploadId}`;
    const own = requestContext(backend, request, body, headers);
    const { pending } = await completeMultipartUpload(own);
    const document = await pending?.document;
    return typeof document === 'object' ? document.headers : [];
  });
}

/** AbortMultipartUpload, by a gateway of its own. */
export function abort(backend: Backend, upload: Upload): Promise<Told> {
  return tell(async () => {
    const request = `DELETE /${BUCKET}/${KEY.key}?uploadId=${upload.uploadId}`;
    return (await abortMultipartUpload(requestContext(backend, request, '', {}))).headers;
  });
}

function requestContext(
  backend: Backend,
  request: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): RequestContext {
  const segments = {
    replaced: () => undefined,
    later: () => undefined,
    aborted: (upload: Upload) => removeUnreferencedParts(backend, CALL, upload),
  };
  const services = { backend, segments, versions: gatewayOn(backend) };
  const parts = {
    url: 'http://localhost/bucket/key',
    principal: { ...PRINCIPAL, account: ACCOUNT },
    containerHead: () => backend.headContainer(CALL, CONTAINER),
  };
  return contextOf({ request, body, headers, backend: {}, services, parts });
}

async function tell(answer: () => Promise<S3Response['headers']>): Promise<Told> {
  try {
    const headers = await answer();
    return { versionId: headers.find(([name]) => name === 'x-amz-version-id')?.[1] ?? '' };
  } catch (error) {
    if (error instanceof CrashedError) return CRASHED;
    if (error instanceof S3Error) return { code: error.code };
    if (error instanceof BackendError && error.code === 'Unavailable') return FAILED;
    throw error;
  }
}

/** That the upload is the current version, once, and all else is as it was. */
export async function expectCompleted(
  store: Backend,
  upload: Upload,
  told: Told,
  others: readonly string[],
  where: string,
): Promise<void> {
  const versions = gatewayOn(store);
  const { entries } = await versions.readIndex(CALL, KEY);
  expect(told, where).to.deep.equal({ versionId: entries[0]?.id });
  expect(entries[0]?.uploadId, where).to.equal(upload.uploadId);
  expect(await bodies(store), where).to.deep.equal(['part 1', ...others]);
  expect(await read(store, KEY), where).to.equal('part 1');
  // Nothing that the sweeper takes for garbage is a version's.
  await removeUnreferencedParts(store, CALL, upload);
  expect(await bodies(store), where).to.deep.equal(['part 1', ...others]);
  const named = entries.flatMap(({ kind, name }) => (kind === 'version' ? [name] : []));
  expect(await archivedNames(store, KEY), where).to.have.members(named);
}

/** Of the versions, newest first. */
export async function bodies(store: Backend): Promise<(string | undefined)[]> {
  const versions = gatewayOn(store);
  const { entries } = await versions.readIndex(CALL, KEY);
  const kept = entries.filter(({ kind }) => kind === 'version');
  return Promise.all(kept.map(({ id }) => readVersion(store, versions, KEY, id)));
}
