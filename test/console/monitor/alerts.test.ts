import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { findings } from '../../../console/surfaces/monitor/alerts/conditions.js';
import {
  evaluate,
  shownAlerts,
  type ActiveAlert,
} from '../../../console/surfaces/monitor/alerts/evaluator.js';
import type { Condition, Rule, View } from '../../../console/surfaces/monitor/alerts/rule.js';
import { RULES } from '../../../console/surfaces/monitor/alerts/rules.js';
import {
  median,
  secondsUntil,
  slope,
  trendPoints,
} from '../../../console/surfaces/monitor/alerts/trend.js';
import { PANELS, panelOf } from '../../../console/surfaces/monitor/panels/panels.js';
import { TILES } from '../../../console/surfaces/monitor/tiles.js';

const MINUTE = 60;

interface Line {
  readonly labels?: Readonly<Record<string, string>>;
  /** A value each minute, the last of which is now. */
  readonly values: readonly number[];
}

function viewOf(panels: Readonly<Record<string, readonly Line[]>>): View {
  return {
    series: (panel) =>
      panels[panel]?.map(({ labels = {}, values }) => ({
        labels,
        value: values.at(-1) ?? NaN,
        points: (overS) => {
          const shown = values.slice(-Math.floor(overS / MINUTE) - 1);
          return shown.map((value, index) => [index * MINUTE, value] as const);
        },
      })),
  };
}

function ruleOf(condition: Condition, others: Partial<Rule> = {}): Rule {
  return { name: 'R', title: 't', severity: 'warning', forS: 0, why: 'w', tab: 'nodes', condition, ...others }; // prettier-ignore
}

function holds(condition: object, values: readonly number[], more: Record<string, Line[]> = {}) {
  const rule = ruleOf({ panel: 'p', ...condition } as Condition);
  return (findings(rule, viewOf({ p: [{ values }], ...more })) ?? []).length === 1;
}

const ramp = (count: number, by: number) => Array.from({ length: count }, (_, index) => index * by);

