import { numberText } from '../../../ui/parts.js';
import type { Plan } from './control.js';

/**
 * How partitions of a ring move, in words.
 *
 * @returns the time that stands behind the text; null for none
 */
export function movesText(
  ring: string,
  blast: Omit<Plan['blast_radius'][number], 'ring'>,
  nowS: number,
): { text: string; againS: number | null } {
  const below = blast.partitions_below_write_quorum;
  const most = blast.replicas_of_a_partition_max;
  const share = numberText(blast.partitions_moving_pct);
  const [moves, quorum, again] =
    blast.partitions_moving === 1
      ? [
          `1 partition (${share}%) moves, up to ${most} of its replicas.`,
          below === 0
            ? 'It keeps its write quorum.'
            : 'It is below write quorum until replicators have copied it.',
          'It can move again ',
        ]
      : [
          `${numberText(blast.partitions_moving)} partitions (${share}%) move, up to ${most} replicas each.`,
          manyText(below),
          'They can move again ',
        ];
  const text = `${ring}: ${moves} ${quorum} ${again}`;
  const atS = blast.movable_again_unix_s;
  // The time is counted from when the plan was made, and begins with the apply: of a plan that has
  // lain for longer, it has not begun.
  return atS > nowS
    ? { text, againS: atS }
    : { text: `${text}once min_part_hours have passed, counted from the apply.`, againS: null };
}

/** @param below how many partitions are below the write quorum */
function manyText(below: number) {
  if (below === 0) return 'No partition drops below write quorum.';
  return below === 1
    ? '1 of them is below write quorum until replicators have copied it.'
    : `${numberText(below)} of them are below write quorum until replicators have copied them.`;
}
