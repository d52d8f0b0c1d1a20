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

/** The keys of which a page tells all: those that it shows whole, and those that it passes. */
export function wholeKeys(
  { entries: shown, truncated }: VersionsPage,
  query: Readonly<Record<string, string>>,
  keys: readonly string[],
): [key: string, entries: readonly ListedEntry[]][] {
  const { prefix = '', 'key-marker': after = '' } = query;
  const last = truncated ? (shown.at(-1)?.key ?? '') : '\u{10ffff}';
  return (
    keys
      // The first and the last may have versions on other pages, which are of other moments.
      .filter((key) => key.startsWith(prefix) && key > after && key < last)
      .map((key) => [key, shown.filter((each) => each.key === key).map(({ entry }) => entry)])
  );
}
