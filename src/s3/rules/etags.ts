/** Entity tags: stored without quotes, on the wire always with them (RFC 9110 section 8.8.3). */

const WEAK_PREFIX = 'W/';

export function quoteEtag(etag: string): string {
  return `"${etag}"`;
}

/**
 * Whether an `If-Match` (strong comparison) or `If-None-Match` (weak) value names the ETag: `*`, or
 * a list of tags. Tags without quotes count too, since AWS accepts them and clients send them.
 */
export function etagListMatches(
  list: string,
  etag: string,
  comparison: 'strong' | 'weak',
): boolean {
  let start = 0;
  while (start <= list.length) {
    let end = list.indexOf(',', start);
    if (end === -1) end = list.length;
    if (tagMatches(list.slice(start, end).trim(), etag, comparison)) return true;
    start = end + 1;
  }
  return false;
}

/**
 * The one strong tag that a value consists of, unquoted.
 * @returns undefined for `*`, a list, a weak tag, or an empty value
 */
export function singleEtag(value: string): string | undefined {
  const tag = value.trim();
  if (tag === '*' || tag.includes(',') || tag.startsWith(WEAK_PREFIX)) return undefined;
  const etag = unquoteEtag(tag);
  return etag === '' || etag.includes('"') ? undefined : etag;
}

function tagMatches(tag: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (tag === '*') return true;
  if (!tag.startsWith(WEAK_PREFIX)) return unquoteEtag(tag) === etag;
  return comparison === 'weak' && unquoteEtag(tag.slice(WEAK_PREFIX.length)) === etag;
}

/** A tag with or without its quotes, without them. */
export function unquoteEtag(tag: string): string {
  const quoted = tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"');
  return quoted ? tag.slice(1, -1) : tag;
}
