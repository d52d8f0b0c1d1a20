import { SeededRandom } from '../../../../src/ring/builder/random.js';

/** One solution: its genes, and the values that it is judged by, where less is better. */
export interface Individual<Info> {
  readonly genes: Float64Array;
  readonly values: readonly number[];
  readonly info: Info;
}

export interface SearchOptions<Info> {
  /** The first of the population; it is kept in the result whether or not it is dominated. */
  readonly start: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly population: number;
  readonly generations: number;
  readonly seed: number;
  readonly evaluate: (genes: Float64Array) => {
    readonly values: readonly number[];
    readonly info: Info;
  };
}

export interface Generation<Info> {
  /** From 0, which is the random first one. */
  readonly number: number;
  readonly front: readonly Individual<Info>[];
}

const MUTATION_PROBABILITY = 0.15;
const MUTATION_SIGMA = 0.3;
/** How far beyond its parents a child may lie, as a share of their distance. */
const BLEND = 0.5;

/**
 * NSGA-II (Deb et al. 2002): keeps the solutions of which none is better in all respects, spread
 * out. The same options have the same result. Yields after each generation, so that the caller can
 * report, or stop.
 */
export function* nsga2<Info>(options: SearchOptions<Info>): Generator<Generation<Info>, undefined> {
  const { start, lower, upper, population, generations, evaluate } = options;
  const random = new SeededRandom(options.seed);
  const judged = (genes: Float64Array): Individual<Info> => ({ genes, ...evaluate(genes) });
  const clamp = (gene: number, place: number): number =>
    Math.min(upper[place] ?? gene, Math.max(lower[place] ?? gene, gene));

  let parents = [judged(start)];
  while (parents.length < population) {
    const genes = start.map((gene, place) =>
      clamp(gene + normal(random) * 2 * MUTATION_SIGMA, place),
    );
    parents.push(judged(genes));
  }
  for (let number = 0; ; number++) {
    const fronts = nonDominatedFronts(parents.map(({ values }) => values));
    yield { number, front: (fronts[0] ?? []).flatMap((index) => parents[index] ?? []) };
    if (number === generations) return;
    const rank = ranking(parents, fronts);
    const children: Individual<Info>[] = [];
    while (children.length < population) {
      const [one, other] = [0, 0].map(() => tournament(parents, rank, random));
      if (one === undefined || other === undefined) break;
      const genes = one.genes.map((gene, place) => {
        const distance = Math.abs(gene - (other.genes[place] ?? gene));
        const low = Math.min(gene, other.genes[place] ?? gene) - BLEND * distance;
        const blended = low + unit(random) * distance * (1 + 2 * BLEND);
        const mutates = unit(random) < MUTATION_PROBABILITY;
        return clamp(mutates ? blended + normal(random) * MUTATION_SIGMA : blended, place);
      });
      children.push(judged(genes));
    }
    parents = fittest([...parents, ...children], population);
  }
}

/** The best of both generations: whole fronts, and of the last one that fits in part, the loneliest. */
function fittest<Info>(all: readonly Individual<Info>[], count: number): Individual<Info>[] {
  const chosen: number[] = [];
  for (const front of nonDominatedFronts(all.map(({ values }) => values))) {
    const room = count - chosen.length;
    if (room <= 0) break;
    if (front.length <= room) {
      chosen.push(...front);
      continue;
    }
    const distances = crowdingDistances(front, all);
    const loneliest = [...front].sort(
      (a, b) => (distances.get(b) ?? 0) - (distances.get(a) ?? 0) || a - b,
    );
    chosen.push(...loneliest.slice(0, room));
  }
  return chosen.flatMap((index) => all[index] ?? []);
}

interface Rank {
  readonly front: number;
  readonly distance: number;
}

function ranking<Info>(
  all: readonly Individual<Info>[],
  fronts: readonly (readonly number[])[],
): Map<Individual<Info>, Rank> {
  const rank = new Map<Individual<Info>, Rank>();
  for (const [number, front] of fronts.entries()) {
    const distances = crowdingDistances(front, all);
    for (const index of front) {
      const one = all[index];
      if (one !== undefined) rank.set(one, { front: number, distance: distances.get(index) ?? 0 });
    }
  }
  return rank;
}

