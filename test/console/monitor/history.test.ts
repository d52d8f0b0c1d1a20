import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  restoreHistory,
  saveHistory,
} from '../../../console/surfaces/monitor/history/history-file.js';
import { History } from '../../../console/surfaces/monitor/history/history.js';
import { rangeOf, stepOf, timesOf } from '../../../console/surfaces/monitor/step.js';
import { useTempFolder } from '../../support/temp-folder.js';

/** On a multiple of all steps. */
const START_S = 20_833 * 86_400;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

function filled(seconds: number, everyS: number, value: (s: number) => number): History {
  const history = new History();
  for (let s = 0; s < seconds; s += everyS) {
    history.add((START_S + s) * 1000, { panel: 'p', labels: {}, value: value(s) });
  }
  return history;
}

function points(history: History, fromS: number, toS: number, stepS: number, nowS = toS) {
  return history.range('p', { fromS, toS, stepS }, nowS * 1000)[0]?.points ?? [];
}

describe('history of measures', () => {
  it('keeps an hour at 10 s, and means of a minute for what is older', () => {
    const end = START_S + 3 * HOUR;
    const history = filled(3 * HOUR, 10, (s) => s);
    expect(points(history, end - 30, end - 10, 10)).to.deep.equal([
      [end - 30, 3 * HOUR - 30],
      [end - 20, 3 * HOUR - 20],
      [end - 10, 3 * HOUR - 10],
    ]);
    expect(points(history, START_S, START_S + MINUTE, MINUTE, end)).to.deep.equal([
      [START_S, 25],
      [START_S + MINUTE, 85],
    ]);
  });

  it('keeps two weeks at 10 minutes, and no more', () => {
    const history = filled(16 * DAY, 5 * MINUTE, () => 1);
    const end = START_S + 16 * DAY;
    const found = points(history, START_S, end, DAY).filter(([, value]) => value !== null);
    expect(found.length).to.be.within(14, 15);
    expect(found[0]?.[0]).to.be.at.least(START_S + 2 * DAY);
  });

  it('has the mean of what lies between two points, and null where nothing does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.integer({ min: -1000, max: 1000 })), { minLength: 1, maxLength: 60 }),
        fc.constantFrom(10, 30, 60),
        (values, stepS) => {
          const history = new History();
          history.add(START_S * 1000 - 1, { panel: 'p', labels: {}, value: 0 });
          values.forEach((value, index) => {
            if (value === null) return;
            history.add((START_S + index * 10) * 1000, { panel: 'p', labels: {}, value });
          });
          const perPoint = stepS / 10;
          const toS = START_S + (Math.ceil(values.length / perPoint) - 1) * stepS;
          for (const [time, mean] of points(history, START_S, toS, stepS, START_S + 600)) {
            const first = (time - START_S) / 10;
            const own = values.slice(first, first + perPoint).filter((one) => one !== null);
            if (own.length === 0) expect(mean).to.equal(null);
            else expect(mean).to.be.closeTo(own.reduce((a, b) => a + b, 0) / own.length, 1e-6);
          }
        },
      ),
    );
  });

  it('ignores a clock that goes back, and what is no number', () => {
    const history = filled(60, 10, () => 1);
    history.add((START_S - HOUR) * 1000, { panel: 'p', labels: {}, value: 99 });
    history.add((START_S + 60) * 1000, { panel: 'p', labels: {}, value: Infinity });
    expect(history.of('p')[0]?.lastValue).to.equal(1);
    expect(points(history, START_S - HOUR, START_S - HOUR + 60, 60, START_S)[0]?.[1]).to.equal(
      null,
    );
  });

  it('has room for so many series; those that are no longer measured go first', () => {
    const history = new History(2);
    const add = (s: number, node: string) => {
      history.add((START_S + s) * 1000, { panel: 'p', labels: { node }, value: 1 });
    };
    add(0, 'a');
    add(10, 'b');
    add(20, 'c');
    expect(history.of('p').map(({ labels }) => labels.node)).to.deep.equal(['a', 'b']);
    expect(history.dropped).to.equal(1);
    add(2 * HOUR, 'b');
    add(2 * HOUR, 'c');
    expect(history.of('p').map(({ labels }) => labels.node)).to.deep.equal(['b', 'c']);
  });

  describe('in its file', () => {
    const folder = useTempFolder('history');
    const nowMs = (START_S + DAY) * 1000;

    it('outlives a restart, point by point', async () => {
      const history = filled(2 * HOUR, 10, Math.sqrt);
      history.add((START_S + 2 * HOUR) * 1000, { panel: 'q', labels: { node: 'ü"' }, value: -1 });
      await saveHistory(history, folder());
      const again = new History();
      await restoreHistory(again, folder(), nowMs);
      expect([...again.all()]).to.have.length(2);
      const range = { fromS: START_S, toS: START_S + 2 * HOUR, stepS: 60 };
      for (const panel of ['p', 'q']) {
        expect(again.range(panel, range, nowMs)).to.deep.equal(history.range(panel, range, nowMs));
      }
    });

    it('is no trouble when there is none', async () => {
      const history = new History();
      await restoreHistory(history, folder(), nowMs);
      expect([...history.all()]).to.deep.equal([]);
    });

    it('is refused when it is cut, or something else; then nothing is taken over', async () => {
      await saveHistory(filled(60, 10, () => 1), folder()); // prettier-ignore
      const file = join(folder(), 'monitor-history.bin');
      const bytes = await readFile(file);
      for (const wrong of [
        bytes.subarray(0, bytes.length - 1),
        bytes.subarray(0, 20),
        Buffer.from('{}'),
        Buffer.alloc(0),
        Buffer.concat([bytes.subarray(0, 8), Buffer.from([0xff, 0xff, 0xff, 0xff])]),
      ]) {
        await writeFile(file, wrong);
        const history = new History();
        const failure = await restoreHistory(history, folder(), nowMs).catch(
          (error: unknown) => error,
        );
        expect(failure).to.be.instanceOf(Error);
        expect([...history.all()]).to.deep.equal([]);
      }
    });

    it('leaves out what lies ahead of the clock', async () => {
      await saveHistory(filled(60, 10, () => 1), folder()); // prettier-ignore
      const history = new History();
      await restoreHistory(history, folder(), (START_S - DAY) * 1000);
      expect([...history.all()]).to.deep.equal([]);
    });
  });
});

