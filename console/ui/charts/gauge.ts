import { label } from './axes.js';
import { plain, type Chart, type Shape, type Tone } from './shapes.js';

interface Zone {
  from: number;
  tone: Tone;
  text: string;
}

const MOST_WIDTH = 280;
const THICK = 18;

/**
 * One value on its way to a limit.
 *
 * @param data zones from the lowest, the first one from 0; `value` is null where it is not known
 */
export function gauge({
  name,
  value,
  max,
  zones,
  format = plain,
}: {
  name: string;
  value: number | null;
  max: number;
  zones: readonly Zone[];
  format?: (value: number) => string;
}): Chart {
  const zone = value === null ? undefined : zones.findLast(({ from }) => value >= from);
  const text = value === null ? 'unknown' : format(value);
  return {
    height: (width) => Math.min(MOST_WIDTH, width) / 2 + 34,
    legend: zones.map(({ text: words, from, tone }) => ({
      text: `${words} from ${format(from)}`,
      tone,
    })),
    describe: () =>
      value === null
        ? `${name}: no data.`
        : `${name} is ${text} of ${format(max)}${zone === undefined ? '' : `: ${zone.text}`}.`,
    table: () => ({ head: ['Name', 'Value', 'Limit'], rows: [[name, value, max]] }),
    shapes(width) {
      const radius = Math.min(MOST_WIDTH, width) / 2 - 6;
      const centre = { x: width / 2, y: radius + 6 };
      const arc = (from: number, to: number, r: number) => {
        const at = (share: number) => {
          const angle = Math.PI * (1 - Math.min(1, Math.max(0, share)));
          return `${(centre.x + r * Math.cos(angle)).toFixed(1)} ${(centre.y - r * Math.sin(angle)).toFixed(1)}`;
        };
        return `M${at(from)}A${r} ${r} 0 0 1 ${at(to)}`;
      };
      const shapes: Shape[] = [
        { kind: 'path', d: arc(0, 1, radius - 14), tone: 'line', width: THICK },
        ...zones.map(({ from, tone, text: title }, index) => {
          const to = zones[index + 1]?.from ?? max;
          const d = arc(from / max, to / max, radius);
          return { kind: 'path', d, tone, width: 4, title } as const;
        }),
      ];
      if (value !== null && value > 0) {
        const tone = zone?.tone ?? 'accent';
        const d = arc(0, value / max, radius - 14);
        shapes.push({ kind: 'path', d, tone, width: THICK, title: text });
      }
      const large = { anchor: 'middle', tone: 'text', size: 28, bold: true } as const;
      return [
        ...shapes,
        { kind: 'text', x: centre.x, y: centre.y - 10, text, ...large },
        label(centre.x, centre.y + 14, name, 'middle'),
      ];
    },
  };
}
