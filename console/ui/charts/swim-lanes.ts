import { label, line, rowName } from './axes.js';
import { labelSpace, scaleOf, ticksOf, type Chart, type Shape, type Tone } from './shapes.js';

/** `to` is null while it lasts. */
export interface Span {
  from: number;
  to: number | null;
  text: string;
  tone: Tone;
}

interface Mark {
  at: number;
  text: string;
  tone: Tone;
}

interface Lane {
  name: string;
  spans: readonly Span[];
  marks?: readonly Mark[];
}

const ROW = 30;
const BAR = 16;

type Ticks = (from: number, to: number, count: number) => readonly number[];

const roundTicks: Ticks = (from, to, count) => ticksOf(from, to, count).ticks;

/**
 * The states of many items over time, a lane each.
 *
 * @param data times in any unit, as `format` takes them; `ticks` are the times to name, about so
 *   many
 */
export function swimLanes({
  lanes,
  from,
  to,
  format,
  legend = [],
  ticks = roundTicks,
}: {
  lanes: readonly Lane[];
  from: number;
  to: number;
  format: (at: number) => string;
  legend?: readonly { text: string; tone: Tone }[];
  ticks?: Ticks;
}): Chart {
  const endOf = (span: Span) => (span.to === null ? 'still' : format(span.to));
  return {
    height: () => lanes.length * ROW + 26,
    legend,
    describe: () => {
      const last = lanes.map(({ name, spans }) => `${name}: ${spans.at(-1)?.text ?? 'nothing'}`);
      const shown = last.slice(0, 12).join('; ');
      return `${lanes.length} lanes from ${format(from)} to ${format(to)}. At the end: ${shown}${last.length > 12 ? '; and more' : ''}.`;
    },
    table: () => ({
      head: ['Lane', 'State', 'From', 'To'],
      rows: lanes.flatMap(({ name, spans, marks = [] }) => [
        ...spans.map((span) => [name, span.text, format(span.from), endOf(span)]),
        ...marks.map((mark) => [name, mark.text, format(mark.at), '']),
      ]),
    }),
    shapes(width) {
      const names = lanes.map(({ name }) => name);
      const left = labelSpace(names, width * 0.4);
      const x = scaleOf(from, to, left, width - 12);
      const bottom = lanes.length * ROW;
      const inside = (at: number) => Math.min(width - 12, Math.max(left, x(at)));
      const times = ticks(from, to, width / 120).filter((one) => one >= from && one <= to);
      return [
        ...times.flatMap((time) => [
          line(`M${x(time)} 0V${bottom}`),
          label(x(time), bottom + 16, format(time), 'middle'),
        ]),
        ...lanes.flatMap(({ name, spans, marks = [] }, index) => {
          const y = index * ROW + (ROW - BAR) / 2;
          const shapes: Shape[] = [rowName(left, y + BAR - 4, name)];
          for (const span of spans) {
            const begin = inside(span.from);
            const bar = {
              x: begin,
              y,
              width: Math.max(2, inside(span.to ?? to) - begin),
              height: BAR,
            };
            const title = `${name}: ${span.text}, ${format(span.from)} to ${endOf(span)}`;
            shapes.push({ kind: 'rect', ...bar, tone: span.tone, title });
          }
          for (const { at, text, tone } of marks) {
            const place = { x: inside(at), y: y + BAR / 2, r: 5 };
            const title = `${name}: ${text}, ${format(at)}`;
            shapes.push({ kind: 'dot', ...place, shape: 'diamond', tone, title });
          }
          return shapes;
        }),
      ];
    },
  };
}
