const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 200;
const HEIGHT = 32;
const PAD = 2;

function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/**
 * A line without axes: what a figure did in the last hour. The figure itself stands beside it, so
 * that it is no more than decoration to a screen reader.
 *
 * @param points - `[unix_s, number | null]`; null leaves a gap
 */
export function sparkline(points) {
  const image = svg('svg', {
    class: 'spark',
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  const known = points.filter(([, value]) => value !== null);
  if (known.length < 2) return image;
  const values = known.map(([, value]) => value);
  const low = Math.min(0, ...values);
  const high = Math.max(...values);
  const [first] = points[0];
  const [last] = points[points.length - 1];
  const x = (time) => PAD + ((time - first) / Math.max(1, last - first)) * (WIDTH - 2 * PAD);
  const y = (value) => HEIGHT - PAD - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * PAD);
  for (const run of runs(points)) {
    const line = run.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`);
    const base = y(low).toFixed(1);
    const area = `${x(run[0][0]).toFixed(1)},${base} ${line.join(' ')} ${x(run.at(-1)[0]).toFixed(1)},${base}`;
    image.append(
      svg('polygon', { points: area, class: 'area' }),
      svg('polyline', { points: line.join(' '), class: 'line' }),
    );
  }
  return image;
}

/** Stretches without a gap. */
function runs(points) {
  const all = [[]];
  for (const point of points) {
    if (point[1] === null) all.push([]);
    else all.at(-1).push(point);
  }
  return all.filter((run) => run.length > 0);
}
