/** A null leaves a gap. */
export type Point = readonly [unixS: number, value: number | null];

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 200;
const HEIGHT = 32;
const PAD = 2;

/** An element of a drawing. */
export function svg(tag: string, attributes: Record<string, string | number>) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/**
 * A line without axes: what a figure did in the last hour. The figure itself stands beside it, so
 * that it is no more than decoration to a screen reader.
 */
export function sparkline(points: readonly Point[]) {
  const image = svg('svg', {
    class: 'spark',
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  const values = points.map(([, value]) => value).filter((value) => value !== null);
  const [first] = points[0] ?? [0];
  const [last] = points.at(-1) ?? [0];
  if (values.length < 2) return image;
  const low = Math.min(0, ...values);
  const high = Math.max(...values);
  const x = (time: number) =>
    PAD + ((time - first) / Math.max(1, last - first)) * (WIDTH - 2 * PAD);
  const y = (value: number) =>
    HEIGHT - PAD - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * PAD);
  for (const run of runs(points)) {
    const line = run.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`);
    const base = y(low).toFixed(1);
    const [start] = run[0] ?? [first];
    const [end] = run.at(-1) ?? [last];
    const area = `${x(start).toFixed(1)},${base} ${line.join(' ')} ${x(end).toFixed(1)},${base}`;
    image.append(
      svg('polygon', { points: area, class: 'area' }),
      svg('polyline', { points: line.join(' '), class: 'line' }),
    );
  }
  return image;
}

/** Stretches without a gap. */
function runs(points: readonly Point[]) {
  const all: (readonly [number, number])[][] = [[]];
  for (const [time, value] of points) {
    if (value === null) all.push([]);
    else all.at(-1)?.push([time, value]);
  }
  return all.filter((run) => run.length > 0);
}
