import { expect } from 'chai';
import type { VolumeView } from '../../../console/surfaces/monitor/logs/volume.js';
import { browserModule } from '../support/browser-module.js';

const load = <Module>(name: string) => browserModule<Module>(`surfaces/monitor/page/${name}`);

interface Alert {
  readonly title: string;
  readonly kind: string;
  readonly node: string | null;
  readonly severity: string;
  readonly state: 'firing' | 'pending';
}

interface Group {
  readonly title: string;
  readonly state: string;
  readonly alerts: readonly Alert[];
}

interface AlertOrder {
  readonly groupsOf: (alerts: readonly Alert[], by: 'kind' | 'node') => readonly Group[];
  readonly groupsToShow: (
    groups: readonly Group[],
    all: boolean,
  ) => { readonly shown: readonly Group[]; readonly rest: number };
}

interface StripModule {
  readonly spansOf: (
    times: readonly number[],
    values: readonly (number | null)[],
    stepS: number,
  ) => readonly { readonly from: number; readonly to: number; readonly text: string }[];
  readonly shortNames: (names: readonly string[]) => string[];
  readonly countUp: (
    columns: readonly unknown[],
    latest: number,
  ) => Readonly<Record<string, number>>;
}

interface SeriesModule {
  readonly nameOf: (series: { labels: Readonly<Record<string, string>> }, title: string) => string;
}

interface LineModule {
  readonly requestOf: (
    line: string,
    fields: Readonly<Record<string, unknown>> | null,
  ) => Readonly<Record<string, string>> | null;
}

type Volume = Extract<VolumeView, { readonly state: 'ok' }>;

interface VolumeModule {
  readonly volumeOfLines: (
    marks: readonly { readonly unixS: number; readonly level: string }[],
    from: number,
    to: number,
    completeFrom: number | null,
    isCut?: boolean,
  ) => Volume;
  readonly volumeChart: (volume: Volume) => {
    describe(): string;
    shapes(width: number): readonly { readonly title?: string; readonly text?: string }[];
    table(): { readonly rows: readonly (readonly unknown[])[] };
  };
}

