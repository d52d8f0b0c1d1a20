import { label, line } from './axes.js';
import { labelSpace, scaleOf, ticksOf } from './shapes.js';
import type { Chart, Shape, Tone } from './shapes.js';

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

const roundTicks: (from: number, to: number, count: number) => readonly number[] = (
  from,
  to,
  count,
) => ticksOf(from, to, count).ticks;

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
  ticks?: (from: number, to: number, count: number) => readonly number[];
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
      const left = labelSpace(
        lanes.map(({ name }) => name),
        width * 0.4,
      );
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
          const shapes: Shape[] = [
            {
              kind: 'text',
              x: left - 8,
              y: y + BAR - 4,
              text: name,
              anchor: 'end',
              tone: 'text',
              space: left - 8,
            },
          ];
          for (const span of spans) {
            const begin = inside(span.from);
            const end = inside(span.to ?? to);
            const title = `${name}: ${span.text}, ${format(span.from)} to ${endOf(span)}`;
            shapes.push({
              kind: 'rect',
              x: begin,
              y,
              width: Math.max(2, end - begin),
              height: BAR,
              tone: span.tone,
              title,
            });
          }
          for (const mark of marks) {
            const title = `${name}: ${mark.text}, ${format(mark.at)}`;
            shapes.push({
              kind: 'dot',
              x: inside(mark.at),
              y: y + BAR / 2,
              r: 5,
              tone: mark.tone,
              shape: 'diamond',
              title,
            });
          }
          return shapes;
        }),
      ];
    },
  };
}
