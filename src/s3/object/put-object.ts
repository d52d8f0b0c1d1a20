import type { Backend, Metadata, ObjectSeal, PutObjectInput } from '../../backend/backend.js';
import type { HeaderList } from '../../http/exchange.js';
import type { PayloadOptions, PayloadDigests } from '../auth/payload-plan.js';
import { expirationOfObject } from '../bucket/lifecycles.js';
import type { RequestContext, S3Response } from '../operation.js';
import { ACL_METADATA } from '../rules/acl/stored.js';
import { readMetadataHeaders } from '../rules/metadata-headers.js';
import { parseWriteCondition } from '../rules/write-conditions.js';
import {
  checksumHeaders,
  ownerAttribute,
  SYSTEM_METADATA,
  writeStoredChecksum,
} from './attributes.js';
import { FIRST_BYTES_MAX } from '../versions/first-version.js';
import { requestedLocks } from './object-lock.js';
import { requestedAttributes, requireStorable, storeObject } from './store-object.js';
import { requestedObjectAcl } from './stored-acl.js';
import { requireUploadable, uploadBody, type UploadBody } from './upload-body.js';

/**
 * When the MD5 of an uploaded body is taken here. A store that takes it anyway does so over what it
 * got, and S3 clients compare the ETag with their own: a second one would only cost as much as all
 * other hashing of the upload. A store that shows attributes in listings has to be told it with them.
 */
export function neededMd5(
  { capabilities }: Pick<Backend, 'capabilities'>,
  listingAttributes?: Metadata,
): PayloadOptions['md5'] {
  const isShown = Object.keys(listingAttributes ?? {}).length > 0;
  return capabilities.takesMd5 && !isShown ? 'with_checksum' : 'always';
}

/** PutObject: everything that can be refused is refused before the body is read. */
export async function putObject(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  const { headers } = context;
  const attributes = requestedAttributes(headers, settings.storageClasses);
  const acl = await requestedObjectAcl(context);
  const described = readMetadataHeaders(headers);
  const condition = parseWriteCondition(headers);
  await requireStorable(context, condition);
  const locks = await requestedLocks(context);
  const listingAttributes = {
    ...attributes.listingAttributes,
    ...ownerAttribute(acl?.[ACL_METADATA]),
  };
  const payload = context.openPayload({ md5: neededMd5(backend, listingAttributes) });
  requireUploadable(payload, backend.capabilities);
  const systemMetadata = { ...attributes.systemMetadata, ...acl, ...locks };
  const { size, body, received } = await uploadBody(payload);
  const input: PutObjectInput = {
    size,
    body,
    ...described,
    listingAttributes,
    systemMetadata,
    seal: payload.takesMd5 ? () => sealOf(payload.digests()) : undefined,
  };
  const stored = await storeObject(context, {
    condition,
    mayBeFirst: mayBeFirst(body, systemMetadata),
    write: (ref, added, precondition) => {
      const own = { ...systemMetadata, ...added };
      return backend.putObject(context.call, ref, { ...input, systemMetadata: own }, precondition);
    },
    describe: () => ({
      size: received(),
      storageClass: systemMetadata[SYSTEM_METADATA.storageClass],
      checksumAlgorithm: payload.digests().checksum?.algorithm,
      owner: listingAttributes[SYSTEM_METADATA.owner],
    }),
  });
  const { etag, lastModified } = stored;
  const expiration = await expirationOfObject(context, {
    size: received(),
    lastModified,
    systemMetadata,
  });
  return created(etag, payload.digests(), [...stored.headers, ...expiration]);
}

/**
 * A body that is in memory, and small, may lie in the place of its key's index; but the cold tier changes
 * objects of classes other than STANDARD in their place.
 */
function mayBeFirst(body: UploadBody['body'], systemMetadata: Metadata): boolean {
  const isSmall = Buffer.isBuffer(body) && body.length <= FIRST_BYTES_MAX;
  return isSmall && systemMetadata[SYSTEM_METADATA.storageClass] === undefined;
}

function sealOf({ md5, checksum }: PayloadDigests): ObjectSeal {
  if (checksum === undefined) return { etag: md5 };
  return {
    etag: md5,
    systemMetadata: { [SYSTEM_METADATA.checksum]: writeStoredChecksum(checksum) },
    listingAttributes: { [SYSTEM_METADATA.checksumAlgorithm]: checksum.algorithm },
  };
}

function created(etag: string, { checksum }: PayloadDigests, more: HeaderList): S3Response {
  return {
    status: 200,
    headers: [
      ['ETag', `"${etag}"`],
      ...(checksum === undefined ? [] : checksumHeaders(checksum.algorithm, checksum.value)),
      ...more,
    ],
    body: '',
  };
}
