import { createHash } from 'node:crypto';

const MD5_HEX_DIGITS = 32;

/**
 * The ETag of a multipart object, unquoted: `MD5(part MD5s)-N`, of the digests' bytes and not of
 * their text (SPEC.md 2.4).
 *
 * @param partEtags of the parts in their order: MD5 in hex, unquoted
 * @throws RangeError when one of them is no MD5: such a part was not written by us
 */
export function multipartEtag(partEtags: readonly string[]): string {
  const hash = createHash('md5');
  for (const etag of partEtags) {
    const bytes = Buffer.from(etag, 'hex');
    if (etag.length !== MD5_HEX_DIGITS || bytes.length !== MD5_HEX_DIGITS / 2) {
      throw new RangeError(`the ETag ${JSON.stringify(etag)} of a part is no MD5`);
    }
    hash.update(bytes);
  }
  return `${hash.digest('hex')}-${partEtags.length}`;
}
