import type { ObjectSeal, PutObjectInput } from '../../../backend/backend.js';
import type { HeaderList } from '../../../http/exchange.js';
import type { PayloadDigests } from '../../auth/payload.js';
import {
  checksumHeaders,
  ownerAttribute,
  SYSTEM_METADATA,
  writeStoredChecksum,
} from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { ACL_METADATA } from '../../rules/acl/stored.js';
import { readMetadataHeaders } from '../../rules/metadata-headers.js';
import { parseWriteCondition } from '../../rules/write-conditions.js';
import { expirationOfObject } from '../lifecycle-headers.js';
import { announcedSize, isSmall } from './body-size.js';
import { neededMd5 } from './needed-md5.js';
import { requestedObjectAcl } from '../stored-acl.js';
import { requestedAttributes } from './requested-attributes.js';
import { requestedLocks } from './requested-locks.js';
import { requireStorable, storeObject } from './store-object.js';

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
  const size = announcedSize(payload);
  const systemMetadata = { ...attributes.systemMetadata, ...acl, ...locks };
  const input: PutObjectInput = {
    size,
    ...described,
    listingAttributes,
    systemMetadata,
    body: isSmall(size) ? await payload.collect(size) : payload.source,
    seal: payload.takesMd5 ? () => sealOf(payload.digests()) : undefined,
  };
  const stored = await storeObject(context, {
    condition,
    write: (ref, added, precondition) => {
      const own = { ...systemMetadata, ...added };
      return backend.putObject(context.call, ref, { ...input, systemMetadata: own }, precondition);
    },
    describe: () => ({
      size,
      storageClass: systemMetadata[SYSTEM_METADATA.storageClass],
      checksumAlgorithm: payload.digests().checksum?.algorithm,
      owner: listingAttributes[SYSTEM_METADATA.owner],
    }),
  });
  const { etag, lastModified } = stored;
  const expiration = await expirationOfObject(context, { size, lastModified, systemMetadata });
  return created(etag, payload.digests(), [...stored.headers, ...expiration]);
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
