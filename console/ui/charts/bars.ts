import { rowName } from './axes.js';
import { extremes, labelSpace, plain, scaleOf, widthOf } from './shapes.js';
import type { Chart, Shape, Tone } from './shapes.js';

/** `value` is null where it is not known, which is not 0. */
interface Bar {
  name: string;
  value: number | null;
  tone?: Tone;
  note?: string;
}

const ROW = 28;
const BAR = 14;

/**
 * Bars beside each other's names, the value at their end.
 *
 * @param data `max`: the value that fills a bar, by default the largest; `line`: a line is drawn
 *   above the bar of this index
 */
export function barChart({
  items,
  format = plain,
  max,
  columns = ['Name', 'Value'],
  legend = [],
  line,
}: {
  items: readonly Bar[];
  format?: (value: number) => string;
  max?: number;
  columns?: readonly [name: string, value: string];
  legend?: readonly { text: string; tone: Tone }[];
  line?: number;
}): Chart {
  const top = max ?? Math.max(0, ...items.map(({ value }) => value ?? 0));
  const textOf = ({ value }: Bar) => (value === null ? 'unknown' : format(value));
  return {
    height: () => items.length * ROW + 4,
    legend,
    describe: () => extremes(items, format),
    table: () => ({ head: columns, rows: items.map(({ name, value }) => [name, value]) }),
    shapes(width) {
      const names = items.map(({ name }) => name);
      const left = labelSpace(names, width * 0.35);
      const right = Math.max(40, ...items.map((one) => widthOf(textOf(one)))) + 10;
      const x = scaleOf(0, top, left, width - right);
      const lines: Shape[] =
        line === undefined
          ? []
          : [{ kind: 'path', d: `M0 ${line * ROW}H${width}`, tone: 'warn', dashed: true }];
      const bars = items.flatMap((item, index) => {
        const { name, value, tone = 0, note } = item;
        const y = index * ROW + (ROW - BAR) / 2;
        const title = `${name}: ${textOf(item)}${note === undefined ? '' : `, ${note}`}`;
        const bar = { kind: 'rect', x: left, y, height: BAR, title } as const;
        const track = { ...bar, width: width - right - left, tone: 'line', faint: true } as const;
        const base = y + BAR - 3;
        const inkOfValue = value === null ? 'quiet' : 'text';
        const shapes: Shape[] = [
          rowName(left, base, name, { title }),
          { ...track, hatched: value === null },
          { kind: 'text', x: width, y: base, text: textOf(item), anchor: 'end', tone: inkOfValue },
        ];
        if (value !== null && value > 0) {
          const end = Math.min(x(value), width - right);
          shapes.push({ ...bar, width: Math.max(2, end - left), tone });
        }
        return shapes;
      });
      return [...bars, ...lines];
    },
  };
}
