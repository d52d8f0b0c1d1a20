import type { Place } from './copy-object.js';

/** One object of a job that copies, moves or restores. */
export interface Transfer {
  /** The name that the job's result tells. */
  readonly name: string;
  readonly from: Place;
  readonly to: Place;
  /** The mark that the object at `from` must have to be transferred: see `expectAsLeft`. */
  readonly as?: string;
}

/**
 * A transfer as a whole, or one of its halves where objects change places: `park` brings the object
 * to a temporary name, `unpark` from there to its target.
 */
export interface Step {
  readonly kind: 'whole' | 'park' | 'unpark';
  readonly transfer: Transfer;
}

/** An item of a request: an object, or with a slash at its end all below it. */
interface Item {
  readonly name: string;
  readonly to_name: string;
}

export function keyOf({ container, object }: Place): string {
  return `${container}/${object}`;
}

/**
 * Whether no target of the items can be a source or a target of another, whatever lies below the
 * folders: then nothing has to be planned, and the names need not be known before.
 */
export function isApart(items: readonly Item[], isSameContainer: boolean): boolean {
  const ends = items.flatMap(({ name, to_name: toName }) => {
    const isRange = name.endsWith('/');
    const target = { text: toName, isRange, isTarget: true };
    return isSameContainer ? [target, { text: name, isRange, isTarget: false }] : [target];
  });
  ends.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  /** Those before whose names this one begins with, the longest last. */
  const around: typeof ends = [];
  for (const end of ends) {
    while (around.length > 0 && !end.text.startsWith(around.at(-1)?.text ?? '')) around.pop();
    const meets = around.some(
      (one) => (one.isTarget || end.isTarget) && (one.isRange || one.text === end.text),
    );
    if (meets) return false;
    around.push(end);
  }
  return true;
}

/**
 * Orders a job so that nothing is written over before it was copied. Transfers that share a name are
 * a group, whose steps follow each other; groups do not depend on each other.
 *
 *     a→b, b→c             b→c, a→b
 *     a→b, b→a             park a, b→a, unpark to b
 *     a→c, b→c             both, in this order: the second finds c taken
 */
export function planTransfers(transfers: readonly Transfer[]): Step[][] {
  const isMoving = ({ from, to }: Transfer) => keyOf(from) !== keyOf(to);
  const staying = transfers.filter((one) => !isMoving(one));
  return [
    ...staying.map((transfer) => [{ kind: 'whole', transfer } as const]),
    ...groupsOf(transfers.filter(isMoving)).map(ordered),
  ];
}

/** Those that are connected by names, in the order in which they were given. */
function groupsOf(transfers: readonly Transfer[]): Transfer[][] {
  const parents = new Map<string, string>();
  const rootOf = (key: string): string => {
    let at = key;
    for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) {
      const above = parents.get(up) ?? up;
      parents.set(at, above);
      at = above;
    }
    return at;
  };
  for (const { from, to } of transfers) parents.set(rootOf(keyOf(from)), rootOf(keyOf(to)));
  return [...grouped(transfers, ({ to }) => rootOf(keyOf(to))).values()];
}

function grouped<T>(items: readonly T[], keyFor: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyFor(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Each comes after those whose source its target is. */
function ordered(group: readonly Transfer[]): Step[] {
  const steps: Step[] = [];
  const readersOf = grouped(group, ({ from }) => keyOf(from));
  const writersOf = grouped(group, ({ to }) => keyOf(to));
  const waits = new Map(group.map((one) => [one, readersOf.get(keyOf(one.to))?.length ?? 0]));
  const parked = new Set<Transfer>();
  const ready = group.filter((one) => waits.get(one) === 0);
  const left = new Set(group);
  /** The source of `one` is safe. */
  const release = ({ from }: Transfer) => {
    for (const writer of writersOf.get(keyOf(from)) ?? []) {
      const still = (waits.get(writer) ?? 0) - 1;
      waits.set(writer, still);
      if (still === 0) ready.push(writer);
    }
  };
  while (left.size > 0) {
    const next = ready.shift();
    if (next === undefined) {
      const held = onCircle(left, readersOf, parked);
      parked.add(held);
      steps.push({ kind: 'park', transfer: held });
      release(held);
      continue;
    }
    left.delete(next);
    steps.push({ kind: parked.has(next) ? 'unpark' : 'whole', transfer: next });
    if (!parked.has(next)) release(next);
  }
  return steps;
}

/** One that waits for itself, over others: there is one where none is ready. */
function onCircle(
  left: ReadonlySet<Transfer>,
  readersOf: ReadonlyMap<string, readonly Transfer[]>,
  parked: ReadonlySet<Transfer>,
): Transfer {
  const seen = new Set<Transfer>();
  let [at] = left;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const { to }: Transfer = at;
    at = readersOf.get(keyOf(to))?.find((one) => left.has(one) && !parked.has(one));
  }
  if (at === undefined) throw new Error('transfers wait, and for none of their own');
  return at;
}
