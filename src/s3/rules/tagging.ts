import { encodeUriComponentAws, percentDecoded } from '../../lib/uri.js';
import { S3Error } from '../errors.js';
import { invalidArgument } from './query-parameters.js';

/**
 * Tags of objects and buckets: "Categorizing your objects using tags" in the Amazon S3 User Guide,
 * and what S3 answers where the guide names no error.
 */

export interface Tag {
  readonly key: string;
  readonly value: string;
}

export type TaggedResource = 'object' | 'bucket';

/**
 * Lengths in UTF-16 code units, which is how S3 counts: "characters consume either 1 or 2
 * positions".
 */
const KEY_UNITS_MAX = 128;
const VALUE_UNITS_MAX = 256;

const TAGS_MAX: Readonly<Record<TaggedResource, number>> = { object: 10, bucket: 50 };

const TOO_MANY: Readonly<Record<TaggedResource, string>> = {
  object: 'Object tags cannot be greater than 10',
  bucket: 'Bucket tag count cannot be greater than 50',
};

const RESERVED: Readonly<Record<TaggedResource, string>> = {
  object: 'Your TagKey cannot be prefixed with aws:',
  bucket: 'System tags cannot be added/updated by requester',
};

const RESERVED_PREFIX = 'aws:';

/** Letters, white space and numbers of any script, and `_ . : / = + - @`; no combining marks. */
const ALLOWED = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

const HEADER = 'x-amz-tagging';

/**
 * Checks a set of tags; an empty one is valid.
 * @throws S3Error `BadRequest` for too many; `InvalidTag`
 */
export function checkTags(tags: readonly Tag[], resource: TaggedResource): void {
  if (tags.length > TAGS_MAX[resource]) throw new S3Error('BadRequest', TOO_MANY[resource]);
  const keys = new Set<string>();
  for (const { key, value } of tags) {
    if (keys.has(key)) throw invalidTag('Cannot provide multiple Tags with the same key', key);
    keys.add(key);
    if (key.slice(0, RESERVED_PREFIX.length).toLowerCase() === RESERVED_PREFIX) {
      throw invalidTag(RESERVED[resource], key);
    }
    if (key === '' || key.length > KEY_UNITS_MAX || !ALLOWED.test(key)) {
      throw invalidTag('The TagKey you have provided is invalid', key);
    }
    if (value.length > VALUE_UNITS_MAX || !ALLOWED.test(value)) {
      throw invalidTag('The TagValue you have provided is invalid', key, value);
    }
  }
}

/**
 * The tags that `x-amz-tagging` gives an object: `key=value&key2=value2`, form-encoded. A key
 * without `=` has the empty value, as in AWS.
 *
 * @throws S3Error `InvalidArgument` for what is no such text or names a key twice; as
 *   {@link checkTags}
 */
export function parseTaggingHeader(value: string): readonly Tag[] {
  const tags = parsePairs(value);
  if (tags === undefined || new Set(tags.map(({ key }) => key)).size < tags.length) {
    throw invalidArgument(
      HEADER,
      value,
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
    );
  }
  checkTags(tags, 'object');
  return tags;
}

/**
 * Tags as one line of printable ASCII, to be kept in system metadata: the text that the header
 * could have had. Nothing at its ends can get lost as white space. At most 35 KiB for an object
 * (ten tags of the longest text of three UTF-8 bytes a character); a tag of plain text takes little
 * more than its own length.
 */
export function encodeTags(tags: readonly Tag[]): string {
  return tags.map(({ key, value }) => `${encodeText(key)}=${encodeText(value)}`).join('&');
}

/** How many tags a text of {@link encodeTags} has; it is not empty. */
export function countTags(text: string): number {
  return text.split('&').length;
}

/** @returns undefined when {@link encodeTags} did not make it */
export function decodeTags(text: string): readonly Tag[] | undefined {
  return parsePairs(text);
}

/** @returns undefined for malformed escapes, and for a pair with two `=` */
function parsePairs(text: string): readonly Tag[] | undefined {
  const tags: Tag[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [rawKey = '', rawValue = '', ...rest] = pair.split('=');
    const key = decodeText(rawKey);
    const value = decodeText(rawValue);
    if (key === undefined || value === undefined || rest.length > 0) return undefined;
    tags.push({ key, value });
  }
  return tags;
}

/** Spaces as `+`, and `/`, `:` and `@` as themselves: they are common in tags. */
function encodeText(text: string): string {
  return encodeUriComponentAws(text)
    .replaceAll('%20', '+')
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
    .replaceAll('%40', '@');
}

function decodeText(raw: string): string | undefined {
  return percentDecoded(raw.replaceAll('+', ' '));
}

function invalidTag(message: string, key: string, value?: string): S3Error {
  return new S3Error('InvalidTag', message, {
    TagKey: key,
    ...(value === undefined ? {} : { TagValue: value }),
  });
}
