import { label } from './axes.js';
import { plain, type Chart } from './shapes.js';

/** `value`: how wide it is; `far`: what its colour tells, from −1 (too little) to 1 (too much). */
export interface Part {
  name: string;
  value: number;
  far: number;
  note?: string;
  children?: readonly Part[];
}

const LABEL_LEAST_PX = 44;
const SIZE_MOST = 560;
/** Pixels between two parts; narrower ones touch. */
const GAP_PX = 1;

/**
 * A tree of shares in rings around a middle: the outermost are its leaves. Thousands of them are one
 * picture, drawn on a canvas.
 *
 * @param data `low` and `high` say what the ends of the colours mean
 */
export function sunburst({
  root,
  format = plain,
  titles = ['Item', 'Value', 'Note'],
  low,
  high,
}: {
  root: Part;
  format?: (value: number) => string;
  titles?: readonly [part: string, value: string, note: string];
  low: string;
  high: string;
}): Chart {
  const arcs = arcsOf(root);
  const depth = Math.max(1, ...arcs.map(({ path }) => path.length));
  const sizeOf = (width: number) => Math.min(SIZE_MOST, width);
  const textOf = ({ name, value, note = '' }: Part) =>
    [name, format(value), note].filter(Boolean).join(', ');
  const plane = (width: number) => {
    const size = sizeOf(width);
    const step = size / 2 / (depth + 1);
    return { size, step, x: (width - size) / 2, middle: { x: width / 2, y: size / 2 } };
  };
  return {
    height: (width) => sizeOf(width) + 40,
    describe: () => {
      const leaves = arcs.filter(({ part }) => (part.children ?? []).length === 0);
      const [worst] = leaves.toSorted((a, b) => Math.abs(b.part.far) - Math.abs(a.part.far));
      const far = worst === undefined ? '' : ` The largest deviation is ${textOf(worst.part)}.`;
      return `${root.name}: ${format(root.value)} in ${leaves.length} parts.${far}`;
    },
    table: () => ({
      head: [...titles],
      rows: arcs.map(({ part, path }) => [path.join(' › '), part.value, part.note ?? '']),
    }),
    at: (x, y, width) => {
      const { step, middle } = plane(width);
      const level = Math.floor(Math.hypot(x - middle.x, y - middle.y) / step);
      if (level === 0) return textOf(root);
      const turn = Math.atan2(y - middle.y, x - middle.x) / (2 * Math.PI) + 0.25;
      const share = turn < 0 ? turn + 1 : turn;
      const found = arcs.find(
        ({ path, from, to }) => path.length === level && share >= from && share < to,
      );
      return found === undefined ? '' : `${found.path.join(' › ')}: ${textOf(found.part)}`;
    },
    shapes(width) {
      const { size, step, x, middle } = plane(width);
      const texts = arcs.flatMap(({ part, path, from, to }) => {
        const radius = (path.length + 0.5) * step;
        if ((to - from) * 2 * Math.PI * radius < LABEL_LEAST_PX || path.length > 2) return [];
        const angle = Math.PI * (from + to) - Math.PI / 2;
        const at = {
          x: middle.x + radius * Math.cos(angle),
          y: middle.y + radius * Math.sin(angle),
        };
        return [label(at.x, at.y + 4, part.name, 'middle')];
      });
      return [
        {
          kind: 'canvas',
          ...{ x, y: 0, width: size, height: size },
          draw: (context, colour) => drawArcs(context, colour, { arcs, size, step }),
        },
        ...texts,
        label(middle.x, middle.y + 4, format(root.value), 'middle'),
        {
          kind: 'canvas',
          ...{ x: width / 2 - 60, y: size + 18, width: 120, height: 10 },
          draw: (context, colour) => {
            for (let at = 0; at < 120; at++) {
              context.fillStyle = colour(at / 60 - 1);
              context.fillRect(at, 0, 1, 10);
            }
          },
        },
        label(width / 2 - 66, size + 27, low, 'end'),
        label(width / 2 + 66, size + 27, high, 'start'),
      ];
    },
  };
}

/** `from` and `to` are shares of the whole turn. */
interface Arc {
  part: Part;
  path: readonly string[];
  from: number;
  to: number;
}

/** @returns all parts but the root */
function arcsOf(root: Part): readonly Arc[] {
  const arcs: Arc[] = [];
  const add = ({ part, path, from, to }: Arc) => {
    const children = part.children ?? [];
    const sum = children.reduce((all, { value }) => all + value, 0);
    let at = from;
    for (const child of children) {
      const next = at + (sum === 0 ? 0 : ((to - from) * child.value) / sum);
      const arc = { part: child, path: [...path, child.name], from: at, to: next };
      arcs.push(arc);
      add(arc);
      at = next;
    }
  };
  add({ part: root, path: [], from: 0, to: 1 });
  return arcs;
}

function drawArcs(
  context: CanvasRenderingContext2D,
  colour: (far: number) => string,
  { arcs, size, step }: { arcs: readonly Arc[]; size: number; step: number },
) {
  context.translate(size / 2, size / 2);
  for (const { part, path, from, to } of arcs) {
    const [inner, outer] = [path.length * step, (path.length + 1) * step - GAP_PX];
    const [begin, end] = [from, to].map((share) => 2 * Math.PI * share - Math.PI / 2);
    const gap = Math.min(GAP_PX / outer, ((end ?? 0) - (begin ?? 0)) / 4);
    context.beginPath();
    context.arc(0, 0, outer, (begin ?? 0) + gap, (end ?? 0) - gap);
    context.arc(0, 0, inner, (end ?? 0) - gap, (begin ?? 0) + gap, true);
    context.fillStyle = colour(Math.max(-1, Math.min(1, part.far)));
    context.fill();
  }
}