function tournament<Info>(
  all: readonly Individual<Info>[],
  rank: ReadonlyMap<Individual<Info>, Rank>,
  random: SeededRandom,
): Individual<Info> | undefined {
  const [one, other] = [0, 0].map(() => all[random.integer(all.length)]);
  if (one === undefined || other === undefined) return one;
  const [a, b] = [rank.get(one), rank.get(other)];
  if (a === undefined || b === undefined) return one;
  return a.front < b.front || (a.front === b.front && a.distance >= b.distance) ? one : other;
}

/** Whether the first is at least as good in every respect, and better in one. */
export function dominates(first: readonly number[], second: readonly number[]): boolean {
  let isBetter = false;
  for (const [place, value] of first.entries()) {
    const other = second[place] ?? 0;
    if (value > other) return false;
    if (value < other) isBetter = true;
  }
  return isBetter;
}

/** Places of the solutions by front: the first is dominated by none, the next by the first alone, … */
export function nonDominatedFronts(all: readonly (readonly number[])[]): number[][] {
  const dominatedBy = all.map((values) => all.filter((other) => dominates(other, values)).length);
  const worse = all.map((values) =>
    all.flatMap((other, index) => (dominates(values, other) ? [index] : [])),
  );
  const fronts: number[][] = [];
  let front = dominatedBy.flatMap((count, index) => (count === 0 ? [index] : []));
  while (front.length > 0) {
    fronts.push(front);
    const next: number[] = [];
    for (const index of front) {
      for (const other of worse[index] ?? []) {
        const left = (dominatedBy[other] ?? 0) - 1;
        dominatedBy[other] = left;
        if (left === 0) next.push(other);
      }
    }
    front = next.sort((a, b) => a - b);
  }
  return fronts;
}

/** How far each solution is from its neighbours of the same front; infinite at its ends. */
function crowdingDistances<Info>(
  front: readonly number[],
  all: readonly Individual<Info>[],
): Map<number, number> {
  const distances = new Map(front.map((index) => [index, 0]));
  const valueOf = (index: number | undefined, objective: number): number =>
    index === undefined ? 0 : (all[index]?.values[objective] ?? 0);
  const objectives = all[0]?.values.length ?? 0;
  for (let objective = 0; objective < objectives; objective++) {
    const sorted = [...front].sort(
      (a, b) => valueOf(a, objective) - valueOf(b, objective) || a - b,
    );
    const range = valueOf(sorted.at(-1), objective) - valueOf(sorted[0], objective);
    for (const [place, index] of sorted.entries()) {
      const isEnd = place === 0 || place === sorted.length - 1;
      const gap = valueOf(sorted[place + 1], objective) - valueOf(sorted[place - 1], objective);
      const added = isEnd ? Infinity : range === 0 ? 0 : gap / range;
      distances.set(index, (distances.get(index) ?? 0) + added);
    }
  }
  return distances;
}

/**
 * The solution furthest below the line (plane) between the ends of the front, each objective
 * scaled to its range: where more of one costs most of another.
 */
export function kneeOf(front: readonly (readonly number[])[]): number {
  const [first] = front;
  if (first === undefined) return -1;
  const low = first.map((_, place) => Math.min(...front.map((values) => values[place] ?? 0)));
  const high = first.map((_, place) => Math.max(...front.map((values) => values[place] ?? 0)));
  const sums = front.map((values) =>
    values.reduce((sum, value, place) => {
      const range = (high[place] ?? 0) - (low[place] ?? 0);
      return range === 0 ? sum : sum + (value - (low[place] ?? 0)) / range;
    }, 0),
  );
  return sums.indexOf(Math.min(...sums));
}

function unit(random: SeededRandom): number {
  return random.integer(2 ** 32) / 2 ** 32;
}

/** A number of the standard normal distribution, by Box and Muller. */
function normal(random: SeededRandom): number {
  const distance = Math.sqrt(-2 * Math.log(1 - unit(random)));
  return distance * Math.cos(2 * Math.PI * unit(random));
}
