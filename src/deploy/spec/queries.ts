import type { SpecDevice, SpecNode } from './schema.js';

/** Roles with devices. */
export const STORAGE_ROLES = ['account', 'container', 'object'] as const;

/** The kind of server that a ring is for. */
export type StorageRole = (typeof STORAGE_ROLES)[number];

/** The ring of a policy's objects. */
export function ringOfPolicy(index: number): string {
  return index === 0 ? 'object' : `object-${index}`;
}

/** The role whose servers a ring leads to: that of `object-1` is `object`. */
export function roleOfRing(ring: string): StorageRole {
  return ring === 'account' || ring === 'container' ? ring : 'object';
}

export interface NodeDevice {
  readonly node: SpecNode;
  readonly device: SpecDevice;
}

/** The devices that a ring is to have, in the order of the specification. */
export function devicesOfRing(nodes: readonly SpecNode[], ring: string): NodeDevice[] {
  const role = roleOfRing(ring);
  return nodes
    .filter(({ roles }) => roles.includes(role))
    .flatMap((node) =>
      node.devices
        .filter(({ rings }) => rings?.includes(ring) ?? true)
        .map((device) => ({ node, device })),
    );
}
