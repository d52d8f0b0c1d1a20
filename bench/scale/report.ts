import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { htmlPage, machineLine, textSection, timeLine } from '../output/report/html-page.js';
import { lineChartSvg, renderLineChart } from '../output/report/line-chart.js';
import { STYLE } from '../output/report/style.js';
import { chartsOf } from './charts.js';
import type { ScaleResults } from './results.js';
import { sectionsOf } from './tables.js';

export function renderScaleReport(results: ScaleResults): string {
  const { machine, settings, startedAt } = results;
  const charts = chartsOf(results).map(({ chart }) => renderLineChart(chart));
  const sections = sectionsOf(results).map(({ title, lines }) => textSection(title, lines));
  return htmlPage({
    title: `How Ringway scales, ${startedAt.slice(0, 16)}`,
    heading: 'How Ringway scales',
    facts: [
      machineLine(machine),
      `${settings.slices} slices of ${settings.sliceSeconds} s each; ${timeLine(results)}`,
    ],
    style: ' pre { white-space: pre; overflow-x: auto; }',
    content: `\n${[...charts, ...sections].join('\n')}`,
  });
}

/** Charts as files that stand alone, light on white: a page of documentation shows them. */
export async function writeCharts(results: ScaleResults, folder: string): Promise<void> {
  for (const { name, chart } of chartsOf(results))
    await writeFile(
      join(folder, `${name}.svg`),
      `${lineChartSvg(chart, `${STYLE} svg { background: var(--panel); }`)}\n`,
    );
}
