import { expect } from 'chai';
import type { PlannedRings } from '../../src/deploy/plan/plan.js';
import {
  applied,
  exampleSpec,
  HOUR_S,
  NOTHING,
  NOW_S,
  plan,
  weighing,
  withEach,
} from './support.js';

const spec = exampleSpec();

function first(): PlannedRings {
  return plan(spec, NOTHING);
}

describe('deploy: min_part_hours of plans', () => {
  const movedBy = ({ changes }: PlannedRings) =>
    changes.find(({ ring }) => ring === 'object')?.parts_moved ?? 0;

  it('leaves partitions alone that moved less than min_part_hours ago', () => {
    const weigh = (weight: number) =>
      withEach(spec, (node, at) => (at === 0 ? weighing(node, weight) : node));
    const rings = spec.rings.map((ring) => ({ ...ring, min_part_hours: 24 }));
    const longer = { ...weigh(150), rings };
    const moved = plan(longer, applied(spec, first()), { nowS: NOW_S + 30 * HOUR_S });
    const state = applied(longer, moved);
    const back = { ...weigh(100), rings };
    const soon = plan(back, state, { nowS: NOW_S + 31 * HOUR_S });
    const late = plan(back, state, { nowS: NOW_S + 60 * HOUR_S });
    expect(movedBy(soon)).to.be.below(movedBy(late));
  });

  it('counts from the last minute of an hour: all of min_part_hours passes before another move', () => {
    const light = withEach(spec, (node, at) => (at === 0 ? weighing(node, 50) : node));
    const movedAt = NOW_S - (NOW_S % HOUR_S) + 30 * HOUR_S - 60;
    const moved = plan(light, applied(spec, first()), { nowS: movedAt });
    const state = applied(light, moved);
    const before = state.builders.get('object');
    const [blast] = moved.blastRadius.filter(({ ring }) => ring === 'object');
    /** How many of the partitions that moved would move again. */
    const again = (nowS: number) => {
      const after = applied(spec, plan(spec, state, { nowS })).builders.get('object');
      return [...(before?.hoursSinceMove ?? [])].filter(
        (hours, part) =>
          hours === 0 &&
          before?.rows.some((row, replica) => row[part] !== after?.rows[replica]?.[part]),
      ).length;
    };
    expect(blast?.movable_again_unix_s).to.equal(movedAt + 60 + HOUR_S);
    expect(again(movedAt + 60)).to.equal(0);
    expect(again(movedAt + HOUR_S)).to.equal(0);
    expect(again(movedAt + 60 + HOUR_S)).to.be.above(0);
  });
});
