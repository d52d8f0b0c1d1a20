import { S3StatusError } from '../../../s3/errors.js';
import { children, escapeXml, textIn } from '../../../s3/xml.js';
import type { S3Place } from './s3-bucket.js';

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** The owner of tags: a bucket, an object, or one version of it. */
export interface Tagged {
  readonly key?: string | undefined;
  readonly versionId?: string | undefined;
}

const query = ({ versionId }: Tagged) => ({ tagging: '', versionId });

/** @throws S3StatusError; UpstreamError */
export async function tagsOf({ s3, name: bucket }: S3Place, tagged: Tagged): Promise<Tag[]> {
  try {
    const root = await s3.read('GET', { bucket, key: tagged.key, query: query(tagged) });
    const [set = ''] = children(root, 'TagSet');
    return children(set, 'Tag').map((tag) => ({
      key: textIn(tag, 'Key'),
      value: textIn(tag, 'Value'),
    }));
  } catch (error) {
    if (error instanceof S3StatusError && error.code === 'NoSuchTagSet') return [];
    throw error;
  }
}

/** Tags in words. */
export function tagsText(tags: readonly Tag[]): string {
  return tags.map(({ key, value }) => `${key}=${value}`).join(', ') || 'no tags';
}

/** Replaces all tags. @throws S3StatusError; UpstreamError */
export async function setTags(
  { s3, name: bucket }: S3Place,
  tagged: Tagged,
  tags: readonly Tag[],
): Promise<void> {
  const place = { bucket, key: tagged.key, query: query(tagged) };
  if (tags.length === 0) {
    await s3.do([204], 'DELETE', place);
    return;
  }
  const set = tags.map(
    ({ key, value }) => `<Tag><Key>${escapeXml(key)}</Key><Value>${escapeXml(value)}</Value></Tag>`,
  );
  const body = `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${set.join('')}</TagSet></Tagging>`;
  await s3.do([200, 204], 'PUT', { ...place, body });
}

/**
 * Whether a lifecycle rule of the bucket looks at tags, so that changing one may delete an object.
 * Where the user may not read the rules, that cannot be ruled out.
 */
export async function rulesLookAtTags({ s3, name: bucket }: S3Place): Promise<boolean> {
  try {
    const text = await s3.readText('GET', { bucket, query: { lifecycle: '' } });
    return text.includes('<Tag>');
  } catch (error) {
    if (error instanceof S3StatusError && error.status === 404) return false;
    if (error instanceof S3StatusError && error.status === 403) return true;
    throw error;
  }
}
