import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';

/** Swift's own limits, in bytes of UTF-8 (`/info`). */
const CONTAINER_BYTES_MAX = 256;
const OBJECT_BYTES_MAX = 1024;

export const NAMES_MAX = 10_000;

/** A name that the store can hold. Everything else in it is the user's own affair. */
function name(bytesMax: number) {
  return z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= bytesMax, { error: `at most ${bytesMax} bytes` })
    .refine((text) => !text.includes('\0') && isWellFormed(text), { error: 'text without NUL' });
}

export const containerName = name(CONTAINER_BYTES_MAX).refine((text) => !text.includes('/'), {
  error: 'no slash',
});

/** Tells whether a derived name, such as that of the segments, is short enough for a container. */
export function isContainerName(text: string): boolean {
  return Buffer.byteLength(text) <= CONTAINER_BYTES_MAX;
}

/** A container, as requests name it that are about one. */
export const namedContainer = z.object({ name: containerName });

export const objectName = name(OBJECT_BYTES_MAX);

/** The beginning of names; empty for all. */
export const prefixText = z.union([z.literal(''), objectName]);

export const objectPlace = z.object({ container: containerName, name: objectName });

/** The type of a body, as a header can have it. */
export const contentType = z.string().regex(/^[\x20-\x7e]{1,256}$/);

/** A half of a surrogate pair would become another name on its way. */
function isWellFormed(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text;
}

export type ContainerKind = 'user' | 'trash' | 'segments' | 'versions' | 'hidden';

/** The purpose of a container, by its name. */
export function kindOf(container: string): ContainerKind {
  if (container.endsWith('+trash')) return 'trash';
  if (container.endsWith('+segments')) return 'segments';
  if (container.endsWith('+versions')) return 'versions';
  return container.startsWith('.') ? 'hidden' : 'user';
}

export function trashOf(container: string): string {
  return `${container}+trash`;
}

/**
 * Refuses to write into a trash: what is there has its name, its metadata and its expiry from the
 * deletion, and a restore goes by them.
 * @throws ApiError unsupported_here
 */
export function refuseTrash(container: string): void {
  if (kindOf(container) !== 'trash') return;
  const message = 'Objects get into the trash by being deleted, and leave it by being restored.';
  throw new ApiError('unsupported_here', message);
}

export function segmentsOf(container: string): string {
  return `${container}+segments`;
}

/** The container in which the S3 gateway keeps the versions of a bucket. */
export function versionsOf(container: string): string {
  return `${container}+versions`;
}

/**
 * Refuses names that no URL opens: browsers and clients take `a/../b` in an address for `b`, and ask
 * for another object than the one that was signed.
 * @throws ApiError bad_name
 */
export function refuseShortened(name: string): void {
  if (!name.split('/').some((part) => part === '.' || part === '..')) return;
  throw new ApiError(
    'bad_name',
    'No URL can be created for a name with a “.” or “..” path segment, because browsers remove the segment.',
  );
}
