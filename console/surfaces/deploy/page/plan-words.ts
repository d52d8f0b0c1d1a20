import { bytesText, el, shownText } from '../../../ui/dom.js';
import { badge, figures, numberText } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import { movesText } from './moves-text.js';
import { reason } from './views.js';
import type { Plan } from './control.js';

/** The nodes that a plan touches. */
export function nodesOf({ actions, unsettled = [] }: Plan) {
  return [...new Set([...actions.flatMap(({ node }) => node ?? []), ...unsettled])];
}

/** The figures of a plan. */
export function summary(plan: Plan) {
  const { ring_changes: rings, actions } = plan;
  const moved = rings.reduce((sum, { parts_moved: one }) => sum + one, 0);
  const bytes = rings.reduce((sum: number | null, { bytes_est: one, parts_moved: parts }) => {
    if (parts === 0) return sum;
    return sum === null || one === null ? null : sum + one;
  }, 0);
  const files = actions.filter(
    ({ kind }) => kind === 'conf.render' || kind === 'file.delete',
  ).length;
  const nodes = nodesOf(plan).length;
  const high = actions.filter(({ risk }) => risk === 'high').length;
  return figures([
    { label: 'Replicas to move', value: numberText(moved) },
    {
      label: 'Data to copy',
      value: bytes === null ? 'unknown' : bytesText(bytes),
      hint: bytes === null ? 'stored_bytes is not set for all rings' : 'estimated',
    },
    { label: 'Rings', value: String(rings.length) },
    {
      label: 'Files',
      value: numberText(files),
      hint: nodes === 1 ? 'on 1 node' : `on ${nodes} nodes`,
    },
    { label: 'High-risk actions', value: String(high) },
    { label: 'Follow-up plans', value: plan.complete ? 'none' : 'needed' },
  ]);
}

const PARTIAL =
  'This plan covers only part of the change. Plan again after replication completes, or use a ramp to apply all of it.';

/** The risks of a plan, in words. */
export function words({
  warnings,
  blast_radius: blasts,
  complete,
  unreachable = [],
  unsettled = [],
}: Plan) {
  const lines = blasts.map(({ ring, ...blast }) => {
    const below = blast.partitions_below_write_quorum;
    const { text, againS } = movesText(ring, blast, Date.now() / 1000);
    return el(
      'li',
      {},
      badge(below === 0 ? 'moves' : 'at risk', below === 0 ? 'info' : 'crit'),
      el('span', {}, text, ...(againS === null ? [] : [timeElement(1000 * againS), '.'])),
    );
  });
  const all = [
    ...unreachable.map(({ node, why }) =>
      reason(
        'no response',
        'crit',
        `Could not check ${shownText(node)}: ${shownText(why)}. Applying the plan will stop at this node.`,
      ),
    ),
    ...unsettled.map((node) =>
      reason(
        'leftover files',
        'warn',
        `${shownText(node)} has files from a run that did not succeed. Applying the plan replaces them.`,
      ),
    ),
    ...warnings.map((text) => reason('warning', 'warn', text)),
    ...lines,
    ...(complete ? [] : [reason('partial', 'info', PARTIAL)]),
  ];
  return all.length === 0 ? [] : [el('ul', { className: 'deploy-reasons' }, ...all)];
}
