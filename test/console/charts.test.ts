import { expect } from 'chai';
import { browserModule } from './support/browser-module.js';

/** The tested part of `Chart` in console/ui/charts/shapes.ts. */
interface Chart {
  height(width: number): number;
  shapes(width: number): readonly Shape[];
  table(): { readonly head: readonly string[]; readonly rows: readonly (readonly unknown[])[] };
  describe(): string;
  at(x: number, y: number, width: number): string;
}

interface Shape {
  readonly kind: string;
  readonly x?: number;
  readonly width?: number;
  readonly text?: string;
  readonly tone?: unknown;
  readonly hatched?: boolean;
  readonly filled?: boolean;
  readonly d?: string;
  readonly values?: readonly (readonly (number | null)[])[];
  readonly grid?: { readonly columns: number; readonly rows: number; readonly levels: Uint8Array };
}

const WIDTH = 600;

const load = <Module>(name: string) => browserModule<Module>(`ui/charts/${name}`);

async function chart(file: string, name: string, data: object): Promise<Chart> {
  const charts = await load<Record<string, (data: object) => Chart>>(file);
  return charts[name]!(data);
}

const rects = (made: Chart) => made.shapes(WIDTH).filter(({ kind }) => kind === 'rect');
const texts = (made: Chart) => made.shapes(WIDTH).flatMap(({ text }) => text ?? []);

