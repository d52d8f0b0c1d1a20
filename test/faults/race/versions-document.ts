import type { ListedEntry } from '../history/operation.js';

/** A page of ListObjectVersions. */
export interface VersionsPage {
  readonly entries: readonly { readonly key: string; readonly entry: ListedEntry }[];
  readonly truncated: boolean;
  readonly nextKeyMarker: string | undefined;
  readonly nextVersionIdMarker: string | undefined;
}

const ENTRY = /<(Version|DeleteMarker)>(.*?)<\/\1>/gs;

/** Reads the document as it stands: parsers lose in which order two kinds of elements come. */
export function parseVersions(text: string): VersionsPage {
  const entries = [...text.matchAll(ENTRY)].map(([, kind, inner = '']) => {
    const common = {
      version: element(inner, 'VersionId') ?? '',
      latest: element(inner, 'IsLatest') === 'true',
    };
    const body = /[0-9a-f]{32}/.exec(element(inner, 'ETag') ?? '')?.[0] ?? '';
    const entry: ListedEntry =
      kind === 'Version'
        ? { kind: 'version', ...common, body }
        : { kind: 'delete-marker', ...common };
    return { key: element(inner, 'Key') ?? '', entry };
  });
  return {
    entries,
    truncated: element(text, 'IsTruncated') === 'true',
    nextKeyMarker: element(text, 'NextKeyMarker'),
    nextVersionIdMarker: element(text, 'NextVersionIdMarker'),
  };
}

function element(text: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
}
