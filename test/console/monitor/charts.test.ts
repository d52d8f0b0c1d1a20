import { expect } from 'chai';
import { chartOf } from '../../../console/surfaces/monitor/charts.js';
import { panelOf } from '../../../console/surfaces/monitor/panels/panels.js';
import { Watch } from '../../../console/surfaces/monitor/watch.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { addressesOf } from './support.js';

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
/** As the page offers them, and stretches that somebody may draw. */
const RANGES_S = [900, HOUR_S, 6 * HOUR_S, DAY_S, 7 * DAY_S, 30 * DAY_S, 100, 5000, 3 * DAY_S];
/** On no multiple of anything. */
const START_S = 20_833 * DAY_S + 7.3;

describe('charts of the built-in collector', () => {
  const folder = useTempFolder('charts');
  let nowS: number;

  beforeEach(() => {
    nowS = START_S;
  });

  function newWatch(): Watch {
    return new Watch({
      samplers: [],
      assignments: new Map(),
      rules: [],
      stateDir: folder(),
      now: () => nowS * 1000,
      logger: createLogger({ level: 'error', process: 'test' }),
    });
  }

  /** Measures are some milliseconds late, each time others. */
  function measure(watch: Watch, forS: number, intervalS: number): void {
    const endS = nowS + forS;
    for (let tick = 0; nowS < endS; tick++, nowS += intervalS) {
      const lateMs = (tick * 37) % 90;
      watch.history.add(nowS * 1000 + lateMs, { panel: 'requests', labels: {}, value: tick % 7 });
    }
  }

  /** @returns the chart's points, and how many of them are joined to the one before */
  async function draw(watch: Watch, rangeS: number, intervalS: number, toS = nowS) {
    const panel = panelOf('requests');
    if (panel === undefined) throw new Error('there is no such panel');
    const chart = await chartOf(
      panel,
      { source: 'gateway' },
      { fromS: toS - rangeS, toS },
      {
        watch,
        prometheus: undefined,
        addresses: addressesOf(),
        intervalS,
        now: () => nowS * 1000,
      },
    );
    const points = chart.series[0]?.points ?? [];
    const segments = points.filter(
      ([, value], index) => value !== null && (points[index - 1]?.[1] ?? null) !== null,
    ).length;
    return { stepS: chart.step_s, points, segments, missing: chart.missing };
  }

  for (const intervalS of [1, 10, 15, 30, 60]) {
    it(`draw a line at every range, measured each ${intervalS} s`, async () => {
      const watch = newWatch();
      const ages = [10 * MINUTE_S, 3 * HOUR_S, 2 * DAY_S, 16 * DAY_S];
      let ageS = 0;
      for (const wanted of intervalS === 1 ? ages.slice(0, 3) : ages) {
        measure(watch, wanted - ageS, intervalS);
        ageS = wanted;
        for (const rangeS of RANGES_S) {
          const { stepS, segments } = await draw(watch, rangeS, intervalS);
          const shownS = Math.min(rangeS, ageS, 14 * DAY_S);
          // The first and the last step may be begun only.
          const least = Math.floor(shownS / stepS) - 2;
          expect(segments, `${rangeS} s after ${ageS} s`).to.be.at.least(least);
        }
      }
    });
  }

  it('say nothing of a beginning that is known', async () => {
    const watch = newWatch();
    measure(watch, 3 * DAY_S, 10);
    for (const rangeS of [900, HOUR_S, 6 * HOUR_S, DAY_S]) {
      const { missing } = await draw(watch, rangeS, 10);
      expect(
        missing.filter((text) => text.startsWith('before')),
        String(rangeS),
      ).to.deep.equal([]);
    }
  });

  it('draw an hour of last week', async () => {
    const watch = newWatch();
    measure(watch, 10 * DAY_S, 30);
    const { segments, stepS } = await draw(watch, HOUR_S, 30, nowS - 7 * DAY_S);
    expect(stepS).to.equal(600);
    expect(segments).to.be.at.least(4);
  });

  it('have a gap where the console was down, and lines on both sides of it', async () => {
    const watch = newWatch();
    measure(watch, DAY_S, 10);
    await watch.save();
    nowS += 20 * MINUTE_S;
    const again = newWatch();
    await again.restore();
    measure(again, 20 * MINUTE_S, 10);
    for (const rangeS of [HOUR_S, 6 * HOUR_S, DAY_S]) {
      const { points, segments, stepS } = await draw(again, rangeS, 10);
      const gaps = points.filter(([, value]) => value === null).length;
      expect(gaps * stepS, `${rangeS} s`).to.be.within(
        20 * MINUTE_S - 2 * stepS,
        20 * MINUTE_S + 2 * stepS,
      );
      expect(segments).to.be.at.least(points.length - gaps - 3);
    }
  });
});
