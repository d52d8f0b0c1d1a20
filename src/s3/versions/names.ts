import type {
  Capabilities,
  ContainerRef,
  FollowedLink,
  ObjectHead,
  ObjectRef,
} from '../../backend/backend.js';
import {
  isFirstPlace,
  isOurHop,
  VERSION_ID,
  VERSIONS_SUFFIX as SUFFIX,
} from '../../backend/own-hops.js';
import { S3Error } from '../errors.js';
import { NULL_VERSION_ID, isVersionId } from '../rules/version-id.js';

/**
 * The names of the versions of a key:
 *
 *     <bucket>+versions   <hex(key)>/<32 hex>          a version: body and metadata
 *                         <hex(key)>/index.g<N>.json   the fence of generation N of the index
 *                         <hex(key)>/index.json        the key's version index, or the first version
 *                                                      itself as long as it is the only one
 *
 * in the order in which a store lists them. Hexadecimal digits are those of the key's UTF-8, in
 * lower case: '/' sorts before all of them, so that these names sort as the keys do.
 */

const INDEX = 'index.json';
const FENCE = /^index\.g([1-9][0-9]{0,15})\.json$/;
/** `/` and the longest of the three names behind it. */
const NAME_BYTES_MAX = 33;

/** A key of a bucket, in the account that the bucket is in. */
export interface VersionedKey {
  readonly account: string;
  readonly bucket: string;
  readonly key: string;
}

export type ArchiveName =
  | { readonly kind: 'version'; readonly key: string; readonly name: string }
  | { readonly kind: 'index'; readonly key: string }
  | { readonly kind: 'fence'; readonly key: string; readonly generation: number };

/** The companion container of a bucket. */
export function archiveContainer(account: string, bucket: string): ContainerRef {
  return { account, container: bucket + SUFFIX };
}

/** @returns the bucket whose archive this is; undefined for any other container */
export function bucketOfArchive(container: string): string | undefined {
  return container.endsWith(SUFFIX) ? container.slice(0, -SUFFIX.length) : undefined;
}

/**
 * The hexadecimal form of a key or of a key's beginning: all its names in the archive begin with
 * it.
 */
export function hexKey(key: string): string {
  return Buffer.from(key).toString('hex');
}

/** The place of the key: of the link to the current version, or of an unversioned object. */
export function currentRef({ account, bucket, key }: VersionedKey): ObjectRef {
  return { account, container: bucket, object: key };
}

/** Whether the object read at a key is a link to a version of it, and no object by itself. */
export function isLinkToVersion(ref: ObjectRef, { link, systemMetadata }: ObjectHead): boolean {
  if (link === undefined) return false;
  const end = { account: ref.account, ...link.target };
  if (isFirstPlace(ref, end)) return systemMetadata[VERSION_ID] !== undefined;
  return isOurHop(ref, end);
}

/** A link of ours leads to a place of the key's archive, be a version there or not. */
export function leadsToArchive(ref: ObjectRef, { target }: Pick<FollowedLink, 'target'>): boolean {
  const end = { account: ref.account, ...target };
  return isOurHop(ref, end) || isFirstPlace(ref, end);
}

/** The name of a key's bucket in maps. No account and no bucket has a line break in its name. */
export function nameOfBucket({ account, bucket }: Pick<VersionedKey, 'account' | 'bucket'>) {
  return `${account}\n${bucket}`;
}

/** The same of a key. */
export function nameOfKey({ account, bucket, key }: VersionedKey): string {
  return `${account}\n${bucket}\n${key}`;
}

/** @param name - `VersionEntry.name` of a version */
export function versionRef(key: VersionedKey, name: string): ObjectRef {
  return archiveRef(key, name);
}

export function indexRef(key: VersionedKey): ObjectRef {
  return archiveRef(key, INDEX);
}

/** Whether an object has the place of an index. */
export function isIndexRef({ container, object }: ObjectRef): boolean {
  return bucketOfArchive(container) !== undefined && parseArchiveName(object)?.kind === 'index';
}

/** @param generation - from 1 */
export function fenceRef(key: VersionedKey, generation: number): ObjectRef {
  return archiveRef(key, `index.g${generation}.json`);
}

/** @returns undefined for a name that no gateway wrote */
export function parseArchiveName(name: string): ArchiveName | undefined {
  const slash = name.indexOf('/');
  if (slash < 2) return undefined;
  const key = parseHexKey(name.slice(0, slash));
  if (key === undefined) return undefined;
  const rest = name.slice(slash + 1);
  if (rest === INDEX) return { kind: 'index', key };
  if (rest !== NULL_VERSION_ID && isVersionId(rest)) return { kind: 'version', key, name: rest };
  const generation = Number(FENCE.exec(rest)?.[1] ?? 0);
  if (generation === 0 || !Number.isSafeInteger(generation)) return undefined;
  return { kind: 'fence', key, generation };
}

/**
 * Call it before any write of a version. A store with names of up to 1024 bytes keeps versions of
 * keys of up to 495 bytes.
 *
 * @throws S3Error `KeyTooLongError`
 */
export function requireArchivableKey(key: string, capabilities: Capabilities): void {
  if (isArchivableKey(key, capabilities)) return;
  throw new S3Error(
    'KeyTooLongError',
    'Your key is too long: names in the storage behind this service have no room for its versions.',
    {
      Size: String(Buffer.byteLength(key)),
      MaxSizeAllowed: String(archivableBytesMax(capabilities)),
    },
  );
}

/** Whether a key can have an index. */
export function isArchivableKey(key: string, capabilities: Capabilities): boolean {
  return Buffer.byteLength(key) <= archivableBytesMax(capabilities);
}

function archivableBytesMax({ objectNameBytesMax }: Capabilities): number {
  return Math.floor((objectNameBytesMax - NAME_BYTES_MAX) / 2);
}

function archiveRef({ account, bucket, key }: VersionedKey, name: string): ObjectRef {
  return { ...archiveContainer(account, bucket), object: `${hexKey(key)}/${name}` };
}

/** Undefined for what is not the lower-case hexadecimal of well-formed UTF-8. */
function parseHexKey(hex: string): string | undefined {
  const key = Buffer.from(hex, 'hex').toString();
  return hexKey(key) === hex ? key : undefined;
}

/**
 * Versions and their locks depend on metadata that no other client of the store can forge: a store
 * that cannot protect it is refused. A store on which several writers may create the same object is
 * refused too: their commits would collide.
 *
 * @throws S3Error `NotImplemented`
 */
export function requireVersionSupport({ systemMetadata, atomicCreate }: Capabilities): void {
  if (systemMetadata && atomicCreate) return;
  throw new S3Error(
    'NotImplemented',
    'The storage behind this service cannot protect the metadata of versions.',
  );
}