describe("the Monitor's page", () => {
  const alert = (kind: string, node: string | null, state: Alert['state'] = 'firing'): Alert => ({
    title: `${kind} (d1)`,
    kind,
    node,
    severity: 'warning',
    state,
  });

  it('shows alerts of one kind, or of one node, as one', async () => {
    const { groupsOf } = await load<AlertOrder>('alert-order');
    const alerts = [alert('full', 'n1'), alert('slow', null, 'pending'), alert('full', 'n2'), alert('down', 'n1')]; // prettier-ignore
    const told = (by: 'kind' | 'node') =>
      groupsOf(alerts, by).map(({ title, alerts: members }) => `${title} ${members.length}`);
    expect(told('kind')).to.deep.equal(['full 2', 'down (d1) 1', 'slow (d1) 1']);
    expect(told('node')).to.deep.equal(['n1 2', 'full (d1) 1', 'slow (d1) 1']);
  });

  it('shows five groups that fire, and all of them when asked', async () => {
    const { groupsOf, groupsToShow } = await load<AlertOrder>('alert-order');
    const kinds = ['a', 'b', 'c', 'd', 'e', 'f'];
    const alerts = [alert('p', 'n1', 'pending'), ...kinds.flatMap((kind) => [alert(kind, 'n1'), alert(kind, 'n2')])]; // prettier-ignore
    const groups = groupsOf(alerts, 'kind');
    const few = groupsToShow(groups, false);
    expect(few.shown.map(({ title }) => title)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    expect(few.rest).to.equal(3);
    const all = groupsToShow(groups, true);
    expect(all.shown.map(({ title }) => title)).to.deep.equal([...kinds, 'p (d1)']);
    expect(all.rest).to.equal(0);
  });

  it('draws what is up and down as strips, and nothing where nothing is known', async () => {
    const { spansOf, countUp, shortNames } = await load<StripModule>('state-strip');
    const spans = spansOf([10, 20, 30, 40, 50], [1, 1, 0, null, 0.5], 10);
    expect(spans.map(({ from, to, text }) => [from, to, text])).to.deep.equal([
      [0, 20, 'up'],
      [20, 30, 'down'],
      [40, 50, 'partly up'],
    ]);
    expect(shortNames(['a · l 1', 'a · l 2'])).to.deep.equal(['l 1', 'l 2']);
    expect(shortNames(['a · l 1', 'b · l 1'])).to.deep.equal(['a · l 1', 'b · l 1']);
    expect(shortNames(['a · l 1'])).to.deep.equal(['a · l 1']);
    expect(countUp([[10, 20], [1, 1], [1, 0], [1, null]], 1)).to.deep.equal({ up: 1, known: 2, all: 3 }); // prettier-ignore
  });

  it('reads the request of a line, whoever wrote it', async () => {
    const { requestOf } = await load<LineModule>('log-line');
    const access = { method: 'PUT', status: 200, bucket: 'b', key: 'a/k', total_ms: 12.345 };
    expect(requestOf('', access)).to.deep.equal({ method: 'PUT', path: '/b/a/k', status: '200', ms: '12 ms' }); // prettier-ignore
    const proxy =
      'proxy-server: 10.0.0.9 10.0.0.9 23/Nov/2026/20/54/05 GET /v1/AUTH_a/c/o HTTP/1.0 404 - curl/8 - - 70 - tx0123456789abcdef01234-006703abcd - 0.0021 - - 1.1 1.2 0';
    expect(requestOf(proxy, null)).to.deep.equal({ method: 'GET', path: '/v1/AUTH_a/c/o', status: '404', ms: '2.1 ms' }); // prettier-ignore
    const object =
      'object-server: 10.0.0.1 - - [23/Nov/2026:20:54:05 +0000] "GET /sdb1/12/AUTH_a/c/o" 200 5 "-" "tx1" "proxy-server 12" 0.0012 "-" 99 0';
    expect(requestOf(object, null)).to.deep.equal({ method: 'GET', path: '/sdb1/12/AUTH_a/c/o', status: '200', ms: '1.2 ms' }); // prettier-ignore
    expect(requestOf('{}', { msg: 'listener up' })).to.equal(null);
    expect(requestOf('a line of text', null)).to.equal(null);
  });

  it('counts the lines that are shown, by time and level', async () => {
    const { volumeOfLines } = await load<VolumeModule>('log-volume');
    const marks = [{ unixS: 1005, level: 'info' }, { unixS: 1010, level: 'info' }, { unixS: 1599.5, level: 'odd' }]; // prettier-ignore
    const { step_s: step, series } = volumeOfLines(marks, 1000, 1600, null);
    expect(step).to.equal(10);
    expect(series).to.deep.equal([
      { level: 'info', points: [[1010, 2]] },
      { level: 'other', points: [[1600, 1]] },
    ]);
  });

  it('draws no zero for a time whose lines are not kept', async () => {
    const { volumeChart, volumeOfLines } = await load<VolumeModule>('log-volume');
    const marks = [
      { unixS: 1305, level: 'info' },
      { unixS: 1599, level: 'info' },
    ];
    const volume = volumeOfLines(marks, 1000, 1600, 1301);
    expect(volume.complete_from_unix_s).to.equal(1301);
    const chart = volumeChart(volume);
    const counts = chart.table().rows.map(([, count]) => count);
    expect(counts.slice(0, 30)).to.deep.equal(Array.from({ length: 30 }, () => null));
    expect(counts.slice(30)).to.deep.equal([1, ...Array.from({ length: 28 }, () => 0), 1]);
    const why = 'Lines before ';
    expect(chart.shapes(1200).filter(({ title = '' }) => title.startsWith(why))).to.have.length(1);
    expect(chart.shapes(1200).filter(({ text = '' }) => text.startsWith(why))).to.have.length(1);
    expect(chart.describe()).to.match(/^2 lines from .* Lines before .* are not retained\.$/);
    const cut = volumeChart(volumeOfLines(marks, 1000, 1600, 1301, true));
    expect(cut.table().rows.map(([, count]) => count)).to.deep.equal(counts);
    expect(cut.describe()).to.match(/^2 lines from .* Some lines before .* may be missing\.$/);
    expect(cut.describe()).not.to.include('retained');
    const whole = volumeChart(volumeOfLines(marks, 1000, 1600, null));
    expect(whole.table().rows.every(([, count]) => typeof count === 'number')).to.equal(true);
    expect(whole.describe()).not.to.include('retained');
  });

  it('calls quantiles what people call them', async () => {
    const { nameOf } = await load<SeriesModule>('series');
    const names = ['0.5', '0.95', '0.99', '0.999'].map((quantile) =>
      nameOf({ labels: { quantile } }, 'Latency'),
    );
    expect(names).to.deep.equal(['p50', 'p95', 'p99', 'p99.9']);
    expect(nameOf({ labels: {} }, 'Latency')).to.equal('Latency');
    expect(nameOf({ labels: { node: 'n1', quantile: '0.99' } }, '')).to.equal('n1 · p99');
  });
});
