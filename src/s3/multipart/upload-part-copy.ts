import type { ByteRange, CopyInput, ObjectHead } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { readStoredChecksum, SYSTEM_METADATA } from '../object/attributes.js';
import {
  asSourceError,
  copySourceHeaders,
  findCopySource,
  readCopySource,
  type FoundSource,
} from '../object/copy-source.js';
import type { RequestContext, S3Response } from '../operation.js';
import type { SettledDocument } from '../request/pending-document.js';
import { parseCopyRange, requireRangeWithin } from '../rules/copy-range.js';
import { requireCopyableSize, type CopySource } from '../rules/copy-source.js';
import { parsePartNumber } from '../rules/part-number.js';
import { decodeUploadChecksum } from '../rules/upload-checksum.js';
import { markerOf, partOf, type Upload } from '../segments/names.js';
import type { ResultChecksum } from '../xml/checksum-elements.js';
import { renderCopyPartResult } from '../xml/copy-part-result.js';
import { xmlDeclaration } from '../xml/escape.js';
import { checksumOfStored } from './checksums.js';
import { PART_CONTENT_TYPE, storedChecksum } from './upload-part.js';
import { asUploadError, requireOpenUpload, uploadOf } from './upload.js';

/** A source that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

interface PartCopy {
  readonly upload: Upload;
  readonly partNumber: number;
  readonly source: CopySource;
  /** Undefined: the whole source. */
  readonly range: ByteRange | undefined;
}

/**
 * UploadPartCopy: inside the store, which may take a while for 5 GiB. The bytes pass through the
 * gateway only if the upload needs a checksum that the source does not have.
 */
export async function uploadPartCopy(context: RequestContext): Promise<S3Response> {
  const copy: PartCopy = {
    upload: await uploadOf(context),
    partNumber: parsePartNumber(context.endpoint.query),
    source: readCopySource(context),
    range: parseCopyRange(context.headers.get('x-amz-copy-source-range')),
  };
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml']],
    pending: { declaration: xmlDeclaration(''), document: copyPart(context, copy) },
  };
}

/** Copies the very source that was checked: when it changes, it is checked again. */
async function copyPart(context: RequestContext, copy: PartCopy): Promise<SettledDocument> {
  const { backend } = context.services;
  const { upload, source, range } = copy;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const found = await findCopySource(context, source);
    const { head, ref: from } = found;
    if (range !== undefined) requireRangeWithin(range, head.size);
    requireCopyableSize(range === undefined ? head.size : range.end - range.start + 1);
    const { systemMetadata } = await requireOpenUpload(context, upload);
    const wanted = decodeUploadChecksum(systemMetadata[SYSTEM_METADATA.uploadChecksum]);
    const checksum = wanted && (await checksumFor(context, copy, found, wanted.algorithm));
    if (checksum === 'source_changed') continue;
    const to = partOf(upload, copy.partNumber);
    const input = inputOf(copy, head, checksum);
    const copied = await backend
      .copyObject(context.call, from, to, input)
      .catch((error: unknown) => {
        throw asSourceError(asUploadError(error, upload), source);
      });
    if (copied.outcome === 'created') {
      const { etag, lastModified } = copied;
      const document = renderCopyPartResult({ etag, lastModified, checksum });
      return { document, headers: await copySourceHeaders(context, source, head) };
    }
    if (copied.outcome !== 'source_changed') break;
  }
  throw new S3Error('OperationAborted');
}

/** Nothing of the source but its bytes. */
function inputOf(
  { upload, range }: PartCopy,
  { etag }: ObjectHead,
  checksum: ResultChecksum | undefined,
): CopyInput {
  return {
    contentType: PART_CONTENT_TYPE,
    headers: {},
    metadata: {},
    ...storedChecksum(checksum),
    sourceEtag: etag,
    range,
    guard: { ref: markerOf(upload), consumed: false },
  };
}

async function checksumFor(
  context: RequestContext,
  { range }: PartCopy,
  { ref, head }: FoundSource,
  algorithm: ResultChecksum['algorithm'],
): Promise<ResultChecksum | 'source_changed'> {
  const stored = readStoredChecksum(head.systemMetadata[SYSTEM_METADATA.checksum]);
  const whole = range === undefined || range.end - range.start + 1 === head.size;
  // One made of the checksums of parts is not that of the bytes.
  if (whole && stored?.algorithm === algorithm && !stored.value.includes('-')) return stored;
  const value = await checksumOfStored(context, ref, {
    algorithm,
    range,
    etag: head.etag,
  });
  return value === undefined ? 'source_changed' : { algorithm, value };
}
