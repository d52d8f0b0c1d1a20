import type { RingData } from '../../../../src/ring/ring-data.js';
import {
  sampleRing,
  WeightEvaluation,
  type Evaluation,
  type EvaluationOptions,
} from './evaluation.js';
import { kneeOf, nonDominatedFronts, nsga2, type Individual } from './nsga2.js';

export interface GenomeOptions extends EvaluationOptions {
  readonly population: number;
  readonly generations: number;
  /** Bounds of each weight, as multiples of the current one. */
  readonly lowerFactor: number;
  readonly upperFactor: number;
}

/** Weights that no other weights beat in every respect. */
export interface Candidate {
  /** From 0; the current weights are `baseline`, and not one of them. */
  readonly id: number;
  readonly weights: Readonly<Record<string, number>>;
  /** In the order of `OBJECTIVES`. */
  readonly f: readonly number[];
  readonly metrics: CandidateMetrics;
  /** Part-replicas, by device id. */
  readonly parts: Readonly<Record<string, number>>;
  /** The best compromise: see `kneeOf`. */
  readonly is_knee: boolean;
}

export interface CandidateMetrics {
  readonly moved_pct: number;
  /** Part-replicas that would be copied, at the ring's full number of partitions. */
  readonly moved_parts: number;
  readonly availability: number;
  readonly waste_pct: number;
  /** The largest share of the partitions that two devices have in common. */
  readonly shared_pct: number;
}

export interface GenomeProgress {
  readonly generation: number;
  readonly generations: number;
  /** Values of the front's candidates, in the order of `OBJECTIVES`. */
  readonly front: readonly (readonly number[])[];
  readonly baseline: readonly number[];
}

export interface GenomeResult {
  readonly baseline: Omit<Candidate, 'id' | 'is_knee'>;
  readonly front: readonly Candidate[];
  readonly seed: number;
  readonly evaluations: number;
  /** The part power that candidates were compared at; the front was judged again at the ring's. */
  readonly searched_part_power: number;
}

/** Partitions while searching: a rebalance of 2^10 takes some 20 ms. */
const SEARCH_PART_POWER = 10;

/**
 * Searches weights for the devices of a ring. Yields after each generation. The front is judged
 * again with all partitions of the ring, and what is dominated by then is left out.
 * @throws RingBuildError
 */
export function* searchWeights(
  ring: RingData,
  options: GenomeOptions,
): Generator<GenomeProgress, GenomeResult> {
  const sampled = sampleRing(ring, SEARCH_PART_POWER);
  const search = new WeightEvaluation(sampled, options);
  const current = Float64Array.from(search.currentWeights);
  let evaluations = 0;
  const evaluate = (genes: Float64Array): { values: readonly number[]; info: Evaluation } => {
    evaluations++;
    const info = search.evaluate(weightsOf(genes, current));
    return { values: info.values, info };
  };
  const baselineValues = search.evaluate(current).values;
  let front: readonly Individual<Evaluation>[] = [];
  const generations = nsga2({
    start: new Float64Array(current.length),
    lower: new Float64Array(current.length).fill(Math.log(options.lowerFactor)),
    upper: new Float64Array(current.length).fill(Math.log(options.upperFactor)),
    population: options.population,
    generations: options.generations,
    seed: options.seed,
    evaluate,
  });
  for (const generation of generations) {
    front = generation.front;
    yield {
      generation: generation.number,
      generations: options.generations,
      front: front.map(({ values }) => values),
      baseline: baselineValues,
    };
  }
  const full = new WeightEvaluation(ring, options);
  const judged = distinct(front).map(({ genes }) => {
    const weights = weightsOf(genes, current);
    return { weights, evaluation: full.evaluate(weights) };
  });
  const [best = []] = nonDominatedFronts(judged.map(({ evaluation }) => evaluation.values));
  const candidates = best.flatMap((place) => judged[place] ?? []);
  const knee = kneeOf(candidates.map(({ evaluation }) => evaluation.values));
  return {
    baseline: described(full, current, full.evaluate(current)),
    front: candidates.map(({ weights, evaluation }, id) => ({
      id,
      ...described(full, weights, evaluation),
      is_knee: id === knee,
    })),
    seed: options.seed,
    evaluations,
    searched_part_power: sampled.partPower,
  };
}

/** Genes are the logarithms of factors: 0 is the current weight, of which a copy is exact. */
function weightsOf(genes: Float64Array, current: Float64Array): Float64Array {
  return current.map((weight, place) => {
    const gene = genes[place] ?? 0;
    return gene === 0 ? weight : Number((weight * Math.exp(gene)).toPrecision(6));
  });
}

function distinct(front: readonly Individual<Evaluation>[]): Individual<Evaluation>[] {
  const seen = new Set<string>();
  return front.filter(({ genes }) => {
    const key = genes.join(' ');
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function described(
  evaluation: WeightEvaluation,
  weights: Float64Array,
  { values, moved, partCounts }: Evaluation,
): Omit<Candidate, 'id' | 'is_knee'> {
  const [migration = 0, unavailability = 0, waste = 0, repair = 0] = values;
  const ids = evaluation.deviceIds;
  return {
    weights: Object.fromEntries(ids.map((id, place) => [String(id), weights[place] ?? 0])),
    f: values,
    metrics: {
      moved_pct: 100 * migration,
      moved_parts: moved,
      availability: 1 - unavailability,
      waste_pct: 100 * waste,
      shared_pct: 100 * repair,
    },
    parts: Object.fromEntries(ids.map((id) => [String(id), partCounts[id] ?? 0])),
  };
}

/** The search that a candidate is of. */
export interface SearchedRing {
  readonly ring: string;
  /** The MD5 of the ring that was searched. */
  readonly md5: string;
  readonly seed: number;
}

/**
 * The weights of a candidate as commands of `swift-ring-builder`, for the devices that change.
 *
 * @param json - a `GenomeResult`, in UTF-8; empty for none
 * @param candidate - its id
 * @returns null where there is no such candidate
 */
export function commandsOf(
  json: Uint8Array,
  { ring, md5, seed }: SearchedRing,
  candidate: string,
): string | null {
  if (json.length === 0) return null;
  const result = JSON.parse(Buffer.from(json).toString('utf8')) as GenomeResult;
  const found = result.front.find(({ id }) => String(id) === candidate);
  if (found === undefined) return null;
  const before = result.baseline.weights;
  const builder = `${ring}.builder`;
  const lines = Object.entries(found.weights)
    .filter(([id, weight]) => weight !== before[id])
    .map(([id, weight]) => `swift-ring-builder ${builder} set_weight d${id} ${weight}`);
  return [
    `# ${ring} (md5 ${md5}): candidate ${candidate} of a search with seed ${seed}`,
    ...lines,
    `swift-ring-builder ${builder} rebalance`,
    '',
  ].join('\n');
}
