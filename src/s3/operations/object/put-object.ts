import type { ObjectSeal, PutObjectInput } from '../../../backend/backend.js';
import type { HeaderList } from '../../../http/exchange.js';
import type { Payload, PayloadDigests } from '../../auth/payload.js';
import { checksumHeaders, SYSTEM_METADATA } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { readMetadataHeaders } from '../../rules/metadata-headers.js';
import { parseWriteCondition, writePreconditionFailed } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { objectOf } from '../refs.js';
import { expirationOfObject } from './expiration.js';
import { requestedAttributes } from './requested-attributes.js';
import { requireConditionSupport } from './write-support.js';

/** AWS's limit for one PUT, and Swift's default for one object. */
const OBJECT_BYTES_MAX = 5 * 1024 ** 3;
/** Bodies up to this size are taken whole: one write, no stream machinery. */
const WHOLE_BODY_BYTES_MAX = 65_536;

/** PutObject: everything that can be refused is refused before the body is read. */
export async function putObject(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  const { headers } = context;
  const attributes = requestedAttributes(headers, settings.storageClasses);
  const described = readMetadataHeaders(headers);
  const precondition = parseWriteCondition(headers);
  requireConditionSupport(precondition, backend.capabilities);
  const payload = context.openPayload();
  const size = announcedSize(payload);
  const whole = size <= WHOLE_BODY_BYTES_MAX;
  const input: PutObjectInput = {
    size,
    ...described,
    ...attributes,
    body: whole ? await payload.collect(WHOLE_BODY_BYTES_MAX) : payload.source,
    seal: () => sealOf(payload.digests()),
  };
  const outcome = await backend.putObject(context.call, objectOf(context), input, precondition);
  if (outcome.outcome === 'created') {
    const { lastModified } = outcome;
    const { systemMetadata = {} } = attributes;
    const expiration = await expirationOfObject(context, { size, lastModified, systemMetadata });
    return created(outcome.etag, payload.digests(), expiration);
  }
  if (outcome.outcome === 'precondition_failed' && precondition !== undefined) {
    throw writePreconditionFailed(precondition);
  }
  throw new S3Error('OperationAborted');
}

function announcedSize({ size }: Payload): number {
  if (size === undefined) throw new S3Error('MissingContentLength');
  if (size > OBJECT_BYTES_MAX) {
    throw new S3Error('EntityTooLarge', undefined, {
      ProposedSize: String(size),
      MaxSizeAllowed: String(OBJECT_BYTES_MAX),
    });
  }
  return size;
}

function sealOf({ md5, checksum }: PayloadDigests): ObjectSeal {
  if (checksum === undefined) return { etag: md5 };
  return {
    etag: md5,
    systemMetadata: { [SYSTEM_METADATA.checksum]: `${checksum.algorithm}:${checksum.value}` },
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
