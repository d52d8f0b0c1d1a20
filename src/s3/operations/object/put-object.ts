import type { ObjectSeal, PutObjectInput } from '../../../backend/backend.js';
import type { HeaderList } from '../../../http/exchange.js';
import type { PayloadDigests } from '../../auth/payload.js';
import { checksumHeaders, SYSTEM_METADATA, writeStoredChecksum } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { readMetadataHeaders } from '../../rules/metadata-headers.js';
import { parseWriteCondition, writePreconditionFailed } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { expirationOfObject } from '../lifecycle-headers.js';
import { objectOf } from '../refs.js';
import { announcedSize, isSmall } from './body-size.js';
import { requestedObjectAcl } from '../stored-acl.js';
import { requestedAttributes } from './requested-attributes.js';
import { requireConditionSupport } from './write-support.js';

/** PutObject: everything that can be refused is refused before the body is read. */
export async function putObject(context: RequestContext): Promise<S3Response> {
  const { backend, settings, segments } = context.services;
  const { headers } = context;
  const attributes = requestedAttributes(headers, settings.storageClasses);
  const acl = await requestedObjectAcl(context);
  const described = readMetadataHeaders(headers);
  const precondition = parseWriteCondition(headers);
  requireConditionSupport(precondition, backend.capabilities);
  const payload = context.openPayload();
  const size = announcedSize(payload);
  const input: PutObjectInput = {
    size,
    ...described,
    ...attributes,
    ...(acl === undefined ? {} : { systemMetadata: { ...attributes.systemMetadata, ...acl } }),
    body: isSmall(size) ? await payload.collect(size) : payload.source,
    seal: () => sealOf(payload.digests()),
  };
  const outcome = await backend.putObject(context.call, objectOf(context), input, precondition);
  if (outcome.outcome === 'created') {
    const { lastModified, replacedManifest } = outcome;
    segments.replaced(objectOf(context), replacedManifest, context.call.requestId);
    const { systemMetadata = {} } = attributes;
    const expiration = await expirationOfObject(context, { size, lastModified, systemMetadata });
    return created(outcome.etag, payload.digests(), expiration);
  }
  if (outcome.outcome === 'precondition_failed' && precondition !== undefined) {
    throw writePreconditionFailed(precondition);
  }
  throw new S3Error('OperationAborted');
}

function sealOf({ md5, checksum }: PayloadDigests): ObjectSeal {
  if (checksum === undefined) return { etag: md5 };
  return {
    etag: md5,
    systemMetadata: { [SYSTEM_METADATA.checksum]: writeStoredChecksum(checksum) },
    listingAttributes: { [SYSTEM_METADATA.checksumAlgorithm]: checksum.algorithm },
  };
}

function created(etag: string, { checksum }: PayloadDigests, expiration: HeaderList): S3Response {
  return {
    status: 200,
    headers: [
      ['ETag', `"${etag}"`],
      ...(checksum === undefined ? [] : checksumHeaders(checksum.algorithm, checksum.value)),
      ...expiration,
    ],
    body: '',
  };
}
