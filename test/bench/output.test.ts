import { expect } from 'chai';
import { baseTable, groupTable, peerTable } from '../../bench/output/comparisons.js';
import { micros, millis, significant } from '../../bench/output/format.js';
import { progressOn } from '../../bench/output/progress.js';
import { RESULTS } from '../../bench/output/results.js';
import { legend, RowsTable } from '../../bench/output/rows-table.js';
import { summarise } from '../../bench/output/summary.js';
import { renderReport } from '../../bench/output/report/page.js';
import { logScale } from '../../bench/output/report/scale.js';
import { sampleResults, sampleRow, sampleSlice } from './samples.js';

const NGINX = sampleRow({
  target: 'nginx',
  slices: [sampleSlice({ cpuMicrosPerOp: 25 }), sampleSlice({ cpuMicrosPerOp: 13 })],
});

describe('bench: output', () => {
  it('shows three digits of everything', () => {
    expect([1234.5, 123.45, 12.345, 1.2345, 0.12345, 0].map(significant)).to.deep.equal([
      ...['1235', '123', '12.3', '1.23', '0.123', '0'],
    ]);
    expect([micros(31.25), micros(1500)]).to.deep.equal(['31.3 µs', '1.50 ms']);
    expect([millis(12.34), millis(2500)]).to.deep.equal(['12.3', '2.50 s']);
  });

  it('puts medians into a line, in MB/s what one operation moves', () => {
    const table = new RowsTable(['ringway']);
    const line = table.line(sampleRow());
    expect(table.header.split(/\s{2,}/).slice(0, 4)).to.deep.equal(['row', 'c', 'ops/s', 'MB/s']);
    expect(line.split(/\s{2,}/)).to.deep.equal([
      ...[
        'put-1k',
        '64',
        '10500',
        '10.8',
        '1.00',
        '2.00',
        '4.00',
        '51.0 µs',
        '50',
        '70',
        '100',
        '33%',
        '0',
      ],
    ]);
  });

  it('says why a row was not measured, and shows no figure that was not measured', () => {
    const table = new RowsTable(['ringway', 'nginx']);
    const skipped = sampleRow({ target: 'nginx', slices: [], skipped: 'has no list' });
    expect(table.line(skipped)).to.match(/^put-1k +64 {2}nginx +- has no list$/);
    const { cpuMicrosPerOp, pssBytes, ...unknown } = sampleSlice({
      ...{ cpuMicrosPerOpByGroup: {}, rssBytes: 0, anonymousBytes: 0 },
    });
    expect([cpuMicrosPerOp, pssBytes]).to.not.include(undefined);
    expect(table.line(sampleRow({ slices: [unknown] }))).to.match(/ {2}- +- +- +- +- +0$/);
  });

  /** The causes that make a line doubtful, each alone. */
  const DOUBTFUL = {
    'cpu-spread': [sampleSlice({ cpuMicrosPerOp: 40 }), sampleSlice({ cpuMicrosPerOp: 60 })],
    'rate-spread': [sampleSlice({ opsPerS: 6000 }), sampleSlice({ opsPerS: 10_000 })],
    generator: [sampleSlice({ generatorUtilisation: 0.95 })],
    others: [sampleSlice({ othersShare: 0.2 })],
    few: [sampleSlice({ operations: 99 })],
  };

  for (const [doubt, slices] of Object.entries(DOUBTFUL)) {
    it(`doubts: ${doubt}`, () => {
      const row = sampleRow({ slices });
      expect(summarise(row).doubts).to.deep.equal([doubt]);
      expect(legend([row])).to.have.length(1);
    });
  }

  it('trusts quiet slices', () => {
    expect(summarise(sampleRow()).doubts).to.deep.equal([]);
    expect(legend([sampleRow()])).to.deep.equal([]);
  });

  it('divides by each peer slice by slice, and says from where to where', () => {
    const results = sampleResults([sampleRow(), NGINX], ['ringway', 'nginx']);
    const [, , line] = peerTable(results);
    expect(line).to.match(/put-1k c=64 +nginx +1\.05 \(1\.00-1\.10\) +3\.00 \(2\.00-4\.00\)/);
    expect(peerTable(sampleResults([sampleRow()]))).to.deep.equal([]);
  });

  it('shows the CPU of each group where a target has several', () => {
    const slices = [sampleSlice({ cpuMicrosPerOpByGroup: { proxy: 4000, storage: 9000 } })];
    const lines = groupTable(sampleResults([sampleRow({ slices })]));
    expect(lines.at(-1)).to.contain('proxy 4.00 ms').and.to.contain('storage 9.00 ms');
    expect(groupTable(sampleResults([sampleRow()]))).to.deep.equal([]);
  });

  it('compares with a run before', () => {
    const now = sampleResults([sampleRow({ slices: [sampleSlice({ cpuMicrosPerOp: 25.5 })] })]);
    const lines = baseTable(now, sampleResults([sampleRow()]));
    expect(lines.at(-1)).to.contain('51.0 µs → 25.5 µs').and.to.contain('0.500');
    expect(baseTable(now, sampleResults([NGINX]))[0]).to.match(/^nothing/);
  });

  it('prints lines alone where there is no terminal, and a bar below them where there is one', () => {
    for (const isTTY of [false, true]) {
      let written = '';
      const terminal = { isTTY, columns: 60, write: (text: string) => (written += text) };
      const progress = progressOn(terminal, new RowsTable(['ringway']));
      progress.phase('writing');
      progress.at(0.5);
      progress.row(sampleRow());
      progress.row(sampleRow());
      progress.end();
      expect(written.match(/put-1k/g)).to.have.length(2);
      expect(written.match(/ops\/s/g)).to.have.length(1);
      expect(written.includes('█')).to.equal(isTTY);
      expect(written.includes('\u001b')).to.equal(isTTY);
    }
  });

  it('places powers of ten evenly', () => {
    const { at, ticks } = logScale([10, 100, 1000]);
    expect(at(100) - at(10)).to.be.closeTo(at(1000) - at(100), 1e-9);
    expect(ticks).to.include.members([10, 100, 1000]);
    expect(logScale([]).ticks).to.deep.equal([]);
  });

  it('renders a page that needs nothing else, and shows text as text', () => {
    const problems = ['<script>alert("&")</script>'];
    const profile = [{ name: 'f<T>', share: 0.5, ms: 10 }];
    const rows = [sampleRow({ errors: 1, problems, profile }), NGINX];
    const page = renderReport(sampleResults(rows, ['ringway', 'nginx']), sampleResults(rows));
    expect(page.match(/<svg viewBox="0 0 960/g)).to.have.length(3);
    expect(page).to.contain('&lt;script&gt;alert').and.to.contain('f&lt;T&gt;');
    expect(page).not.to.match(/<script|<link|src=|@import|https?:/);
    expect(page).to.contain('prefers-color-scheme: dark');
    expect(page).not.to.contain('NaN');
  });

  it('reads back what it writes, and no other document', () => {
    const results = sampleResults([sampleRow()]);
    expect(RESULTS.parse(JSON.parse(JSON.stringify(results)))).to.deep.equal(results);
    expect(RESULTS.safeParse({ ...results, schema: 'other/1' }).success).to.equal(false);
  });
});
