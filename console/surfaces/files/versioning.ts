import type { IncomingHttpHeaders } from 'node:http';

/**
 * The middleware that keeps overwritten and deleted objects:
 *
 *     stack      Swift's X-Versions-Enabled: versions have ids, and stay in the container
 *     archive    Swift's X-Versions-Location: what is overwritten goes into another container
 *     history    Swift's X-History-Location: as before, and deletions leave a marker there
 *     none       no middleware
 */
export type VersioningMode = 'stack' | 'archive' | 'history' | 'none';

export interface Versioning {
  readonly mode: VersioningMode;
  /** False where versions are kept that were made before, and no new ones are made. */
  readonly active: boolean;
  /** The container of archived versions; undefined where they are kept elsewhere. */
  readonly archive: string | undefined;
}

const NONE: Versioning = { mode: 'none', active: false, archive: undefined };

/** The versioning in the headers of a container (docs: Swift's versioned_writes). */
export function versioningOf(headers: IncomingHttpHeaders): Versioning {
  const enabled = headers['x-versions-enabled'];
  if (enabled !== undefined) {
    const active = String(enabled).toLowerCase() === 'true';
    return { mode: 'stack', active, archive: undefined };
  }
  for (const [header, mode] of [
    ['x-versions-location', 'archive'],
    ['x-history-location', 'history'],
  ] as const) {
    const archive = headers[header];
    if (typeof archive === 'string' && archive !== '') {
      return { mode, active: true, archive: decodeLocation(archive) };
    }
  }
  return NONE;
}

/** Swift keeps the name of the archive encoded. */
function decodeLocation(location: string): string {
  const [container = ''] = Buffer.from(location, 'latin1').toString('utf8').split('/');
  try {
    return decodeURIComponent(container);
  } catch {
    return container;
  }
}

/** The content type of what stands for a deletion (swift.common.middleware.versioned_writes). */
const MARKER_TYPE = 'application/x-deleted;swift_versions_deleted=1';

export function isMarker(contentType: string): boolean {
  return contentType.replaceAll(' ', '') === MARKER_TYPE;
}

/** The prefix of the names of an object's archived versions: its length in bytes, and itself. */
export function archivePrefix(object: string): string {
  return `${Buffer.byteLength(object).toString(16).padStart(3, '0')}${object}/`;
}
