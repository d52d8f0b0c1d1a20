import type { Metadata } from '../../backend/backend.js';
import { LISTED } from '../listing/object-entry.js';

/**
 * What a gateway wants a listing to show in place of the object's own hash and size: Swift's
 * `X-Object-Sysmeta-Container-Update-Override-*`, under the gateway's name for it.
 */

const OVERRIDE = 'x-gateway-sysmeta-object-container-update-override-';

/** @returns undefined without one */
export function overrideAttributes(
  headers: Iterable<readonly [string, string]>,
): Metadata | undefined {
  const attributes: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === `${OVERRIDE}etag`) attributes[LISTED.hash] = value;
    if (name === `${OVERRIDE}size`) attributes[LISTED.bytes] = value;
  }
  return Object.keys(attributes).length === 0 ? undefined : attributes;
}

/** The override of a hash, with another hash where it names none: parameters stay. */
export function overriddenHash(override: string | undefined, hash: string): string {
  if (override === undefined) return hash;
  return override.startsWith(';') || override === '' ? hash + override : override;
}
