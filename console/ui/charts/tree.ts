import { plain, widthOf, type Chart, type Shape, type Tone } from './shapes.js';

/** `value` is null where it is not measured. */
interface Node {
  name: string;
  value: number | null;
  note?: string;
  tone?: Tone;
  children?: readonly Node[];
}

const ROW = 40;
const GAP = 2;

/** A tree of shares: a box is as wide as its value, its parts stand below it. */
export function treeChart({
  root,
  format = plain,
}: {
  root: Node;
  format?: (value: number) => string;
}): Chart {
  const list = flatten(root);
  const depth = Math.max(...list.map((one) => one.path.length));
  const textOf = ({ value }: Node) => (value === null ? 'not measured' : format(value));
  return {
    height: () => depth * ROW,
    describe: () => {
      const leaves = list.filter(({ node }) => (node.children ?? []).length === 0);
      const [most] = leaves.toSorted((a, b) => (b.node.value ?? 0) - (a.node.value ?? 0));
      const largest =
        most === undefined ? '' : ` The largest part is ${most.node.name}, ${textOf(most.node)}.`;
      return `${root.name}: ${textOf(root)}, in ${leaves.length} parts.${largest}`;
    },
    table: () => ({
      head: ['Item', 'Value', 'Note'],
      rows: list.map(({ node, path }) => [path.join(' › '), node.value, node.note ?? '']),
    }),
    shapes: (width) => boxes(root, 0, 0, width, textOf),
  };
}

function boxes(
  node: Node,
  x: number,
  level: number,
  width: number,
  textOf: (node: Node) => string,
): Shape[] {
  if (width < 1) return [];
  const y = level * ROW;
  const title = [node.name, textOf(node), node.note].filter(Boolean).join(', ');
  const room = width - 12;
  const { tone = level === 0 ? 'quiet' : (level - 1) % 8 } = node;
  const box = { x, y, width: Math.max(1, width - GAP), height: ROW - GAP };
  const own: Shape[] = [
    { kind: 'rect', ...box, tone, faint: true, hatched: node.value === null, title },
  ];
  if (room > 24) {
    const text = { kind: 'text', x: x + 6, space: room } as const;
    own.push({ ...text, y: y + 16, text: node.name, tone: 'text', bold: true, title });
    if (room > widthOf('9.9 ms'))
      own.push({ ...text, y: y + 31, text: textOf(node), tone: 'quiet' });
  }
  const children = node.children ?? [];
  const sum = Math.max(
    node.value ?? 0,
    children.reduce((all, { value }) => all + (value ?? 0), 0),
  );
  // A part that is not measured has no width of its own: it gets a little, so that it is seen.
  const unknown = children.filter(({ value }) => value === null).length;
  const share = (width * (1 - Math.min(0.3, unknown * 0.1))) / (sum || 1);
  const little = unknown === 0 ? 0 : (width * Math.min(0.3, unknown * 0.1)) / unknown;
  let at = x;
  return children.reduce((all, child) => {
    // Where all is 0, no part has a width: each gets the same.
    const known = sum === 0 ? width / children.length : (child.value ?? 0) * share;
    const wide = sum > 0 && child.value === null ? little : known;
    const shapes = boxes(child, at, level + 1, wide, textOf);
    at += wide;
    return [...all, ...shapes];
  }, own);
}

function flatten(
  node: Node,
  above: readonly string[] = [],
): { node: Node; path: readonly string[] }[] {
  const path = [...above, node.name];
  return [{ node, path }, ...(node.children ?? []).flatMap((child) => flatten(child, path))];
}
