import { unpackBuilder } from '../../ring/builder/builder-file.js';
import { unifiedDiff } from '../render/diff.js';
import { canonicalJson } from '../../lib/canonical-json.js';
import { etagOf, sha256 } from '../spec/canonical.js';
import type { SpecProblem } from '../spec/parse.js';
import type { Spec, SpecNode } from '../spec/schema.js';
import { actionsOf, type ActionJson } from './actions.js';
import {
  leavingNodes,
  renderAll,
  withDrainingRoles,
  type Blobs,
  type Manifest,
} from './manifest.js';
import { planRings, type BlastRadiusJson, type RingChangeJson } from './plan.js';

/** The applied state, by hashes. */
export interface Applied {
  /** Null before the first time. */
  readonly spec: Spec | null;
  /** Hashes of packed builders, by ring. */
  readonly builders: Readonly<Record<string, string>>;
  readonly files: Manifest;
  /** Nodes that an earlier specification had, and whose devices are still in a ring. */
  readonly leaving?: readonly SpecNode[];
}

export const NOTHING_APPLIED: Applied = { spec: null, builders: {}, files: {} };

export interface PlanRequest {
  readonly spec: Spec;
  readonly applied: Applied;
  readonly seed: number;
  readonly nowS: number;
  readonly allowLarge: boolean;
  /** The folder of all nodes' files, each node's in a folder with its name; empty for `/`. */
  readonly installRoot: string;
}

/** A node that has files. @throws Error where there is none of the name */
export function nodeOf({ spec, leaving = [] }: Applied, name: string): SpecNode {
  const node = [...(spec?.nodes ?? []), ...leaving].find((one) => one.name === name);
  if (node === undefined) throw new Error(`there is no node ${name}`);
  return node;
}

/** A plan as the control service answers it, but for the times at which it was made. */
export interface PlanJson {
  readonly id: string;
  readonly sha256: string;
  /** The entity tag of the state that it is for. */
  readonly base_etag: string;
  readonly spec_etag: string;
  readonly seed: number;
  readonly allow_large: boolean;
  readonly actions: readonly ActionJson[];
  readonly ring_changes: readonly RingChangeJson[];
  readonly blast_radius: readonly BlastRadiusJson[];
  readonly diffs: readonly DiffJson[];
  readonly warnings: readonly string[];
  readonly empty: boolean;
  /** Whether no further plan of this specification will change a ring. */
  readonly complete: boolean;
}

export interface DiffJson {
  readonly node: string;
  readonly path: string;
  /** Null where the diffs of the plan are too long. */
  readonly unified: string | null;
  readonly secret_redacted: true;
}

export type Made =
  | { readonly refused: readonly SpecProblem[] }
  | {
      readonly refused: null;
      readonly plan: PlanJson;
      /** The state that will be in force. */
      readonly next: Applied;
      /** Contents that were not there before, files and builders. */
      readonly blobs: Blobs;
    };

/** Characters of all diffs of a plan. */
const DIFFS_LENGTH_MAX = 2 * 1024 * 1024;
export const ID_LENGTH = 24;

/** The entity tag of what is in force. */
export function appliedEtag(applied: Applied): string {
  return etagOf(applied);
}

/**
 * Makes a plan. The result is the same for the same arguments, and for all times of an hour.
 *
 * @param readBlob - a content by its hash
 */
export function makePlan(request: PlanRequest, readBlob: (hash: string) => Buffer): Made {
  const { spec, applied, seed, nowS, allowLarge, installRoot } = request;
  const inForce = {
    spec: applied.spec ?? undefined,
    builders: new Map(
      Object.entries(applied.builders).map(([name, hash]) => [name, unpackBuilder(readBlob(hash))]),
    ),
  };
  const planned = planRings({ spec, inForce, seed, nowS, allowLarge });
  if (planned.refused.length > 0) return { refused: planned.refused };
  const after = new Map(planned.rings.map(({ name, builder }) => [name, unpackBuilder(builder)]));
  const former = [...(applied.spec?.nodes ?? []), ...(applied.leaving ?? [])];
  const leaving = leavingNodes(spec, former, [...after.values()]);
  const staying = withDrainingRoles(spec.nodes, after);
  const { manifest, blobs } = renderAll(spec, [...staying, ...leaving], planned.rings, (node) =>
    installRoot === '' ? '' : `${installRoot}/${node}`,
  );
  const builders: Record<string, string> = {};
  for (const { name, builder } of planned.rings) {
    builders[name] = sha256(builder);
    blobs.set(builders[name], builder);
  }
  const next: Applied = {
    spec,
    builders,
    files: manifest,
    ...(leaving.length === 0 ? {} : { leaving }),
  };
  const actions = actionsOf(planned, applied.files, manifest);
  const content = {
    base_etag: appliedEtag(applied),
    spec_etag: etagOf(spec),
    seed,
    allow_large: allowLarge,
    next: etagOf(next),
  };
  const hash = sha256(canonicalJson(content));
  return {
    refused: null,
    next,
    blobs,
    plan: {
      id: hash.slice(0, ID_LENGTH),
      sha256: hash,
      base_etag: content.base_etag,
      spec_etag: content.spec_etag,
      seed,
      allow_large: allowLarge,
      actions,
      ring_changes: planned.changes,
      blast_radius: planned.blastRadius,
      diffs: diffsOf(applied.files, manifest, (file) => blobs.get(file) ?? readBlob(file)),
      warnings: planned.warnings,
      empty: actions.length === 0 && etagOf(spec) === etagOf(applied.spec),
      complete: planned.isComplete,
    },
  };
}

function diffsOf(before: Manifest, after: Manifest, read: (hash: string) => Buffer): DiffJson[] {
  const diffs: DiffJson[] = [];
  let length = 0;
  for (const [node, files] of Object.entries(after)) {
    const old = before[node] ?? {};
    const paths = new Set([...Object.keys(old), ...Object.keys(files)]);
    for (const path of [...paths].sort()) {
      const from = old[path]?.sha256;
      const to = files[path]?.sha256;
      if (from === to || path.endsWith('.ring.gz')) continue;
      const text = (hash: string | undefined) =>
        hash === undefined ? undefined : read(hash).toString('utf8');
      const unified = length < DIFFS_LENGTH_MAX ? unifiedDiff(path, text(from), text(to)) : null;
      length += unified?.length ?? 0;
      diffs.push({ node, path, unified, secret_redacted: true });
    }
  }
  return diffs;
}
