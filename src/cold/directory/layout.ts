import { join } from 'node:path';
import { encodeUriComponentAws } from '../../lib/uri.js';
import type { ColdLocation } from '../cold-backend.js';

/**
 * Where a directory backend keeps what:
 *
 *     <cold_dir>/policy-<index>/account-<account>/<2 hex>/<64 hex>   a copy
 *                              /tmp/<64 hex>.<16 hex>                a copy that is being written
 *
 * so that each policy may be a device of its own: a copy is renamed within it. Accounts are
 * percent-encoded.
 */

const POLICY = /^policy-(0|[1-9][0-9]{0,3})$/;
const ID = /^[0-9a-f]{64}$/;
const FAN = /^[0-9a-f]{2}$/;

export const TEMPORARY = 'tmp';

export function policyFolder(policy: number): string {
  return `policy-${policy}`;
}

export function accountFolder(account: string): string {
  return `account-${encodeUriComponentAws(account)}`;
}

/** Folders on the way to a copy, the outermost first. */
export function foldersTo({ policy, account, id }: ColdLocation): readonly string[] {
  return [policyFolder(policy), accountFolder(account), id.slice(0, 2)];
}

export function copyPath(root: string, location: ColdLocation): string {
  if (!isCopyId(location.id)) throw new Error(`no id of a copy: ${location.id}`);
  return join(root, ...foldersTo(location), location.id);
}

/** @returns undefined for a folder that is none of ours */
export function parsePolicyFolder(name: string): number | undefined {
  const match = POLICY.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export function isFanFolder(name: string): boolean {
  return FAN.test(name);
}

export function isCopyId(name: string): boolean {
  return ID.test(name);
}
