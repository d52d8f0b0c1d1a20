import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { UsageError } from '../../bench/options/options.js';
import { lineChartSvg } from '../../bench/output/report/line-chart.js';
import { placesIn, sizesUpTo } from '../../bench/scale/growth.js';
import { parseScaleOptions } from '../../bench/scale/options.js';
import { ownProcessors, splitFor } from '../../bench/scale/processors.js';
import { SCALE_RESULTS, type ScaleResults } from '../../bench/scale/results.js';
import { sizeFor } from '../../bench/scale/sizing.js';
import { factorOf, sectionsOf } from '../../bench/scale/tables.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';
import { sampleResults, sampleRow, sampleSlice } from './samples.js';

const MAIN = fileURLToPath(new URL('../../bench/main.js', import.meta.url));

function point(size: number, cpu: number) {
  const cpuMicrosPerOp = [cpu * 0.9, cpu, cpu * 1.1];
  return { size, operations: 1000, errors: 0, problems: [], cpuMicrosPerOp, p50Ms: 1, p99Ms: 2 };
}

const CURVE = { operation: 'list', title: 'a page', points: [point(1000, 500), point(1e6, 750)] };

function storageRow(target: string, opsPerS: number, cpuMicrosPerOpByGroup: object) {
  const cpu = cpuMicrosPerOpByGroup as Record<string, number>;
  const cpuMicrosPerOp = Object.values(cpu).reduce((sum, each) => sum + each, 0);
  const slices = [sampleSlice({ opsPerS, cpuMicrosPerOp, cpuMicrosPerOpByGroup: cpu })];
  return sampleRow({ row: 'get-1k', target, slices });
}

function sampleScale(): ScaleResults {
  const { startedAt, seconds, machine } = sampleResults([]);
  const slices = (cpuMicrosPerOp: number, opsPerS: number) => [
    sampleSlice({ cpuMicrosPerOp, opsPerS }),
  ];
  return {
    schema: 'ringway-bench-scale/1',
    ...{ startedAt, seconds, machine },
    settings: { slices: 3, sliceSeconds: 1 },
    listeners: [
      {
        ...{ listeners: 1, serverProcessors: [0], loadProcessors: [1] },
        rows: [sampleRow({ row: 'get-1k', slices: slices(50, 10_000) })],
      },
      {
        ...{ listeners: 2, serverProcessors: [0, 1], loadProcessors: [0, 1] },
        rows: [sampleRow({ row: 'get-1k', slices: slices(60, 15_000) })],
      },
    ],
    growth: [{ study: 'keys', title: 'A bucket grows', unit: 'keys', curves: [CURVE] }],
    held: [
      {
        ...{ kind: 'idle', title: 'kept', connections: 100, kernelBytes: 0 },
        anonymousBytesBefore: 1_000_000,
        anonymousBytesAfter: 1_000_000 + 100 * 2048,
      },
    ],
    storage: [
      {
        workers: 2,
        rows: [
          storageRow('ringway', 1500, { ringway: 200, proxy: 0, storage: 800 }),
          storageRow('swift', 500, { proxy: 2000, storage: 1000 }),
        ],
      },
    ],
  };
}