describe('conditions of alerts', () => {
  it('are above and below a limit, not at it', () => {
    expect(holds({ kind: 'above', limit: 1 }, [1])).to.equal(false);
    expect(holds({ kind: 'above', limit: 1 }, [1.01])).to.equal(true);
    expect(holds({ kind: 'below', limit: 1 }, [1])).to.equal(false);
    expect(holds({ kind: 'below', limit: 1 }, [0])).to.equal(true);
  });

  it('see what grew within a time', () => {
    const grew = { kind: 'grew', overS: 10 * MINUTE, by: 0 };
    expect(holds(grew, [3, 3, 4])).to.equal(true);
    expect(holds(grew, [4, 4, 4])).to.equal(false);
    expect(holds(grew, [3, ...Array<number>(12).fill(4)])).to.equal(false);
  });

  it('see what rises all the time, not what begins to', () => {
    const rises = { kind: 'rises', overS: 30 * MINUTE, by: 10 };
    expect(holds(rises, ramp(31, 1))).to.equal(true);
    expect(holds(rises, ramp(31, 0.1))).to.equal(false);
    expect(holds(rises, ramp(10, 100))).to.equal(false);
    expect(holds(rises, ramp(31, -1))).to.equal(false);
  });

  it('see what was above a limit for a while', () => {
    const was = { kind: 'was_above', overS: 15 * MINUTE, limit: 0 };
    expect(holds(was, [0, 0, 2, ...Array<number>(10).fill(0)])).to.equal(true);
    expect(holds(was, [0, 0, 2, ...Array<number>(20).fill(0)])).to.equal(false);
  });

  it('speak of a trend when most of its time is known', () => {
    const full = { kind: 'full', overS: 360 * MINUTE, withinS: 7 * 86_400 };
    const usage = (count: number) => ramp(count, 0.0001).map((value) => 0.5 + value);
    // Minutes after a start, hours after it, and six hours after it.
    expect(holds(full, usage(6))).to.equal(false);
    expect(holds(full, usage(200))).to.equal(false);
    expect(holds(full, usage(300))).to.equal(true);
    expect(holds(full, usage(361))).to.equal(true);
  });

  it('speak of no trend around a long gap', () => {
    const around = [...ramp(10, 1), ...ramp(10, 1).map((minute) => 350 + minute)];
    const points = around.map((minute) => [minute * MINUTE, minute] as const);
    expect(trendPoints(points, 360 * MINUTE)).to.deep.equal([]);
    const hourly = ramp(7, 3600).map((time) => [time, time] as const);
    expect(trendPoints(hourly, 360 * MINUTE)).to.equal(hourly);
  });

  it('see when a disk will be full', () => {
    const full = { kind: 'full', overS: 60 * MINUTE, withinS: 3600 };
    const usage = (by: number) => ramp(61, by).map((value) => 0.5 + value);
    expect(holds(full, usage(0.001))).to.equal(false);
    expect(holds(full, usage(0.005))).to.equal(true);
    expect(holds(full, usage(0))).to.equal(false);
  });

  it('compare with what is usual, once that is known', () => {
    const slow = { kind: 'over_median', overS: 6000, factor: 2, pointsMin: 20, floor: 0.05 };
    const usual = Array<number>(30).fill(0.1);
    expect(holds(slow, [...usual, 0.21])).to.equal(true);
    expect(holds(slow, [...usual, 0.19])).to.equal(false);
    expect(holds(slow, [0.1, 0.1, 5])).to.equal(false);
    expect(holds(slow, [...usual.map(() => 0.001), 0.04])).to.equal(false);
  });

  it('compare with another panel', () => {
    const over = { kind: 'over', other: 'q', factor: 4, floor: 10 };
    expect(holds(over, [100], { q: [{ values: [20] }] })).to.equal(true);
    expect(holds(over, [70], { q: [{ values: [20] }] })).to.equal(false);
    expect(holds(over, [39], { q: [{ values: [1] }] })).to.equal(false);
    expect(holds(over, [100], { q: [{ values: [20], labels: { node: 'x' } }] })).to.equal(false);
    expect(holds(over, [100])).to.equal(false);
  });

  it('look only at the series that are meant, and only while it matters', () => {
    const rule = ruleOf(
      { kind: 'above', panel: 'p', limit: 1, where: { stat: 'p99' } },
      { onlyWhile: { panel: 'load', above: 0.1 } },
    );
    const p = [
      { labels: { stat: 'p99' }, values: [2] },
      { labels: { stat: 'max' }, values: [9] },
    ];
    const found = findings(rule, viewOf({ p, load: [{ values: [0.2] }] }));
    expect(found).to.deep.equal([{ labels: { stat: 'p99' }, value: 2 }]);
    expect(findings(rule, viewOf({ p, load: [{ values: [0] }] }))).to.deep.equal([]);
    expect(findings(rule, viewOf({ p }))).to.equal(undefined);
  });
});

