import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { optionalChildText, parseXml } from './parse.js';

export interface CreateBucketConfiguration {
  readonly locationConstraint?: string | undefined;
}

/** Directory buckets and tags on creation: refused, since a bucket without them is not the same. */
const UNSUPPORTED = new Set(['Location', 'Bucket', 'Tags']);

/**
 * The body of CreateBucket; most clients send none.
 *
 * @throws S3Error `MalformedXML`; `NotImplemented` for what asks for another kind of bucket
 */
export function parseCreateBucketConfiguration(body: Buffer): CreateBucketConfiguration {
  if (body.length === 0) return {};
  const root = parseXml(body, 'CreateBucketConfiguration', XML_BOUNDS.CreateBucketConfiguration);
  for (const { name } of root.children) {
    if (name === 'LocationConstraint') continue;
    if (!UNSUPPORTED.has(name)) throw new S3Error('MalformedXML');
    throw new S3Error(
      'NotImplemented',
      `${name} of a CreateBucketConfiguration is not implemented.`,
    );
  }
  return { locationConstraint: optionalChildText(root, 'LocationConstraint')?.trim() };
}
