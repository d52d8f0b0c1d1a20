import { label, rowName } from './axes.js';
import { labelSpace, plain, scaleOf, ticksOf, type Chart, type Ink, type Shape } from './shapes.js';

/** Null where there was nothing before, or is nothing after. */
interface Pair {
  name: string;
  before: number | null;
  after: number | null;
}

const ROW = 26;
const AXIS = 28;

/**
 * The values of many items before a change and after it: a ring is before, a dot is after, a line
 * joins them; 0 is marked by a line of its own.
 */
export function beforeAfterChart({
  items,
  format = plain,
  columns = ['Name', 'Before', 'After'],
}: {
  items: readonly Pair[];
  format?: (value: number) => string;
  columns?: readonly [name: string, before: string, after: string];
}): Chart {
  const [, beforeText, afterText] = columns;
  const textOf = (value: number | null) => (value === null ? 'none' : format(value));
  const known = items.flatMap(({ before, after }) => [before, after]).filter((one) => one !== null);
  return {
    height: () => items.length * ROW + AXIS,
    legend: [
      { text: beforeText, tone: 'quiet' },
      { text: afterText, tone: 'accent' },
    ],
    describe: () => {
      const [worst] = items.toSorted((a, b) => distance(b) - distance(a));
      if (worst === undefined) return 'No entries.';
      const text = `${worst.name}, ${beforeText.toLowerCase()} ${textOf(worst.before)}, ${afterText.toLowerCase()} ${textOf(worst.after)}`;
      return `${items.length} entries. Farthest from ${format(0)}: ${text}.`;
    },
    table: () => ({ head: columns, rows: items.map((one) => [one.name, one.before, one.after]) }),
    shapes(width) {
      const names = items.map(({ name }) => name);
      const left = labelSpace(names, width * 0.35);
      const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
      const { ticks, low, high } = ticksOf(least, most, width < 420 ? 3 : 6);
      const x = scaleOf(low, high, left + 8, width - 28);
      const bottom = items.length * ROW;
      const axis: Shape[] = ticks.flatMap((tick) => {
        const ink: Ink = tick === 0 ? { tone: 'quiet' } : { tone: 'line', faint: true };
        return [
          { kind: 'rect', x: x(tick), y: 0, width: 1, height: bottom, ...ink },
          label(x(tick), bottom + 18, format(tick), 'middle'),
        ];
      });
      return [...axis, ...items.flatMap((item, index) => row(item, index))];

      function row({ name, before, after }: Pair, index: number): Shape[] {
        const y = index * ROW + ROW / 2;
        const title = `${name}: ${beforeText.toLowerCase()} ${textOf(before)}, ${afterText.toLowerCase()} ${textOf(after)}`;
        const shapes: Shape[] = [rowName(left, y + 4, name, { title })];
        if (before !== null && after !== null) {
          const d = `M${x(before).toFixed(1)} ${y}L${x(after).toFixed(1)} ${y}`;
          shapes.push({ kind: 'path', d, tone: 'quiet', width: 2, title });
        }
        if (before !== null) {
          shapes.push({ kind: 'dot', x: x(before), y, r: 5, tone: 'quiet', hollow: true, title });
        }
        if (after !== null) {
          shapes.push({ kind: 'dot', x: x(after), y, r: 5, tone: 'accent', title });
        }
        return shapes;
      }
    },
  };
}

function distance({ before, after }: Pair) {
  return Math.max(Math.abs(before ?? 0), Math.abs(after ?? 0));
}
