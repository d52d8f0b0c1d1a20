import type { Metadata, MetadataPatch } from '../backend/backend.js';

/**
 * Documents that configure a bucket, in its container's system metadata (SPEC.md 2.1). One codec for
 * all of them: base64, since a store behind HTTP keeps them in headers, where neither line ends nor
 * anything beyond ASCII survives. A store whose headers are short splits them by itself.
 */
const NAMES = {
  cors: 's3-cors',
  lifecycle: 's3-lifecycle',
  'object-lock': 's3-object-lock',
} as const;

export type BucketConfiguration = keyof typeof NAMES;

/** Sets the document, or removes it when it is undefined. */
export function configurationPatch(
  name: BucketConfiguration,
  document: string | undefined,
): MetadataPatch {
  const stored = document === undefined ? null : Buffer.from(document).toString('base64');
  return { [NAMES[name]]: stored };
}

/**
 * The document as it is stored, undefined when there is none: cheap, and enough to tell whether it
 * is still the one that was read before.
 */
export function storedConfiguration(
  systemMetadata: Metadata,
  name: BucketConfiguration,
): string | undefined {
  return systemMetadata[NAMES[name]];
}

/** The document in what {@link storedConfiguration} gave. */
export function decodeConfiguration(stored: string): Buffer {
  return Buffer.from(stored, 'base64');
}