describe('the evaluation of alerts', () => {
  const rule = ruleOf({ kind: 'below', panel: 'p', limit: 1 }, { forS: 60 });
  const at = (s: number, before: readonly ActiveAlert[], lines: readonly Line[] | undefined) =>
    evaluate([rule], viewOf(lines === undefined ? {} : { p: lines }), before, s * 1000);
  const down = [{ labels: { node: 'a' }, values: [0] }];
  const shown = (alerts: readonly ActiveAlert[]) =>
    alerts.map(({ id, state, sinceMs }) => [id, state, sinceMs / 1000]);

  it('lets a condition hold for its time, and forgets it when it is over', () => {
    const first = at(100, [], down);
    expect(shown(first)).to.deep.equal([['R/a', 'pending', 100]]);
    expect(shown(at(159, first, down))).to.deep.equal([['R/a', 'pending', 100]]);
    expect(shown(at(160, first, down))).to.deep.equal([['R/a', 'firing', 100]]);
    expect(at(170, first, [{ labels: { node: 'a' }, values: [1] }])).to.deep.equal([]);
  });

  it('begins anew after a break', () => {
    const over = at(130, at(100, [], down), []);
    expect(shown(at(170, over, down))).to.deep.equal([['R/a', 'pending', 170]]);
  });

  it('tells series apart', () => {
    const both = [...down, { labels: { node: 'b' }, values: [0] }];
    expect(shown(at(130, at(100, [], down), both))).to.deep.equal([
      ['R/a', 'pending', 100],
      ['R/b', 'pending', 130],
    ]);
  });

  it('keeps what it cannot tell: a source that is silent heals nothing', () => {
    const first = at(100, [], down);
    expect(at(500, first, undefined)).to.deep.equal(first);
    expect(at(500, [], undefined)).to.deep.equal([]);
  });

  it('is bounded, however many series are wrong', () => {
    const many = ramp(1000, 1).map((node) => ({ labels: { node: String(node) }, values: [0] }));
    expect(at(0, [], many)).to.have.length(50);
  });
});

describe('alerts with the same cause', () => {
  const HOURS = 7 * 60;
  /** Of a disk that fills up, read as it does. */
  const evaluated = (usage: (minute: number) => number, minutes: number) => {
    let alerts: ActiveAlert[] = [];
    for (let minute = HOURS; minute <= HOURS + minutes; minute++) {
      const values = ramp(minute + 1, 1).map(usage);
      const lines = [{ labels: { node: 'a', device: 'sda' }, values }];
      const known = viewOf({ disk_used: lines });
      const rules = RULES.filter(({ name }) => name.startsWith('Disk'));
      alerts = evaluate(rules, known, alerts, minute * MINUTE * 1000);
    }
    return shownAlerts(alerts).map(({ rule, state }) => [rule.name, state]);
  };

  it('are one for a disk: the one that says the most', () => {
    expect(evaluated(() => 0.9, 6)).to.deep.equal([['DiskNearlyFull', 'firing']]);
    expect(evaluated(() => 0.97, 6)).to.deep.equal([['DiskFull', 'firing']]);
    const filling = (minute: number) => 0.86 + minute * 2e-5;
    expect(evaluated(filling, 40)).to.deep.equal([['DiskFull7d', 'firing']]);
    expect(evaluated((minute) => 0.955 + minute * 1e-5, 40)).to.deep.equal([
      ['DiskFull', 'firing'],
    ]);
  });

  it('are each of their own disk', () => {
    const rules = RULES.filter(({ name }) => ['DiskFull', 'DiskNearlyFull'].includes(name));
    const view = viewOf({
      disk_used: [
        { labels: { node: 'a', device: 'sda' }, values: [0.97] },
        { labels: { node: 'a', device: 'sdb' }, values: [0.9] },
      ],
    });
    const first = evaluate(rules, view, [], 0);
    const shown = shownAlerts(evaluate(rules, view, first, 600_000));
    expect(shown.map(({ id }) => id).sort()).to.deep.equal([
      'DiskFull/a/sda',
      'DiskNearlyFull/a/sdb',
    ]);
  });

  it('are one for a replicator, however long it has not come through', () => {
    const rules = RULES.filter(({ name }) => name.startsWith('Replication'));
    const shown = (ageS: number) => {
      const labels = { node: 'a', server: 'object' };
      const view = viewOf({
        replication_age: [{ labels, values: [ageS] }],
        replication_pass: [{ labels, values: [60] }],
      });
      const first = evaluate(rules, view, [], 0);
      return shownAlerts(evaluate(rules, view, first, 600_000)).map(({ rule }) => rule.name);
    };
    expect(shown(3600)).to.deep.equal(['ReplicationSlow']);
    expect(shown(2 * 86_400)).to.deep.equal(['ReplicationAge']);
    expect(shown(5 * 86_400)).to.deep.equal(['ReplicationTooOld']);
  });

  it('are one where no listener is left', () => {
    const rules = RULES.filter(({ name }) => /Listener(?:Down)?$/.test(name));
    const lines = ['1', '2'].map((worker) => ({ labels: { worker }, values: [0] }));
    const all = viewOf({ listeners_up: lines, listeners_accepting: [{ values: [0] }] });
    const none = evaluate(rules, all, evaluate(rules, all, [], 0), 60_000);
    expect(shownAlerts(none).map(({ rule }) => rule.name)).to.deep.equal(['NoListener']);
    const one = viewOf({ listeners_up: lines.slice(1), listeners_accepting: [{ values: [1] }] });
    const some = evaluate(rules, one, evaluate(rules, one, [], 0), 60_000);
    expect(shownAlerts(some).map(({ id }) => id)).to.deep.equal(['ListenerDown/2']);
  });
});

