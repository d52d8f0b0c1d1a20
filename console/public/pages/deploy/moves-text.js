import { numberText } from '../../js/parts.js';

/** @typedef {import('./control.js').Plan} Plan */

/**
 * How partitions of a ring move, in words.
 *
 * @param {string} ring
 * @param {Omit<Plan['blast_radius'][number], 'ring'>} blast
 * @param {number} nowS
 * @returns {{ text: string, againS: number | null }} the time that stands behind the text; null for none
 */
export function movesText(ring, blast, nowS) {
  const below = blast.partitions_below_write_quorum;
  const isOne = blast.partitions_moving === 1;
  const who = isOne ? 'it is' : below === 1 ? '1 of them is' : `${numberText(below)} of them are`;
  const quorum =
    below === 0
      ? `${isOne ? 'it is not' : 'none of them is'} below the write quorum meanwhile`
      : `${who} below the write quorum until replicators have copied ${below === 1 ? 'it' : 'them'}`;
  const share = numberText(blast.partitions_moving_pct);
  const what = isOne
    ? `1 partition (${share} %) moves`
    : `${numberText(blast.partitions_moving)} partitions (${share} %) move`;
  const again = `${isOne ? 'It' : 'They'} can move again `;
  const text = `${ring}: ${what}, at most ${blast.replicas_of_a_partition_max} of ${isOne ? 'its' : 'their'} replicas; ${quorum}. ${again}`;
  const atS = blast.movable_again_unix_s;
  // The time is counted from when the plan was made, and begins with the apply: of a plan that has
  // lain for longer, it has not begun.
  return atS > nowS
    ? { text, againS: atS }
    : { text: `${text}once min_part_hours are over, counted from the apply.`, againS: null };
}
