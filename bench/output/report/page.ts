import { baseTable, groupTable, lineName, peerTable } from '../comparisons.js';
import { mib, micros, millis, percent, significant } from '../format.js';
import type { Results, RowResult } from '../results.js';
import { legend } from '../rows-table.js';
import { DOUBTS, summarise } from '../summary.js';
import { shapeOf } from './chart.js';
import { chartsOf } from './charts.js';
import { escapeHtml } from './escape.js';
import { htmlPage, machineLine, textSection, timeLine } from './html-page.js';

export function renderReport(results: Results, base: Results | undefined): string {
  const sections = [
    ...chartsOf(results),
    rowsSection(results),
    textSection('Ratios', peerTable(results)),
    textSection('CPU by group of processes', groupTable(results)),
    base === undefined ? '' : textSection('Before and after', baseTable(results, base)),
    ...results.rows.map(profileSection),
  ];
  return htmlPage({
    title: `Ringway benchmark, ${results.startedAt.slice(0, 16)}`,
    heading: 'Ringway benchmark',
    facts: factsOf(results),
    content: [legendOf(results), ...sections.filter((section) => section !== '')].join('\n'),
  });
}

function factsOf(results: Results): string[] {
  const { machine, settings } = results;
  const { warmUpSecondsMin = 0 } = settings;
  const warmUp = warmUpSecondsMin > 0 ? ` after ${warmUpSecondsMin} s of warm-up` : '';
  return [
    machineLine(machine),
    `${settings.slices} slices of ${settings.sliceSeconds} s each${warmUp}, ${settings.listKeys} keys to list, load from ${settings.generators} process${settings.generators === 1 ? '' : 'es'} on the same machine`,
    timeLine(results),
  ];
}

function legendOf({ targets }: Results): string {
  const names = targets.map(
    ({ name, description }, i) =>
      `<li class="s${i % 6}"><svg viewBox="0 0 16 16" aria-hidden="true">${shapeOf(i, 8, 8)}</svg> ${escapeHtml(name)}: <span style="color:var(--soft)">${escapeHtml(description)}</span></li>`,
  );
  return `<ul class="legend">${names.join('')}</ul>`;
}

const HEADINGS = [
  ...['row', 'target', 'ops/s', 'MB/s', 'p50 ms', 'p99 ms', 'p99.9 ms'],
  ...['CPU/op', 'PSS MiB', 'RSS MiB', 'anonymous', 'generator', 'errors', ''],
];

function rowsSection({ rows }: Results): string {
  const lines = rows.map(
    (row) =>
      `<tr>${cellsOf(row)
        .map((cell) => `<td${row.errors > 0 ? ' class="bad"' : ''}>${escapeHtml(cell)}</td>`)
        .join('')}</tr>`,
  );
  const problems = rows.flatMap((row) =>
    row.problems.map((problem) => `${lineName(row)} ${row.target}: ${problem}`),
  );
  const notes = [...legend(rows), ...problems].map(escapeHtml).join('\n');
  return `<section><h2>All rows</h2><p>Medians of the slices; latencies over all of them.</p>
<table><tr>${HEADINGS.map((name) => `<th>${name}</th>`).join('')}</tr>${lines.join('')}</table><pre>${notes}</pre></section>`;
}

function cellsOf(row: RowResult): string[] {
  if (row.skipped !== undefined) return [lineName(row), row.target, row.skipped];
  const { latencyMs, errors } = row;
  const summary = summarise(row);
  const shown = (value: number | undefined, format: (value: number) => string) =>
    value === undefined ? '-' : format(value);
  return [
    ...[lineName(row), row.target],
    shown(summary.opsPerS?.median, significant),
    shown(summary.mbPerS?.median, significant),
    ...[latencyMs?.p50, latencyMs?.p99, latencyMs?.p999].map((value) => shown(value, millis)),
    shown(summary.cpuMicros?.median, micros),
    ...[mib(summary.pssBytes), mib(summary.rssBytes), mib(summary.anonymousBytes)],
    shown(summary.generatorShare, percent),
    String(errors),
    summary.doubts.map((doubt) => DOUBTS[doubt].mark).join(''),
  ];
}

function profileSection(row: RowResult): string {
  const { profile = [] } = row;
  if (profile.length === 0) return '';
  const lines = profile.map(({ name, share }) => `${percent(share).padStart(4)}  ${name}`);
  return textSection(`Self time, ${lineName(row)} ${row.target}`, lines);
}
