import { canonicalJson } from '../../lib/canonical-json.js';
import { etagOf, sha256 } from '../spec/canonical.js';
import { repairActions } from './actions.js';
import { appliedEtag, ID_LENGTH, type Applied, type PlanJson } from './make-plan.js';

/** Files of nodes that are not what they should be: by node. */
export type Drifted = readonly {
  readonly node: string;
  readonly files: readonly { readonly path: string; readonly should_be: string }[];
}[];

/**
 * A plan that installs again what is in force, where nodes have something else. It is the same for the
 * same state and the same drift.
 *
 * @param unknown - nodes that could not be asked
 */
export function makeRepairPlan(
  applied: Applied,
  drifted: Drifted,
  unknown: readonly string[],
): PlanJson {
  const actions = repairActions(drifted, applied.files);
  const content = { base_etag: appliedEtag(applied), repair: drifted };
  const hash = sha256(canonicalJson(content));
  return {
    id: hash.slice(0, ID_LENGTH),
    sha256: hash,
    base_etag: content.base_etag,
    spec_etag: etagOf(applied.spec),
    seed: 0,
    allow_large: false,
    actions,
    ring_changes: [],
    blast_radius: [],
    // The files on a node are not read: secrets may be in them.
    diffs: [],
    warnings: unknown.map((node) => `${node} could not be asked: it is left as it is.`),
    empty: actions.length === 0,
    complete: true,
  };
}