describe('trends', () => {
  it('have the slope of a line, whatever it starts from', () => {
    const line = fc.record({ from: fc.integer(), by: fc.integer({ min: -1000, max: 1000 }) });
    fc.assert(
      fc.property(line, fc.integer({ min: 5, max: 100 }), ({ from, by }, count) => {
        const points = ramp(count, 1).map((time) => [time + 1.8e9, from + time * by] as const);
        expect(slope(points)).to.be.closeTo(by, 1e-3 + Math.abs(from) * 1e-12);
      }),
    );
  });

  it('are unknown of too little', () => {
    expect(slope(ramp(4, 1).map((time) => [time, time]))).to.equal(undefined);
    expect(slope(ramp(9, 0).map((time) => [time, 1]))).to.equal(undefined);
    expect(median([])).to.equal(undefined);
  });

  it('say when a limit is reached', () => {
    expect(secondsUntil(1, ramp(11, 0.05).map((value, time) => [time, value]))).to.be.closeTo(10, 1e-9); // prettier-ignore
    expect(
      secondsUntil(
        1,
        ramp(11, 0).map((value, time) => [time, value]),
      ),
    ).to.equal(undefined);
  });
});

describe('the tables of panels, tiles and rules', () => {
  const ids = new Set(PANELS.map(({ id }) => id));

  it('name each panel once, and no other', () => {
    expect(ids.size).to.equal(PANELS.length);
    for (const { condition, onlyWhile } of RULES) {
      expect(ids).to.include(condition.panel);
      if (onlyWhile !== undefined) expect(ids).to.include(onlyWhile.panel);
      if (condition.kind === 'over') expect(ids).to.include(condition.other);
    }
    for (const { panel } of TILES) expect(ids).to.include(panel);
  });

  it('name each rule once, and tiles that there are', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).to.equal(RULES.length);
    const tiles = new Set(TILES.map(({ id }) => id));
    for (const { tile } of RULES) if (tile !== undefined) expect(tiles).to.include(tile);
  });

  it('have a way to measure each panel from each source that it names', () => {
    for (const { id, sources, promql, derivation } of PANELS) {
      if (sources.includes('gateway')) expect(derivation, id).to.not.equal(undefined);
      if (sources[0] === 'prometheus') expect(promql, id).to.not.equal(undefined);
    }
  });

  it('know no metric of the gateway that docs/metrics.md does not', () => {
    const documented = new Set(readFileSync('docs/metrics.md', 'utf8').match(/ringway_\w+/g));
    const used = JSON.stringify(PANELS).match(/ringway_[a-z0-9_]+/g) ?? [];
    expect(used.length).to.be.greaterThan(50);
    for (const name of used) {
      const metric = name.replace(/_(?:bucket|sum|count)$/, '');
      if (metric === 'ringway_stage_') continue;
      expect(documented).to.include(metric);
    }
  });

  it('are documented: every alert of the console', () => {
    const documentation = readFileSync('docs/console.md', 'utf8');
    for (const { name } of RULES) expect(documentation).to.include(`\`${name}\``);
    expect(panelOf('nothing')).to.equal(undefined);
  });
});
