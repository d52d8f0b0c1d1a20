import type { BuilderState } from '../../ring/builder/state.js';
import { renderNode, type RingFileOfPlan } from '../render/cluster.js';
import type { NodeFile, SecretMarks } from '../render/files.js';
import { sha256 } from '../spec/canonical.js';
import { roleOfRing, type StorageRole } from '../spec/queries.js';
import type { Spec, SpecNode } from '../spec/schema.js';

/** A file of a node, by the hash of its content without secrets. */
export interface ManifestFile {
  readonly sha256: string;
  readonly mode: number;
  readonly secrets: SecretMarks;
}

/** Every file of every node: by node, then by path. */
export type Manifest = Readonly<Record<string, Readonly<Record<string, ManifestFile>>>>;

/** Contents by their hash. */
export type Blobs = Map<string, Buffer>;

/**
 * Renders the files of nodes.
 *
 * @param nodes - those of the specification, and those that leave it
 * @param rootOf - what the files of a node lie below, as its programs see it
 */
export function renderAll(
  spec: Spec,
  nodes: readonly SpecNode[],
  rings: readonly RingFileOfPlan[],
  rootOf: (node: string) => string,
): { readonly manifest: Manifest; readonly blobs: Blobs } {
  const blobs: Blobs = new Map();
  const manifest: Record<string, Record<string, ManifestFile>> = {};
  const known = new HashOnce();
  for (const node of nodes) {
    const files: Record<string, ManifestFile> = {};
    for (const file of renderNode(spec, node, rings, rootOf(node.name))) {
      const hash = known.of(file);
      blobs.set(hash, file.content);
      files[file.path] = { sha256: hash, mode: file.mode, secrets: file.secrets };
    }
    manifest[node.name] = files;
  }
  return { manifest, blobs };
}

/** A ring file is on every node, and is hashed once. */
class HashOnce {
  readonly #hashes = new Map<string, { readonly content: Buffer; readonly hash: string }>();

  of({ path, content }: NodeFile): string {
    const known = this.#hashes.get(path);
    if (known?.content.equals(content) === true) return known.hash;
    const hash = sha256(content);
    this.#hashes.set(path, { content, hash });
    return hash;
  }
}

/**
 * Nodes that are no longer in the specification, and have devices in a ring: they need its files.
 *
 * @param former - the nodes before this plan, those included that were leaving then
 */
export function leavingNodes(
  spec: Spec,
  former: readonly SpecNode[],
  builders: readonly BuilderState[],
): SpecNode[] {
  const stay = new Set(spec.nodes.map(({ name }) => name));
  const inRings = new Set(
    builders.flatMap(({ devices }) => devices.map((device) => device?.meta ?? '')),
  );
  return former.filter(({ name }) => !stay.has(name) && inRings.has(name));
}

/**
 * Nodes of the specification with the roles that they lose and cannot do without yet: a server has to
 * run for as long as a device of the node has partitions of its rings.
 *
 * @param builders - by ring
 */
export function withDrainingRoles(
  nodes: readonly SpecNode[],
  builders: ReadonlyMap<string, BuilderState>,
): SpecNode[] {
  const needed = new Map<string, Set<StorageRole>>();
  for (const [ring, { devices }] of builders) {
    for (const device of devices) {
      if (device === null) continue;
      const roles = needed.get(device.meta) ?? new Set();
      needed.set(device.meta, roles.add(roleOfRing(ring)));
    }
  }
  return nodes.map((node) => {
    const more = [...(needed.get(node.name) ?? [])].filter((role) => !node.roles.includes(role));
    return more.length === 0 ? node : { ...node, roles: [...node.roles, ...more] };
  });
}
