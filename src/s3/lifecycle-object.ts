import type { ObjectHead } from '../backend/backend.js';
import { SYSTEM_METADATA } from './object-attributes.js';
import type { LifecycleObject } from './rules/lifecycle/actions.js';
import { DEFAULT_STORAGE_CLASS } from './rules/storage-class.js';
import { decodeTags } from './rules/tagging.js';

const NO_TAGS: ReadonlyMap<string, string> = new Map();

/**
 * An object as lifecycle rules see it. Tags that cannot be read are none: a rule that asks for one
 * does not meet it then, so that nothing is deleted for damaged metadata.
 */
export function lifecycleObjectOf(
  key: string,
  {
    size,
    lastModified,
    systemMetadata,
  }: Pick<ObjectHead, 'size' | 'lastModified' | 'systemMetadata'>,
): LifecycleObject {
  const tagging = systemMetadata[SYSTEM_METADATA.tagging];
  return {
    key,
    size,
    lastModified,
    tags: tagging === undefined ? NO_TAGS : tagMap(tagging),
    storageClass: systemMetadata[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS,
  };
}

function tagMap(text: string): ReadonlyMap<string, string> {
  return new Map(decodeTags(text)?.map(({ key, value }) => [key, value]));
}