describe('charts of the console', () => {
  it('draws bars as long as their values, and unknown ones as none', async () => {
    const items = [
      { name: 'a', value: 10 },
      { name: 'b', value: 5 },
      { name: 'c', value: null },
    ];
    const bars = await chart('bars', 'barChart', { items });
    const widths = rects(bars).filter(({ tone }) => tone === 0);
    expect(widths.map(({ width = 0 }) => width / widths[0]!.width!)).to.deep.equal([1, 0.5]);
    expect(rects(bars).filter(({ hatched }) => hatched)).to.have.length(1);
    expect(texts(bars)).to.include('unknown');
    expect(bars.table().rows).to.deep.equal([
      ['a', 10],
      ['b', 5],
      ['c', null],
    ]);
    expect(bars.describe()).to.equal('3 entries, from 5 (b) to 10 (a). No data for 1 of them.');
  });

  it('draws lines from 0 on, with gaps where nothing is known', async () => {
    const axis = (title: string) => ({ title, format: String });
    const points = [4, null, 8].map((y, x) => ({ x, y }));
    const given = { x: axis('Time'), y: axis('Debt') };
    const lines = await chart('lines', 'lineChart', { ...given, series: [{ name: 'a', points }] });
    expect(texts(lines)).to.include('0');
    expect(lines.shapes(WIDTH).filter(({ kind }) => kind === 'dot')).to.have.length(2);
    expect(lines.describe()).to.equal('Debt by Time, 2 values. Latest: a: 8.');
    expect(lines.table().rows).to.deep.equal([
      ['a', '0', 4],
      ['a', '1', null],
      ['a', '2', 8],
    ]);
    const none = await chart('lines', 'lineChart', { ...given, series: [] });
    expect(none.shapes(WIDTH)).to.deep.equal([]);
    expect(none.describe()).to.equal('No data for Debt yet.');
  });

  it('stacks areas, with a gap in all where one is not known', async () => {
    const axis = (title: string) => ({ title, format: String });
    const series = [
      { name: 'a', points: [1, 1, null, 1].map((y, x) => ({ x, y })) },
      { name: 'b', points: [2, 3, 3, 3].map((y, x) => ({ x, y })) },
    ];
    const given = { x: axis('Time'), y: axis('Work'), series };
    const made = await chart('lines', 'stackedChart', given);
    const areas = made.shapes(WIDTH).filter(({ filled }) => filled);
    expect(areas.map(({ tone }) => tone)).to.deep.equal([0, 0, 1, 1]);
    // The upper area begins where the lower one ends.
    const corners = areas.map(({ d = '' }) =>
      [...d.matchAll(/[ML](\S+ [\d.]+)/g)].map(([, at]) => at),
    );
    expect(corners[2]!.slice(2)).to.deep.equal(corners[0]!.slice(0, 2).reverse());
    expect(made.describe()).to.equal('Work by Time, 7 values. Latest: a: 1; b: 3.');
    expect(made.table().rows).to.have.length(8);
    const none = await chart('lines', 'stackedChart', { ...given, series: [] });
    expect(none.shapes(WIDTH)).to.deep.equal([]);
  });

  it('draws a line between bars, and no two names of points over each other', async () => {
    const items = [1, 2, 3].map((value) => ({ name: `b${value}`, value }));
    const bars = await chart('bars', 'barChart', { items, line: 2 });
    const lines = bars.shapes(WIDTH).flatMap((shape) => (shape.kind === 'path' ? shape.d : []));
    expect(lines).to.deep.equal([`M0 56H${WIDTH}`]);
    const axis = (title: string) => ({ title, format: (value: number) => value.toFixed(1) });
    const at = (name: string, x: number, y: number) => ({ name, x, y, marked: true });
    const points = [at('now', 0, 99.91), at('0', 0, 99.91), at('9', 8, 99.93)];
    const scatter = await chart('scatter', 'scatterChart', { points, x: axis('x'), y: axis('y') });
    expect(texts(scatter)).to.include.members(['now; 0', '9']);
    // Ticks that the format would make alike are shown as they are.
    const ticks = texts(scatter).filter((text) => text.startsWith('99.9'));
    expect(new Set(ticks).size).to.equal(ticks.length);
    const axes = [{ name: 'first' }, { name: 'a long name of an axis' }];
    const all = await chart('parallel', 'parallelCoordinates', { axes, lines: [] });
    const last = all.shapes(WIDTH).find(({ text }) => text === axes[1]!.name);
    expect((last?.x ?? 0) + (7 * axes[1]!.name.length) / 2).to.be.at.most(WIDTH);
  });

  it('adds parts up to the whole', async () => {
    const items = [
      { name: 'a', value: 3 },
      { name: 'b', value: -1 },
      { name: 'c', value: null },
    ];
    const made = await chart('waterfall', 'waterfall', { total: 'all', items });
    expect(made.table().rows.at(-1)).to.deep.equal(['all', 2, 2]);
    expect(made.describe()).to.include('all: 2').and.to.include('not included: c');
    const long = await chart('waterfall', 'waterfall', { total: 'all', items, format: (value: number) => `${value} hours and minutes` }); // prettier-ignore
    const named = (one: typeof made) => texts(one).filter((text) => /^0\b|^1\b/.test(text)).length;
    expect(named(long)).to.be.lessThan(named(made));
  });

  it('colours the cells of a heat map from the least to the most, and leaves holes', async () => {
    const data = {
      rows: ['r', 's'],
      columns: ['1', '2'],
      values: [
        [2, 4],
        [null, 3],
      ],
    };
    const made = await chart('heat-map', 'heatMap', data);
    const [cells] = made.shapes(WIDTH).filter(({ kind }) => kind === 'cells');
    expect(cells?.grid).to.deep.include({ columns: 2, rows: 2 });
    expect([...(cells?.grid?.levels ?? [])]).to.deep.equal([1, 255, 0, 128]);
    expect(made.table().rows).to.deep.equal([
      ['r', 2, 4],
      ['s', null, 3],
    ]);
  });

  it('keeps lanes within their time', async () => {
    const lanes = [{ name: 'a', spans: [{ from: -50, to: null, text: 'on', tone: 'good' }] }];
    const data = { lanes, from: 0, to: 100, format: String };
    const made = await chart('swim-lanes', 'swimLanes', data);
    const [span] = rects(made).filter(({ tone }) => tone === 'good');
    expect((span?.x ?? 0) + (span?.width ?? 0)).to.be.at.most(WIDTH);
    expect(span?.x).to.be.at.least(0);
    expect(made.table().rows).to.deep.equal([['a', 'on', '-50', 'still']]);
  });

  it('names the zone of a gauge, and says what is unknown', async () => {
    const zones = [
      { from: 0, tone: 'good', text: 'well' },
      { from: 5, tone: 'crit', text: 'critical' },
    ];
    const data = { name: 'Debt', max: 10, zones };
    const high = await chart('gauge', 'gauge', { ...data, value: 7 });
    expect(high.describe()).to.equal('Debt is 7 of 10: critical.');
    const none = await chart('gauge', 'gauge', { ...data, value: null });
    expect(none.describe()).to.equal('Debt: no data.');
    expect(texts(none)).to.include('unknown');
  });

  it('gives the boxes of a tree their share, and one that is not measured a little', async () => {
    const children = [
      { name: 'a', value: 3 },
      { name: 'b', value: 1 },
      { name: 'c', value: null },
    ];
    const made = await chart('tree', 'treeChart', { root: { name: 'all', value: 4, children } });
    const [whole, a, b, c] = rects(made).map(({ width = 0 }) => width + 2);
    expect(whole).to.equal(WIDTH);
    expect(a! / b!).to.be.closeTo(3, 0.01);
    expect(c).to.be.greaterThan(10);
    expect(a! + b! + c!).to.be.closeTo(WIDTH, 1);
    expect(made.table().rows.map(([path]) => path)).to.deep.equal([
      ...['all', 'all › a', 'all › b', 'all › c'],
    ]);
    const idle = children.map((one) => ({ ...one, value: one.value === null ? null : 0 }));
    const flat = await chart('tree', 'treeChart', { root: { name: 'all', value: 0, children: idle } }); // prettier-ignore
    expect(texts(flat)).to.include.members(['all', 'a', 'b', 'c']);
  });

  it('draws the marked points and the picked lines above the others', async () => {
    const axis = { title: 'x', format: String };
    const points = [
      { name: 'a', x: 1, y: 2, marked: true },
      { name: 'b', x: 2, y: 1 },
    ];
    const scatter = await chart('scatter', 'scatterChart', { points, x: axis, y: axis });
    expect(texts(scatter)).to.include('a').and.not.to.include('b');
    expect(scatter.describe()).to.include('Marked: a at 1 and 2');
    const lines = [
      { name: 'a', values: [1, null, 3], picked: true },
      { name: 'b', values: [2, 2, 2] },
    ];
    const axes = [{ name: 'p' }, { name: 'q' }, { name: 'r' }];
    const parallel = await chart('parallel', 'parallelCoordinates', { axes, lines });
    expect(parallel.shapes(WIDTH).at(-1)).to.include({ tone: 1, title: 'a' });
  });

  it('finds round steps for any range', async () => {
    const { ticksOf } = await load<{
      ticksOf: (low: number, high: number) => { ticks: number[]; low: number; high: number };
    }>('shapes');
    for (const [low, high] of [
      [0, 1],
      [3, 3],
      [-5, 17],
      [0, 1e9],
      [0.001, 0.002],
      [0, 0],
    ] as const) {
      const found = ticksOf(low, high);
      expect(found.low, `${low} ${high}`).to.be.at.most(low);
      expect(found.high, `${low} ${high}`).to.be.at.least(high);
      expect(found.ticks.length).to.be.within(2, 12);
    }
  });

  it('names times that a clock shows round', async () => {
    const { timeTicksOf } = await load<{
      timeTicksOf: (from: number, to: number, count: number) => readonly number[];
    }>('shapes');
    const noon = new Date(2026, 0, 2, 12).getTime() / 1000;
    const clock = (unixS: number) => new Date(unixS * 1000).toTimeString().slice(0, 8);
    const ticks = (from: number, spanS: number) => timeTicksOf(from, from + spanS, 4).map(clock);
    expect(ticks(noon + 140, 3600)).to.deep.equal(['12:15:00', '12:30:00', '12:45:00', '13:00:00']); // prettier-ignore
    expect(ticks(noon - 0.5, 60)).to.deep.equal(['12:00:00', '12:00:15', '12:00:30', '12:00:45']);
    expect(new Set(ticks(noon, 7 * 86_400))).to.deep.equal(new Set(['00:00:00']));
  });

  it('writes CSV that no spreadsheet runs', async () => {
    const { csvText } = await load<{ csvText: (table: object) => string }>('csv');
    const rows = [
      ['=1+1', -3],
      ['a "b", c', null],
    ];
    expect(csvText({ head: ['Name', 'Value'], rows })).to.equal(
      'Name,Value\r\n\'=1+1,-3\r\n"a ""b"", c",\r\n',
    );
  });

  it('draws what there is before and after a change, and leaves out what there is not', async () => {
    const items = [
      { name: 'd1', before: -4, after: 1 },
      { name: 'd2', before: null, after: 20 },
    ];
    const made = await chart('before-after', 'beforeAfterChart', { items });
    const dots = made.shapes(WIDTH).filter(({ kind }) => kind === 'dot');
    expect(dots).to.have.length(3);
    const [before, after] = dots;
    expect(before!.x).to.be.lessThan(after!.x!);
    expect(made.table().rows).to.deep.equal([
      ['d1', -4, 1],
      ['d2', null, 20],
    ]);
    expect(made.describe()).to.include('d2, before none, after 20');
  });

  it('says its figures as JSON, with unknown ones as null', async () => {
    const bars = await chart('bars', 'barChart', {
      columns: ['Policy', 'Nines'],
      items: [
        { name: 'gold', value: 9.75 },
        { name: 'new', value: null },
      ],
    });
    const { jsonText } = await load<{ jsonText: (table: object) => string }>('export');
    expect(JSON.parse(jsonText(bars.table()))).to.deep.equal([
      { Policy: 'gold', Nines: 9.75 },
      { Policy: 'new', Nines: null },
    ]);
  });

  it('draws shares as rings around a middle, and says what is under the pointer', async () => {
    const leaf = (name: string, value: number, far = 0) => ({ name, value, far });
    const root = {
      ...leaf('all', 4),
      children: [
        { ...leaf('left', 2), children: [leaf('a', 1, -1), leaf('b', 1)] },
        leaf('right', 2),
      ],
    };
    const made = await chart('sunburst', 'sunburst', { root, low: 'less', high: 'more' });
    const size = 560;
    const middle = WIDTH / 2;
    const [step, quarter] = [size / 2 / 3, Math.PI / 4];
    const under = (level: number, turn: number) =>
      made.at(
        middle + (level + 0.5) * step * Math.sin(turn),
        size / 2 - (level + 0.5) * step * Math.cos(turn),
        WIDTH,
      );
    expect(under(0, 0)).to.equal('all, 4');
    expect(under(1, quarter)).to.equal('left: left, 2');
    expect([under(2, quarter), under(2, 3 * quarter)]).to.deep.equal([
      'left › a: a, 1',
      'left › b: b, 1',
    ]);
    expect(under(1, 6 * quarter)).to.equal('right: right, 2');
    expect(under(2, 6 * quarter)).to.equal('');
    expect(made.table().rows.map(([name]) => name)).to.deep.equal([
      'left',
      'left › a',
      'left › b',
      'right',
    ]);
    expect(made.describe()).to.include('3 parts').and.include('a, 1');
    expect(made.shapes(WIDTH).filter(({ kind }) => kind === 'canvas')).to.have.length(2);
  });

  it('says which cell of a heat map is under the pointer', async () => {
    const made = await chart('heat-map', 'heatMap', {
      ...{ rows: ['0', '8'], columns: ['d0', 'd1'], titles: ['Row', 'Device', 'replicas'] },
      values: [
        [1, 2],
        [3, null],
      ],
    });
    expect(made.at(WIDTH - 2, 2, WIDTH)).to.equal('Row 0, Device d1: 2 replicas');
    expect(made.at(WIDTH - 2, 40, WIDTH)).to.equal('Row 8, Device d1: unknown replicas');
    expect(made.at(WIDTH - 2, 1000, WIDTH)).to.equal('');
  });
});
