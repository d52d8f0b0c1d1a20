import { checkTags, type Tag, type TaggedResource } from '../rules/tagging.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS, type XmlBounds } from './bounds.js';
import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import { optionalChild, parseXml, requiredChildText, type XmlElement } from './parse.js';

const BOUNDS: Readonly<Record<TaggedResource, XmlBounds>> = {
  object: XML_BOUNDS.ObjectTagging,
  bucket: XML_BOUNDS.BucketTagging,
};

/**
 * The body of PutObjectTagging and PutBucketTagging.
 *
 * @returns the tags in the order sent; none is a set too
 * @throws S3Error `MalformedXML`; `BadRequest` for too many tags; `InvalidTag`
 */
export function parseTagging(body: Buffer, resource: TaggedResource): readonly Tag[] {
  const root = parseXml(body, 'Tagging', BOUNDS[resource]);
  const tagSet = optionalChild(root, 'TagSet');
  if (tagSet === undefined || root.children.length > 1) throw new S3Error('MalformedXML');
  const tags = tagSet.children.map(parseTag);
  checkTags(tags, resource);
  return tags;
}

/** The answer of GetObjectTagging and GetBucketTagging. */
export function renderTagging(tags: readonly Tag[]): string {
  let set = '';
  for (const { key, value } of tags) {
    set += `<Tag>${element('Key', key)}${element('Value', value)}</Tag>`;
  }
  return xmlDocument(`<Tagging xmlns="${S3_NAMESPACE}"><TagSet>${set}</TagSet></Tagging>`);
}

function parseTag(tag: XmlElement): Tag {
  // Both are required below, so that two children are these two.
  if (tag.name !== 'Tag' || tag.children.length !== 2) throw new S3Error('MalformedXML');
  return { key: requiredChildText(tag, 'Key'), value: requiredChildText(tag, 'Value') };
}
