import { hash } from 'node:crypto';
import type { Segment } from '../../backend/backend.js';
import { listingTime } from '../timestamps.js';

/** A manifest as Swift keeps it and shows it. */

/** A segment, and what of the object it is was told with the manifest. */
export interface DescribedSegment extends Segment {
  readonly contentType: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

/** As Python writes JSON: its MD5 is the manifest's ETag. */
export function renderManifest(segments: readonly DescribedSegment[]): string {
  const entries = segments.map(({ container, object, size, etag, contentType, lastModified }) => {
    const time = Math.ceil(lastModified / 1000) * 1000;
    return (
      `{"name": ${ascii(`/${container}/${object}`)}, "bytes": ${size}, "hash": ${ascii(etag)}, ` +
      `"content_type": ${ascii(contentType)}, "last_modified": "${listingTime(time)}"}`
    );
  });
  return `[${entries.join(', ')}]`;
}

/** What a client would have to send to make the same again (`format=raw`). */
export function renderRawManifest(segments: readonly Segment[]): string {
  const entries = segments.map(
    ({ container, object, size, etag }) =>
      `{"etag": ${ascii(etag)}, "path": ${ascii(`/${container}/${object}`)}, "size_bytes": ${size}}`,
  );
  return `[${entries.join(', ')}]`;
}

/** Shown as the large object's ETag: the MD5 of its segments' ETags, one after the other. */
export function largeEtag(segments: readonly Pick<Segment, 'etag'>[]): string {
  return hash('md5', segments.map(({ etag }) => etag).join(''));
}

function ascii(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
