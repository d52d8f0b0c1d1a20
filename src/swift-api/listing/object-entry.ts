import type { ListedObject } from '../../backend/backend.js';
import { listingTime } from '../timestamps.js';
import type { ListedItem } from './render.js';

/**
 * Fields that a listing shows of an object beyond those that the store knows, kept with its entry
 * under names of our own, as {@link OWN}: a hash and a size that a gateway or a manifest put in
 * place of the object's own, and the target of a link.
 */
export const LISTED = {
  hash: 'swift:hash',
  bytes: 'swift:bytes',
  manifestEtag: 'swift:slo-etag',
  link: 'swift:symlink',
  linkEtag: 'swift:symlink-etag',
  linkBytes: 'swift:symlink-bytes',
} as const;

/** @param account - of the listing: links lead inside it */
export function objectItem(
  { name, size, etag, lastModified, contentType, attributes }: ListedObject,
  account: string,
  gateway: boolean,
): ListedItem {
  const override = attributes[LISTED.hash] ?? etag;
  // Parameters of a hash that its writer could not know.
  const hash = override.startsWith(';') ? etag + override : override;
  const shown = gateway ? { hash } : hiddenFromClients(hash);
  const slo = attributes[LISTED.manifestEtag];
  const link = attributes[LISTED.link];
  const linkEtag = attributes[LISTED.linkEtag];
  const linkBytes = attributes[LISTED.linkBytes];
  return {
    bytes: Number(attributes[LISTED.bytes] ?? size),
    name,
    content_type: contentType,
    last_modified: listingTime(lastModified),
    ...shown,
    ...(slo === undefined ? {} : { slo_etag: `"${slo}"` }),
    ...(link === undefined ? {} : { symlink_path: `/v1/${account}/${link}` }),
    ...(linkEtag === undefined ? {} : { symlink_etag: linkEtag }),
    ...(linkBytes === undefined ? {} : { symlink_bytes: Number(linkBytes) }),
  };
}

/** Hides the gateway's attributes from other clients, like the filter in ops/swift/. */
function hiddenFromClients(hash: string): { hash: string; s3_etag?: string } {
  if (!hash.includes(';')) return { hash };
  const kept: string[] = [];
  let s3Etag: string | undefined;
  for (const part of hash.split('; ')) {
    if (part.startsWith('s3_etag=')) s3Etag = part.slice('s3_etag='.length);
    else if (!part.startsWith('rw_')) kept.push(part);
  }
  const rest = kept.join('; ');
  return s3Etag === undefined ? { hash: rest } : { hash: rest, s3_etag: `"${s3Etag}"` };
}
