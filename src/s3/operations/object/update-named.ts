import type { Metadata, MetadataPatch } from '../../../backend/backend.js';
import type { RequestContext } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { headNamedVersion, type NamedObject } from './named-version.js';

/** An object that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

export interface NamedUpdate {
  /** Of system metadata, by the object as it was found; asked again when that has changed. */
  readonly patchFor: (found: NamedObject) => MetadataPatch | Promise<MetadataPatch>;
  /** Names of what the patch was decided on, which has to be as it was found. */
  readonly decidedOn?: readonly string[] | undefined;
}

/**
 * Changes system metadata of exactly the object that a request was found to be about: its ACL let the
 * request in, and not that of an object which somebody has put in its place since; and a plain object
 * that becomes a version leaves a link where it was, which has nothing to do with tags.
 *
 * @returns the object as it was found
 * @throws S3Error as readNamedVersion; `OperationAborted` when it does not hold still
 */
export async function updateNamedVersion(
  context: RequestContext,
  { patchFor, decidedOn = [] }: NamedUpdate,
): Promise<NamedObject> {
  const { backend } = context.services;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const found = await headNamedVersion(context);
    const { etag, systemMetadata } = found.head;
    const update = { systemMetadata: await patchFor(found) };
    const { outcome } = await backend.updateObject(context.call, found.ref, update, {
      etag,
      lastModified: found.storedAt,
      systemMetadata: valuesOf(systemMetadata, decidedOn),
    });
    if (outcome === 'updated') return found;
  }
  throw new S3Error('OperationAborted');
}

function valuesOf(metadata: Metadata, names: readonly string[]): MetadataPatch {
  return Object.fromEntries(names.map((name) => [name, metadata[name] ?? null]));
}
