import type { Labels } from '../labels.js';

/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A scrape that is not in Prometheus' text format. */
export class MetricTextError extends Error {
  override readonly name = 'MetricTextError';
}

/** Enough for a service with some thousand series; a source with more is no gateway. */
const SAMPLES_MAX = 100_000;

const NAME = /[A-Za-z_:][\w:]*/y;
const LABEL = /\s*([A-Za-z_]\w*)\s*=\s*"((?:[^"\\\n]|\\.)*)"\s*(,|(?=\}))/y;
const VALUE = /\s+(\S+)(?:\s+-?\d+)?\s*$/y;

/**
 * Reads Prometheus' text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
 * Types and helps are not looked at, nor are times.
 * @throws MetricTextError at the first line that is not of the format
 */
export function parseMetricText(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#') || line.trim() === '') continue;
    if (samples.length >= SAMPLES_MAX) throw new MetricTextError('there are too many samples');
    samples.push(parseLine(line));
  }
  return samples;
}

function parseLine(line: string): Sample {
  NAME.lastIndex = 0;
  const name = NAME.exec(line)?.[0];
  if (name === undefined) throw new MetricTextError('a line has no name');
  let at = name.length;
  const labels: [string, string][] = [];
  if (line[at] === '{') {
    at += 1;
    while (!/^\s*\}/.test(line.slice(at, at + 8))) {
      LABEL.lastIndex = at;
      const match = LABEL.exec(line);
      if (match === null) throw new MetricTextError(`the labels of ${name} are malformed`);
      labels.push([match[1] ?? '', unescape(match[2] ?? '')]);
      at = LABEL.lastIndex;
    }
    at = line.indexOf('}', at) + 1;
  }
  VALUE.lastIndex = at;
  const value = VALUE.exec(line)?.[1];
  if (value === undefined) throw new MetricTextError(`${name} has no value`);
  return { name, labels: Object.fromEntries(labels), value: parseValue(name, value) };
}

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['+Inf', Infinity],
  ['Inf', Infinity],
  ['-Inf', -Infinity],
]);

function parseValue(name: string, text: string): number {
  const special = SPECIAL.get(text);
  if (special !== undefined) return special;
  const value = Number(text);
  if (Number.isNaN(value)) throw new MetricTextError(`the value of ${name} is no number`);
  return value;
}

function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(.)/g, (whole, letter: string) => {
    if (letter === 'n') return '\n';
    return letter === '\\' || letter === '"' ? letter : whole;
  });
}
