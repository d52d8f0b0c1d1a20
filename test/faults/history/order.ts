import type { Instant } from './operation.js';
import type { Problem } from './presence.js';
import type { Removals } from './removal.js';
import type { Candidates, Sightings } from './sightings.js';
import type { KeyWrites, Write } from './writes.js';

/**
 * The order of the writes of a key: what all clients saw, and real time, have to agree with one
 * sequence of them all. Every evidence that a write is older than another is an edge of a graph, and
 * a circle in it a proof that there is no such sequence.
 *
 * Real time says that a write is older when it was done before the other began. One edge for each
 * such pair would be too many, so time is a chain of nodes: a write leads to the moment when it was
 * done, and the moment when it began leads to it.
 */
export function findOrderProblems(
  known: KeyWrites,
  sightings: Sightings,
  removals: Removals,
  seenIsFirm: boolean,
): Problem[] {
  const graph = new OrderGraph(known.writes);
  /** Undefined also for what may still change its place. */
  const firm = (candidates: Candidates | undefined, at: Instant): Write | undefined => {
    const write = onlyOne(candidates);
    return seenIsFirm || (write !== undefined && write.doneBy < at) ? write : undefined;
  };
  for (const { entries, start, label } of sightings.snapshots) {
    const sure = entries.map((entry) => firm(entry, start)).filter((write) => write !== undefined);
    graph.addNewestFirst(sure, label);
  }
  for (const { top, start, end, label } of sightings.currentReads) {
    const current = firm(top, start);
    if (current === undefined) continue;
    for (const write of known.writes) {
      // Older than the current one by real time already: no evidence that is new.
      if (write === current || write.doneBy < current.start || write.shownBy >= start) continue;
      if (!removals.mayBeGone(write, end)) graph.addOlder(write, current, label);
    }
  }
  const circle = graph.findCircle();
  return circle === undefined ? [] : [{ kind: 'order', message: circle.join('; ') }];
}

interface Node {
  readonly write: Write | undefined;
  readonly newer: { readonly node: Node; readonly evidence: string }[];
  /** Edges that lead here from nodes that are not sorted yet. */
  older: number;
}

class OrderGraph {
  readonly #nodes = new Map<Write, Node>();
  readonly #times: Node[] = [];

  constructor(writes: readonly Write[]) {
    for (const write of writes) this.#nodes.set(write, newNode(write));
    this.#addRealTime(writes);
  }

  addNewestFirst(writes: readonly Write[], evidence: string): void {
    for (const [index, write] of writes.entries()) {
      const older = writes[index + 1];
      if (older !== undefined) this.addOlder(older, write, evidence);
    }
  }

  addOlder(older: Write, newer: Write, evidence: string): void {
    const from = this.#nodes.get(older);
    const to = this.#nodes.get(newer);
    if (from !== undefined && to !== undefined) addEdge(from, to, evidence);
  }

  /** @returns the evidence along a circle; undefined when there is none */
  findCircle(): string[] | undefined {
    const left = new Set([...this.#nodes.values(), ...this.#times]);
    const ready = [...left].filter(({ older }) => older === 0);
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      left.delete(node);
      for (const { node: newer } of node.newer) {
        newer.older -= 1;
        if (newer.older === 0) ready.push(newer);
      }
    }
    return left.size === 0 ? undefined : circleWithin(left);
  }

  #addRealTime(writes: readonly Write[]): void {
    const begins = writes.map((write) => ({ write, at: write.start, begins: true }));
    const ends = writes
      .filter(({ doneBy }) => doneBy < Infinity)
      .map((write) => ({ write, at: write.doneBy, begins: false }));
    let before: Node | undefined;
    // At the same moment a begin comes before an end: then neither is surely older.
    for (const event of [...begins, ...ends].sort((a, b) => a.at - b.at || byBegin(a, b))) {
      const time = newNode(undefined);
      this.#times.push(time);
      if (before !== undefined) addEdge(before, time, '');
      before = time;
      const node = this.#nodes.get(event.write);
      if (node === undefined) continue;
      if (event.begins) addEdge(time, node, `${event.write.label} began later`);
      else addEdge(node, time, `${event.write.label} was done`);
    }
  }
}

function byBegin(a: { begins: boolean }, b: { begins: boolean }): number {
  return Number(b.begins) - Number(a.begins);
}

function newNode(write: Write | undefined): Node {
  return { write, newer: [], older: 0 };
}

function addEdge(from: Node, to: Node, evidence: string): void {
  from.newer.push({ node: to, evidence });
  to.older += 1;
}

/** The nodes left after sorting lie on circles, or behind them: going back leads into one. */
function circleWithin(left: ReadonlySet<Node>): string[] {
  const olderOf = new Map<Node, { node: Node; evidence: string }>();
  for (const node of left) {
    for (const { node: newer, evidence } of node.newer) {
      if (left.has(newer)) olderOf.set(newer, { node, evidence });
    }
  }
  const path: Node[] = [];
  let [node] = left;
  while (node !== undefined && !path.includes(node)) {
    path.push(node);
    node = olderOf.get(node)?.node;
  }
  const circle = path.slice(node === undefined ? 0 : path.indexOf(node));
  return circle
    .map((each) => olderOf.get(each)?.evidence ?? '')
    .filter((evidence) => evidence !== '')
    .reverse();
}

function onlyOne(candidates: Candidates | undefined): Write | undefined {
  return candidates?.length === 1 ? candidates[0] : undefined;
}
