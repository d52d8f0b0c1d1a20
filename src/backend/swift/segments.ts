import type { Segment } from '../backend.js';
import { BackendError } from '../errors.js';

/** An entry of a manifest as Swift keeps it; those of its users may have more to them than ours. */
interface StoredSegment {
  /** `/container/object` */
  readonly name?: string;
  readonly bytes?: number;
  readonly hash?: string;
  /** `first-last` of the object's bytes. */
  readonly range?: string;
  /** A manifest itself; then `bytes` is that of the manifest, and its content type has the real one. */
  readonly sub_slo?: boolean;
  readonly content_type?: string;
  /** Bytes in the manifest itself, in base64; there is no object then. */
  readonly data?: string;
}

/**
 * The segments that a manifest names (`?multipart-manifest=get`). Bytes that lie in the manifest are
 * told as a segment without a name.
 * @throws BackendError Corrupt
 */
export function readManifest(text: string): Segment[] {
  return parsed(text).map((stored) => {
    const [, container = '', object = ''] = /^\/?([^/]+)\/(.+)$/s.exec(stored.name ?? '') ?? [];
    return { container, object, size: sizeOf(stored), etag: stored.hash ?? '' };
  });
}

function sizeOf({ bytes, range, sub_slo, content_type, data }: StoredSegment): number {
  if (data !== undefined) return Buffer.byteLength(data, 'base64');
  if (range !== undefined) {
    const [first, last] = range.split('-').map(Number);
    return (last ?? NaN) - (first ?? NaN) + 1;
  }
  const whole = sub_slo === true && /;\s*swift_bytes=(\d+)/.exec(content_type ?? '')?.[1];
  return typeof whole === 'string' ? Number(whole) : (bytes ?? NaN);
}

function parsed(text: string): readonly StoredSegment[] {
  try {
    const manifest: unknown = JSON.parse(text);
    if (Array.isArray(manifest)) return manifest as readonly StoredSegment[];
  } catch {
    // As below.
  }
  throw new BackendError('Corrupt', 'a manifest that is no JSON list');
}
