import { bucketOfArchive, parseArchiveName } from '../s3/versions/names.js';

/** What a stored object is to S3. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
  /** The part of the archive's name that tells versions apart; undefined of what is no version. */
  readonly version: string | undefined;
}

export function placeOf(container: string, object: string): Place {
  const bucket = bucketOfArchive(container);
  const archived = bucket === undefined ? undefined : parseArchiveName(object);
  if (bucket === undefined || archived?.kind !== 'version') {
    return { bucket: container, key: object, version: undefined };
  }
  return { bucket, key: archived.key, version: archived.name };
}
