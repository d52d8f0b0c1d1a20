import { createHash } from 'node:crypto';

/** A file as the browser describes it: the same file again has the same description. */
export interface UploadedFile {
  readonly name: string;
  readonly size_bytes: number;
  readonly mtime_ms: number;
  /** Digest of the file's beginning and end, made by the browser. */
  readonly fingerprint: string;
}

export interface UploadPlan {
  readonly segmentBytes: number;
  readonly segments: number;
  /** The prefix of all its segments' names. */
  readonly prefix: string;
}

const MIB = 1024 ** 2;
/** Swift's own limit of a manifest (`/info`, slo.max_manifest_segments). */
const SEGMENTS_MAX = 1000;
/** Room for the rest of a segment's name, of 1024 bytes. */
const NAME_BYTES_MAX = 850;

/**
 * The names of a file's segments. They follow from the file alone, so that an upload continues
 * after a reload, from another tab, and after a restart of the console, without any memory of it.
 *
 *     <name>/slo/<mtime>/<size>/<segment size>/<fingerprint>/<number>      (python-swiftclient's, and the fingerprint)
 *     <name>/s3/<mtime>/…            where they become one version of S3, and are deleted then
 *
 * The two have no segment in common: a large object of Swift may refer to one forever.
 */
export function planUpload(
  file: UploadedFile,
  segmentBytesMin: number,
  kind: 'slo' | 's3' = 'slo',
): UploadPlan {
  const least = file.size_bytes / SEGMENTS_MAX;
  const segmentBytes = least <= segmentBytesMin ? segmentBytesMin : Math.ceil(least / MIB) * MIB;
  const { name } = file;
  const place =
    Buffer.byteLength(name) > NAME_BYTES_MAX
      ? createHash('sha256').update(name).digest('hex')
      : name;
  return {
    segmentBytes,
    segments: Math.max(1, Math.ceil(file.size_bytes / segmentBytes)),
    prefix: `${place}/${kind}/${file.mtime_ms}/${file.size_bytes}/${segmentBytes}/${file.fingerprint}/`,
  };
}

export function segmentName(plan: UploadPlan, index: number): string {
  return plan.prefix + String(index).padStart(8, '0');
}

/** How long segment `index` is; the last one has the rest. */
export function segmentLength(plan: UploadPlan, sizeBytes: number, index: number): number {
  return Math.min(plan.segmentBytes, sizeBytes - index * plan.segmentBytes);
}
