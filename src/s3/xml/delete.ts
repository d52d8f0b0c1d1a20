import { DELETED_OBJECTS_MAX } from '../rules/protocol-limits.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { optionalChildText, parseXml, requiredChildText, type XmlElement } from './parse.js';

export interface ObjectToDelete {
  /** Exactly as sent, white space included; not empty. */
  readonly key: string;
  /** The version id as sent: an invalid one is an error of that key alone. */
  readonly versionId?: string | undefined;
  /** The ETag that the object must have, as sent; `*` for any. */
  readonly etag?: string | undefined;
}

/** Plain data: it can be structured-cloned. */
export interface Delete {
  /** 1 to 1000, in the order sent; a key may come several times. */
  readonly objects: readonly ObjectToDelete[];
  /** The result names failures only. */
  readonly quiet: boolean;
}

/** Conditions of directory buckets alone: to delete without looking at them would lose data. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['LastModifiedTime', 'Size']);
const KNOWN: ReadonlySet<string> = new Set(['Key', 'VersionId', 'ETag']);

/**
 * The body of DeleteObjects.
 *
 * @throws S3Error `MalformedXML`, also without objects, for more than 1000 and for an empty key;
 *   `NotImplemented` for conditions that AWS gives to directory buckets; `MaxMessageLengthExceeded`
 */
export function parseDelete(body: Buffer): Delete {
  const root = parseXml(body, 'Delete', XML_BOUNDS.Delete);
  const elements = root.children.filter(({ name }) => name !== 'Quiet');
  if (elements.length === 0 || elements.length > DELETED_OBJECTS_MAX)
    throw new S3Error('MalformedXML');
  return { objects: elements.map(parseObject), quiet: parseQuiet(root) };
}

function parseObject(object: XmlElement): ObjectToDelete {
  if (object.name !== 'Object') throw new S3Error('MalformedXML');
  for (const { name } of object.children) {
    if (UNSUPPORTED.has(name)) {
      throw new S3Error('NotImplemented', `${name} of an Object to delete is not implemented.`);
    }
    if (!KNOWN.has(name)) throw new S3Error('MalformedXML');
  }
  const key = requiredChildText(object, 'Key');
  if (key === '') throw new S3Error('MalformedXML');
  const versionId = optionalChildText(object, 'VersionId');
  const etag = optionalChildText(object, 'ETag');
  return {
    key,
    ...(versionId !== undefined && { versionId }),
    ...(etag !== undefined && { etag }),
  };
}

/** Python clients write `True`. */
function parseQuiet(root: XmlElement): boolean {
  const text = optionalChildText(root, 'Quiet')?.trim().toLowerCase() ?? 'false';
  if (text !== 'true' && text !== 'false') throw new S3Error('MalformedXML');
  return text === 'true';
}
