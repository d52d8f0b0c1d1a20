import process from 'node:process';

/** How long a fuzzer goes on, and from where. */
export interface FuzzPlan {
  readonly seed: number;
  /** Number of the first case. */
  readonly first: number;
  readonly cases: number;
}

/**
 * | variable | |
 * |---|---|
 * | `RINGWAY_FUZZ_CASES` | how many cases, instead of the suite's own number |
 * | `RINGWAY_FUZZ_SEED` | a number, or `random`; a build that was green stays so with the suite's own |
 * | `RINGWAY_FUZZ_FIRST` | the number of the first case: with `RINGWAY_FUZZ_CASES=1` the only one |
 */
export function fuzzPlan(cases: number, env: NodeJS.ProcessEnv = process.env): FuzzPlan {
  const { RINGWAY_FUZZ_SEED: seed = '1', RINGWAY_FUZZ_CASES, RINGWAY_FUZZ_FIRST = '0' } = env;
  return {
    seed: seed === 'random' ? Math.floor(Math.random() * 2 ** 31) : wholeNumber(seed),
    first: wholeNumber(RINGWAY_FUZZ_FIRST),
    cases: RINGWAY_FUZZ_CASES === undefined ? cases : wholeNumber(RINGWAY_FUZZ_CASES),
  };
}

/** The words with which a failure is repeated. */
export function replayHint(seed: number, index: number): string {
  return `repeat with RINGWAY_FUZZ_SEED=${seed} RINGWAY_FUZZ_FIRST=${index} RINGWAY_FUZZ_CASES=1`;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is no number of a fuzzer`);
  return Number(text);
}
