import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeHtml } from '../output/report/escape.js';
import { lineChartSvg, renderLineChart } from '../output/report/line-chart.js';
import { STYLE } from '../output/report/style.js';
import { chartsOf } from './charts.js';
import type { ScaleResults } from './results.js';
import { sectionsOf } from './tables.js';

/** One page with everything in it. */
export function renderScaleReport(results: ScaleResults): string {
  const { machine, settings, startedAt, seconds } = results;
  const facts = [
    `${machine.processors} × ${machine.model}, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB, Linux ${machine.kernel}, Node ${machine.node}, store on ${machine.fileSystem}`,
    `${settings.slices} slices of ${settings.sliceSeconds} s each; ${startedAt.replace('T', ' ').slice(0, 16)} UTC, ${Math.round(seconds)} s in all`,
  ];
  const charts = chartsOf(results).map(({ chart }) => renderLineChart(chart));
  const sections = sectionsOf(results).map(
    ({ title, lines }) =>
      `<section><h2>${escapeHtml(title)}</h2><pre>${escapeHtml(lines.join('\n'))}</pre></section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>How Ringway scales, ${escapeHtml(startedAt.slice(0, 16))}</title>
<style>${STYLE} pre { white-space: pre; overflow-x: auto; }</style>
</head>
<body>
<h1>How Ringway scales</h1><p>${facts.map(escapeHtml).join('<br>')}</p>
${[...charts, ...sections].join('\n')}
</body>
</html>
`;
}

/** Charts as files that stand alone, light on white: a page of documentation shows them. */
export async function writeCharts(results: ScaleResults, folder: string): Promise<void> {
  for (const { name, chart } of chartsOf(results))
    await writeFile(
      join(folder, `${name}.svg`),
      `${lineChartSvg(chart, `${STYLE} svg { background: var(--panel); }`)}\n`,
    );
}
