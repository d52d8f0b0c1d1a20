import type { FollowedLink, LinkTarget, ObjectHead, ObjectRef } from '../backend.js';
import { unquoted } from './stored-object.js';
import { OWN, readSystemMetadata, readSystemValue } from './system-metadata.js';
import { patched } from '../metadata-patch.js';
import { readTimestamp } from './timestamps.js';
import { readUpdateDocument } from './update-document.js';

/**
 * What is told of Swift's symlinks. A followed one answers with the headers of its target and says
 * so in `Content-Location`; the filter adds what the link said of itself.
 */

/**
 * @param head of what was read
 * @returns undefined when no link was followed, or one that leads to another account; `indirect`
 *   when the link leads to a link, which Swift follows too
 */
export function readFollowedLink(
  { account }: ObjectRef,
  headers: ReadonlyMap<string, string>,
  head: ObjectHead,
): FollowedLink | 'indirect' | undefined {
  // Where Swift itself keeps versions, an object is a link to its newest: that is its own affair.
  if (headers.has('x-object-version-id')) return undefined;
  const target = readTarget(headers.get('content-location'), `/v1/${account}/`);
  if (target === undefined) return undefined;
  const time = headers.get('x-gateway-link-timestamp');
  // Without the filter nothing is known of the link but where it leads.
  if (time === undefined) {
    const { etag, lastModified } = head;
    return { target, etag, lastModified, systemMetadata: {} };
  }
  const first = readTarget(headers.get('x-gateway-link-sysmeta-symlink-target'), '');
  if (first?.container !== target.container || first.object !== target.object) return 'indirect';
  const update = readUpdateDocument(headers, time, 'link_transient');
  const etag = readSystemValue(headers, 'link', OWN.etag);
  return {
    target,
    etag: etag ?? unquoted(headers.get('x-gateway-link-etag') ?? ''),
    lastModified: readTimestamp(time),
    systemMetadata: patched(readSystemMetadata(headers, 'link'), update?.systemMetadata),
  };
}

/**
 * The target that a link itself names, read with `?symlink=get`.
 * @returns undefined of an object that is no link, or of one that leads to another account
 */
export function readOwnTarget(
  { account }: ObjectRef,
  headers: ReadonlyMap<string, string>,
): LinkTarget | undefined {
  const other = headers.get('x-symlink-target-account');
  if (other !== undefined && percentDecoded(other) !== account) return undefined;
  return readTarget(headers.get('x-symlink-target'), '');
}

/** @param path percent-encoded */
function readTarget(path: string | undefined, prefix: string): LinkTarget | undefined {
  const decoded = path === undefined ? undefined : percentDecoded(path);
  if (decoded?.startsWith(prefix) !== true) return undefined;
  const slash = decoded.indexOf('/', prefix.length);
  if (slash === -1) return undefined;
  return { container: decoded.slice(prefix.length, slash), object: decoded.slice(slash + 1) };
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
