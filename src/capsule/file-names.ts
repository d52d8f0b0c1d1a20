/** The names and the order of the files of a capsule. */

export const BODY = 'body';
export const SLO_MANIFEST = 'slo-manifest.json';
export const REPLICAS = 'replicas.json';
export const PLACEMENT = 'placement.json';
export const METADATA = 'metadata.json';
export const MANIFEST = 'manifest.json';
export const SIGNATURE = 'signature.json';

/** Swift's own limit is 1000 by default (`max_manifest_segments`). */
export const SEGMENTS_MAX = 10_000;
const SEGMENT = /^segments\/(\d{5})$/;

/** @param number - from 1 */
export function segmentPath(number: number): string {
  return `segments/${String(number).padStart(5, '0')}`;
}

/** Whether a file is bytes of the object; all others are documents, which are small. */
export function isContent(path: string): boolean {
  return path === BODY || SEGMENT.test(path);
}

/** The files that may come after one. @param previous - undefined at the beginning */
export function namesAfter(previous: string | undefined): readonly string[] {
  switch (previous) {
    case undefined:
      return [BODY, segmentPath(1), SLO_MANIFEST, REPLICAS];
    case BODY:
    case SLO_MANIFEST:
      return [REPLICAS];
    case REPLICAS:
      return [PLACEMENT];
    case PLACEMENT:
      return [METADATA];
    case METADATA:
      return [MANIFEST];
    case MANIFEST:
      return [SIGNATURE];
    case SIGNATURE:
      return [];
    default: {
      const number = Number(SEGMENT.exec(previous)?.[1] ?? 0);
      return number < SEGMENTS_MAX ? [segmentPath(number + 1), SLO_MANIFEST] : [SLO_MANIFEST];
    }
  }
}
