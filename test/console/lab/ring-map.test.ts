import { expect } from 'chai';
import {
  MAP_COLUMNS_MAX,
  MAP_ROWS_MAX,
  ringMap,
  type RingMap,
} from '../../../console/surfaces/lab/rings/ring-map.js';
import type { RingData } from '../../../src/ring/ring-data.js';
import { useOnce } from '../../support/fixture.js';
import { browserModule } from '../support/browser-module.js';
import { builtRing } from './support.js';

interface View {
  readonly part: number;
  readonly parts: number;
  readonly device: number;
  readonly devices: number;
}

interface Shape {
  readonly kind: string;
  readonly text?: string;
  readonly grid?: object;
  readonly part?: { readonly x: number; readonly y: number };
}

/** The tested part of the browser's module. */
interface MapChart {
  decodeMap(map: RingMap): RingMap & { readonly counts: ArrayLike<number>; readonly grid: object };
  mapChart(data: object): {
    shapes(width: number): readonly Shape[];
    at(x: number, y: number, width: number): string;
    describe(): string;
    table(): { readonly head: readonly string[]; readonly rows: readonly (readonly unknown[])[] };
  };
  clamped(view: View, whole: View): View;
  zoomed(view: View, factor: number, at: { readonly x: number; readonly y: number }): View;
  panned(view: View, x: number, y: number): View;
  viewText(view: View, whole: View): string;
  viewFromText(text: string, whole: View): View;
}

const PART_POWER = 18;
const DEVICES = 1000;

/** A ring of the size that the map has to bear; no builder made it. */
function largeRing(): RingData {
  const parts = 2 ** PART_POWER;
  const [like] = builtRing().devices;
  return {
    ...builtRing(),
    partPower: PART_POWER,
    devices: Array.from({ length: DEVICES }, (_, id) => ({ ...like!, id, device: `d${id}` })),
    rows: [0, 1, 2].map((replica) =>
      Uint16Array.from({ length: parts }, (_, part) => (part * 7 + replica * 331) % DEVICES),
    ),
  };
}

const ALL = { first_part: 0, parts: 2 ** 32, first_device: 0, devices: 2 ** 32 };

function countsOf(map: RingMap): readonly number[] {
  const { buffer } = Uint8Array.from(Buffer.from(map.cells, 'base64'));
  return [...new { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[map.cell_bytes](buffer)];
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

describe('the map of a ring', () => {
  const ring = largeRing();
  const chart = useOnce(() => browserModule<MapChart>('surfaces/lab/rings/page/map-chart'));

  it('has no more cells than a screen shows, and counts each replica once', () => {
    const map = ringMap(ring, ALL);
    expect(map).to.include({ rows: 256, parts_per_row: 1024, columns: 500, devices_per_column: 2 });
    expect(map.cells.length).to.be.below(256 * 1024);
    expect(sum(countsOf(map))).to.equal(3 * 2 ** PART_POWER);
    // A view within: its rows and columns begin at whole cells, and it counts what lies in it.
    const near = ringMap(ring, { first_part: 1001, parts: 700, first_device: 10, devices: 20 });
    expect(near).to.include({ first_part: 1000, parts_per_row: 4, first_device: 10, columns: 20 });
    let expected = 0;
    for (let part = 1000; part < 1000 + near.rows * 4; part++) {
      for (const row of ring.rows) {
        const id = row[part] ?? 0;
        if (id >= 10 && id < 30) expected++;
      }
    }
    expect(sum(countsOf(near))).to.equal(expected);
    for (let parts = 1; parts <= 2 ** PART_POWER; parts = parts * 3 + 1) {
      const { rows, columns } = ringMap(ring, { ...ALL, first_part: 77, parts });
      expect(rows).to.be.at.most(MAP_ROWS_MAX + 2);
      expect(columns).to.be.at.most(MAP_COLUMNS_MAX + 2);
    }
    // The map has no rows outside of the ring.
    expect(ringMap(ring, { ...ALL, first_part: 2 ** 30 }).rows).to.equal(1);
    const few = ringMap({ ...ring, devices: ring.devices.slice(0, 1) }, ALL);
    expect([few.columns, few.cell_bytes, few.most]).to.deep.equal([1, 1, few.least + 1]);
  });

  it('moves and zooms without looking at a cell, and draws few shapes', () => {
    const whole = { part: 0, parts: 2 ** PART_POWER, device: 0, devices: DEVICES };
    const map = chart().decodeMap(ringMap(ring, ALL));
    let looked = 0;
    const counts = new Proxy(map.counts, {
      get: (target, key) => {
        looked++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const nameOf = (place: number) => `10.0.0.${place % 250}/d${place}`;
    let view = whole;
    for (let step = 0; step < 40; step++) {
      view = chart().clamped(
        step % 2 === 0
          ? chart().zoomed(view, 1.4, { x: 0.3, y: 0.7 })
          : chart().panned(view, 0.2, 0.1),
        whole,
      );
      const shapes = chart()
        .mapChart({ map: { ...map, counts }, view, whole, nameOf })
        .shapes(900);
      expect(shapes.length).to.be.below(120);
      // The same grid: what was painted of it is copied.
      expect(shapes.find(({ kind }) => kind === 'cells')?.grid).to.equal(map.grid);
    }
    expect(looked).to.equal(0);
    expect(view.parts).to.be.at.least(16);
    expect(view.device + view.devices).to.be.at.most(DEVICES);
    const made = chart().mapChart({ map: { ...map, counts }, view: whole, whole, nameOf });
    expect(made.describe()).to.include('partitions 0 to 262,143 on 1,000 devices');
    expect(made.at(899, 479, 900)).to.match(
      /^Partitions 261,120 to 262,143, 10\.0\.0\.248\/d998 to 10\.0\.0\.249\/d999: \d+ replicas$/,
    );
    // One cell was asked for.
    expect(looked).to.equal(1);
    const { head, rows } = chart().mapChart({ map, view: whole, whole, nameOf }).table();
    expect([head.length, rows.length]).to.deep.equal([501, 256]);
  });

  it('has its view in the URL', () => {
    const whole = { part: 0, parts: 1024, device: 0, devices: 100 };
    expect(chart().viewText(whole, whole)).to.equal('');
    const view = { part: 100, parts: 64, device: 5, devices: 20 };
    expect(chart().viewText(view, whole)).to.equal('100-64-5-20');
    expect(chart().viewFromText('100-64-5-20', whole)).to.deep.equal(view);
    expect(chart().viewFromText('1000-64-99-20', whole)).to.deep.equal({
      ...{ part: 960, parts: 64, device: 80, devices: 20 },
    });
    for (const odd of ['', 'x', '1-2-3', '-1-2-3-4', '1e9-1-1-1'])
      expect(chart().viewFromText(odd, whole), odd).to.deep.equal(whole);
  });
});
