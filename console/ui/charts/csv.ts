import type { Chart } from './shapes.js';

/** A figure as CSV has it. A text that a spreadsheet would take for a formula is kept a text. */
function csvField(figure: string | number | null) {
  if (figure === null) return '';
  const text = String(figure);
  const safe = typeof figure === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The figures of a chart as a file for a spreadsheet. */
export function csvText({ head, rows }: ReturnType<Chart['table']>) {
  return [head, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}