describe('steps of charts', () => {
  for (const [rangeS, step] of [
    [900, 15],
    [HOUR, 15],
    [6 * HOUR, 300],
    [DAY, 300],
    [7 * DAY, 3600],
    [30 * DAY, 3 * HOUR],
  ] as const) {
    it(`are ${step} s for ${rangeS / 60} minutes`, () => {
      expect(stepOf(rangeS)).to.equal(step);
    });
  }

  it('make no more than some 400 points, at multiples of themselves, around the whole range', () => {
    const ranges = fc.tuple(fc.nat(2 ** 31), fc.integer({ min: 1, max: 366 * DAY }));
    fc.assert(
      fc.property(ranges, ([fromS, lengthS]) => {
        const range = rangeOf(fromS, fromS + lengthS);
        const times = timesOf(range);
        expect(times.length).to.be.within(1, 401);
        expect(times.every((time) => time % range.stepS === 0)).to.equal(true);
        expect(times[0]).to.be.at.most(fromS);
        expect(times.at(-1)).to.be.within(fromS + lengthS - range.stepS + 1, fromS + lengthS);
      }),
    );
  });

  it('have room for two measures, and are multiples of what is kept', () => {
    expect(stepOf(900, { intervalS: 120, keptStepS: 10 })).to.equal(300);
    for (const keptStepS of [10, 60, 600]) {
      for (const intervalS of [1, 10, 15, 30, 60, 600, 3600]) {
        for (const rangeS of [60, 900, HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY, 366 * DAY]) {
          const step = stepOf(rangeS, { intervalS, keptStepS });
          expect(step % keptStepS, `${rangeS} of ${keptStepS}`).to.equal(0);
          expect(step).to.be.at.least(2 * intervalS);
        }
      }
    }
  });
});
