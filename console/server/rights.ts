import type { Role } from '../config/keys.js';

/** A right; each role has a set of them (docs/console.md). */
export type Right =
  | 'read'
  | 'write'
  | 'manage'
  | 'operate'
  /** Changes to the cluster itself; besides, each has a control of its own. */
  | 'mutate';

const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  reader: ['read'],
  member: ['read', 'write'],
  admin: ['read', 'write', 'manage'],
  operator: ['read', 'write', 'manage', 'operate', 'mutate'],
};

export function hasRight(role: Role, right: Right): boolean {
  return RIGHTS[role].includes(right);
}
