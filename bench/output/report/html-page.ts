import type { Results } from '../results.js';
import { escapeHtml } from './escape.js';
import { STYLE } from './style.js';

interface HtmlPage {
  readonly title: string;
  readonly heading: string;
  /** Lines below the heading. */
  readonly facts: readonly string[];
  readonly style?: string;
  /** HTML, below all that. */
  readonly content: string;
}

/** One page with everything in it: it can be mailed, and is the same in ten years. */
export function htmlPage({ title, heading, facts, style = '', content }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<h1>${heading}</h1><p>${facts.map(escapeHtml).join('<br>')}</p>${content}
</body>
</html>
`;
}

export function textSection(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `<section><h2>${escapeHtml(title)}</h2><pre>${escapeHtml(lines.join('\n'))}</pre></section>`;
}

/** The machine of the measurement, in a line. */
export function machineLine(machine: Results['machine']): string {
  const { processors, model, memoryBytes, kernel, node, fileSystem } = machine;
  const gib = Math.round(memoryBytes / 2 ** 30);
  return `${processors} × ${model}, ${gib} GiB, Linux ${kernel}, Node ${node}, store on ${fileSystem}`;
}

/** When it was, and how long it took. */
export function timeLine({ startedAt, seconds }: Pick<Results, 'startedAt' | 'seconds'>): string {
  return `${startedAt.replace('T', ' ').slice(0, 16)} UTC, ${Math.round(seconds)} s in all`;
}