describe('bench: scale', () => {
  it('measures everything unless told otherwise, and names each mistake', () => {
    const all = parseScaleOptions([], 4);
    expect(all).to.deep.include({ listeners: [1, 4], keys: 1_000_000, connections: 5000 });
    const studies = ['listeners', 'keys', 'versions', 'parts', 'connections'];
    expect(all).to.deep.include({ studies });
    const named = parseScaleOptions(['--only', 'storage-workers', '--storage-workers', '1,8'], 4);
    expect(named).to.deep.include({ studies: ['storage-workers'], storageWorkers: [1, 8] });
    expect(parseScaleOptions(['--quick', '--only', 'keys,parts'], 1)).to.deep.include({
      ...{ studies: ['keys', 'parts'], listeners: [1], keys: 100_000 },
    });
    let problems: readonly string[] = [];
    try {
      parseScaleOptions(['--only', 'keys,part', '--parts', '5', '--listeners', '1,x'], 2);
    } catch (error) {
      problems = (error as UsageError).problems;
    }
    expect(problems).to.have.length(3);
    expect(problems.join('\n')).to.contain('got part,').and.to.contain('--parts: got 5');
  });

  it('gives the load processors of its own while there are any', () => {
    expect(ownProcessors('Name:\tnode\nCpus_allowed_list:\t0-2,5\n')).to.deep.equal([0, 1, 2, 5]);
    expect(splitFor(1, [0, 1])).to.deep.equal({ server: [0], load: [1] });
    expect(splitFor(2, [0, 1])).to.deep.equal({ server: [0, 1], load: [0, 1] });
    expect(splitFor(3, [4, 5, 6, 7])).to.deep.equal({ server: [4, 5, 6], load: [7] });
  });

  it('goes up by powers of ten, and looks everywhere', () => {
    expect(sizesUpTo(10, 2500)).to.deep.equal([10, 100, 1000, 2500]);
    expect(sizesUpTo(10, 10)).to.deep.equal([10]);
    const places = placesIn(1000, 100);
    expect(new Set(places.map((place) => Math.floor(place / 100)))).to.have.property('size', 10);
    expect(Math.max(...places)).to.be.lessThan(1000);
  });

  it('counts hosts by what needs more, and one to spare', () => {
    const host = { processors: 10, networkGbitPerS: 10, utilisation: 0.5 };
    const small = { operation: 'get', perSecond: 100_000, cpuMicrosPerOp: 100, bytes: 0 };
    expect(sizeFor([small], host)).to.deep.include({
      busyProcessors: 10,
      hostsForCpu: 2,
      hosts: 3,
    });
    const large = { operation: 'get', perSecond: 1000, cpuMicrosPerOp: 10, bytes: 2_500_000 };
    expect(sizeFor([large], host)).to.deep.include({ gbitPerS: 20, hostsForNetwork: 4, hosts: 5 });
    expect(sizeFor([], host)).to.deep.include({ hosts: 2 });
  });

  it('shows growth, gain, memory and hosts', () => {
    expect(factorOf(CURVE)).to.equal(1.5);
    const text = sectionsOf(sampleScale())
      .map(({ title, lines }) => `${title}\n${lines.join('\n')}`)
      .join('\n');
    expect(text).to.match(/^list +500 µs +750 µs +1\.50$/m);
    expect(text).to.match(/^get-1k +2 +1\.50 +1\.20$/m);
    expect(text).to.match(/^idle +100 +2\.00 /m);
    expect(text).to.match(
      /^get-1k +2 +ringway +1500 +3\.00 .* 1\.00 ms +200 µs \(0\.300\) +0 µs \(0\) +800 µs \(1\.20\)$/m,
    );
    expect(text).to.match(/^get-1k +2 +swift +500 .* 3\.00 ms +- +2\.00 ms \(1\.00\) /m);
    expect(text).to.match(/in all 2\.40 processors and .* 1 hosts for CPU/);
  });

  it('draws lines that stand alone as files', () => {
    const svg = lineChartSvg(
      {
        ...{ title: 'a < b', note: '', xLabel: 'keys', format: String },
        lines: [{ label: 'x & y', points: [{ x: 1, y: 2, from: 1, to: 3 }] }],
      },
      'svg {}',
    );
    expect(svg).to.match(
      /^<svg xmlns=.*aria-label="a &lt; b".*<style>svg {}.*x &amp; y.*<\/svg>$/s,
    );
    expect(svg).not.to.contain('NaN');
  });

  it('measures growth from its command line', async function () {
    this.timeout(240_000);
    const folder = await makeTempFolder('bench-scale');
    const json = join(folder, 'scale.json');
    const child = spawn(
      process.execPath,
      [
        ...[MAIN, 'scale', '--only', 'keys,parts', '--keys', '1500', '--parts', '12'],
        ...['--listeners', '1', '--slices', '1', '--seconds', '0.1'],
        ...['--json', json, '--report', join(folder, 'scale.html'), '--charts', folder],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number | null];
    try {
      expect(code, output).to.equal(0);
      const results = SCALE_RESULTS.parse(JSON.parse(await readFile(json, 'utf8')));
      const points = results.growth.flatMap(({ curves }) =>
        curves.flatMap((curve) => curve.points.map(({ size }) => `${curve.operation} ${size}`)),
      );
      expect(points).to.include.members(['list-1000 1500', 'list-parts 12', 'put-part 10']);
      expect(await readdir(folder)).to.include.members(['keys.svg', 'parts.svg', 'scale.html']);
    } finally {
      await removeFolder(folder);
    }
  });
});
