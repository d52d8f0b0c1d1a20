import { S3StatusError } from '../../../s3/errors.js';
import { parseXml, textIn } from '../../../s3/xml.js';
import { ApiError } from '../../../server/api-error.js';
import { textOfHeader } from '../../../swift/login.js';
import { readBody } from '../../../swift/upstream.js';
import type { S3Place } from './s3-bucket.js';

/** The facts of an object in S3, beside those that every store knows. */
export interface S3Facts {
  readonly storage_class: string;
  /** It is in cold storage: it has to be restored before it can be read. */
  readonly cold: boolean;
  /** Until when a copy restored from cold storage can be read; null where none is. */
  readonly restored_until: string | null;
  /** By algorithm, in base64: `CRC32`, `SHA256` and others. */
  readonly checksums: Readonly<Record<string, string>>;
  /** `FULL_OBJECT` or `COMPOSITE`; null without checksums. */
  readonly checksum_type: string | null;
}

/** The time to restore an object of 100 GiB, at the speed of two plain disks. */
const COLD_IDLE_MS = 60 * 60_000;
const ERROR_BYTES_MAX = 64 * 1024;

/** @throws S3StatusError; UpstreamError */
export async function s3Facts(
  place: S3Place,
  key: string,
  versionId: string | undefined,
): Promise<S3Facts> {
  const { s3, name: bucket } = place;
  const headers = { 'x-amz-checksum-mode': 'ENABLED' };
  const { status, headers: found } = await s3.do([200, 400, 403], 'HEAD', {
    ...{ bucket, key, query: { versionId }, headers },
  });
  if (status !== 200) {
    const storageClass = await coldClassOf(place, key, versionId);
    if (storageClass === undefined) throw new S3StatusError(status, '');
    const unknown = { restored_until: null, checksums: {}, checksum_type: null };
    return { storage_class: storageClass, cold: true, ...unknown };
  }
  const until = /expiry-date="([^"]*)"/.exec(textOfHeader(found['x-amz-restore']));
  const checksums: Record<string, string> = {};
  for (const [name, value] of Object.entries(found)) {
    const [, algorithm] = /^x-amz-checksum-(?!type$)([a-z0-9]+)$/.exec(name) ?? [];
    if (algorithm !== undefined) checksums[algorithm.toUpperCase()] = textOfHeader(value);
  }
  return {
    storage_class: textOfHeader(found['x-amz-storage-class']) || 'STANDARD',
    cold: false,
    restored_until: until === null ? null : new Date(until[1] ?? '').toISOString(),
    checksums,
    checksum_type: textOfHeader(found['x-amz-checksum-type']) || null,
  };
}

/**
 * The storage class of an object that cannot be read since it is cold: HEAD is refused then, in an
 * answer without a body, and GET says why.
 * @returns undefined where it is not that
 */
export async function coldClassOf(
  { s3, name: bucket }: Pick<S3Place, 's3' | 'name'>,
  key: string,
  versionId: string | undefined,
): Promise<string | undefined> {
  const headers = { range: 'bytes=0-0' };
  const { body, status } = await s3.send('GET', { bucket, key, query: { versionId }, headers });
  if (status < 400) {
    body.destroy();
    return undefined;
  }
  const document = parseXml((await readBody(body, ERROR_BYTES_MAX)).toString('utf8'));
  return textIn(document, 'Code') === 'InvalidObjectState'
    ? textIn(document, 'StorageClass') || 'GLACIER'
    : undefined;
}

/**
 * Opens a window in which a cold object can be read; resolves when it can.
 * @throws ApiError conflict where it is not cold
 */
export async function openFromCold(
  { s3, name: bucket }: S3Place,
  key: string,
  versionId: string | undefined,
  days: number,
  signal: AbortSignal,
): Promise<void> {
  const body = `<RestoreRequest xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Days>${days}</Days></RestoreRequest>`;
  try {
    await s3.do([200, 202], 'POST', {
      ...{ bucket, key, query: { restore: '', versionId }, body },
      ...{ idleMs: COLD_IDLE_MS, signal },
    });
  } catch (error) {
    if (error instanceof S3StatusError && error.code === 'InvalidObjectState') {
      throw new ApiError('conflict', 'The object is not in cold storage.');
    }
    throw error;
  }
}
