import { label, line, rowName } from './axes.js';
import { labelSpace, plain, scaleOf, ticksOf, widthOf } from './shapes.js';
import type { Chart, Shape, Tone } from './shapes.js';

/** `value`: what it adds, or takes away. */
interface Step {
  name: string;
  value: number | null;
}

const ROW = 30;
const BAR = 16;

/**
 * How parts add up to a whole.
 *
 * @param data `total`: the name of the whole
 */
export function waterfall({
  items,
  total,
  format = plain,
}: {
  items: readonly Step[];
  total: string;
  format?: (value: number) => string;
}): Chart {
  let sum = 0;
  const steps = items.map(({ name, value }) => {
    const from = sum;
    sum += value ?? 0;
    return { name, value, from, to: sum };
  });
  const whole = { name: total, value: sum, from: 0, to: sum };
  const unknown = items.filter(({ value }) => value === null).map(({ name }) => name);
  const rest = unknown.length === 0 ? '' : ` No data, not included: ${unknown.join(', ')}.`;
  const textOf = (value: number | null) => (value === null ? 'unknown' : format(value));
  return {
    height: () => (items.length + 1) * ROW + 26,
    describe: () => {
      const [most] = items.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0));
      const largest =
        most === undefined ? '' : ` The largest part is ${most.name}, ${textOf(most.value)}.`;
      return `${total}: ${format(sum)}, in ${items.length} parts.${largest}${rest}`;
    },
    table: () => ({
      head: ['Item', 'Value', 'Running total'],
      rows: [...steps, whole].map(({ name, value, to }) => [name, value, to]),
    }),
    shapes(width) {
      const all = [...steps, whole];
      const ends = [0, ...all.map(({ to }) => to)];
      const { ticks, low, high } = ticksOf(Math.min(...ends), Math.max(...ends), width / 120);
      const names = all.map(({ name }) => name);
      const left = labelSpace(names, width * 0.35);
      const right = Math.max(...all.map(({ value }) => widthOf(textOf(value)))) + 12;
      const x = scaleOf(low, high, left, width - right);
      const bottom = all.length * ROW;
      // Times have long names: those that would lie over each other are left out.
      const apart = Math.abs(x(ticks[1] ?? high) - x(ticks[0] ?? low)) || width;
      const longest = Math.max(...ticks.map((tick) => widthOf(format(tick))));
      const every = Math.ceil((longest + 8) / apart);
      return [
        ...ticks.flatMap((tick, at) => [
          line(`M${x(tick)} 0V${bottom}`),
          ...(at % every === 0 ? [label(x(tick), bottom + 16, format(tick), 'middle')] : []),
        ]),
        ...all.flatMap(({ name, value, from, to }, index) => {
          const y = index * ROW + (ROW - BAR) / 2;
          const isWhole = index === all.length - 1;
          const title = `${name}: ${textOf(value)}`;
          const [begin, end] = [Math.min(x(from), x(to)), Math.max(x(from), x(to))];
          const tone: Tone = isWhole ? 'accent' : (value ?? 0) < 0 ? 'good' : 1;
          const bar = { x: begin, y, width: Math.max(2, end - begin), height: BAR };
          const ink = { tone: value === null ? 'quiet' : 'text', bold: isWhole } as const;
          const shapes: Shape[] = [
            rowName(left, y + BAR - 4, name, { bold: isWhole }),
            { kind: 'rect', ...bar, tone, title },
            { kind: 'text', x: end + 6, y: y + BAR - 4, text: textOf(value), ...ink },
          ];
          const d = `M${x(to)} ${y + BAR}V${y + ROW}`;
          if (!isWhole) shapes.push({ kind: 'path', d, tone: 'quiet', width: 1 });
          return shapes;
        }),
      ];
    },
  };
}
