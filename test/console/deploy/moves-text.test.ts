import { expect } from 'chai';
import { browserModule } from '../support/browser-module.js';

/** The tested part of console/surfaces/deploy/page/moves-text.ts, which needs no page. */
interface Module {
  readonly movesText: (
    ring: string,
    blast: Readonly<Record<string, number>>,
    nowS: number,
  ) => { readonly text: string; readonly againS: number | null };
}

describe('the words of a plan', () => {
  it('say when partitions can move again, and no time that is over', async () => {
    const blast = {
      ...{ partitions_moving: 2, partitions_moving_pct: 12.5, replicas_of_a_partition_max: 1 },
      ...{ partitions_below_write_quorum: 0, movable_again_unix_s: 1000 },
    };
    const { movesText } = await browserModule<Module>('surfaces/deploy/page/moves-text');
    const later = movesText('object', blast, 999);
    expect(later.againS).to.equal(1000);
    expect(later.text).to.match(/No partition drops below write quorum\. They can move again $/);
    const over = movesText('object', blast, 1000);
    expect(over.againS).to.equal(null);
    expect(over.text).to.match(
      /They can move again once min_part_hours have passed, counted from the apply\.$/,
    );
  });
});
