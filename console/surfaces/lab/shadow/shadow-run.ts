import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../../../src/ring/builder/random.js';
import { ApiError } from '../../../server/api-error.js';
import { digestOf, seedsOf, type Dialect, type ShadowCase } from './case.js';
import type { Difference, Verdict } from './comparison.js';
import type { Duel, StepResult } from './duel.js';
import { minimize } from './minimizer.js';
import { drawMutation, mutate, type Mutation, type Operator } from './mutation.js';
import type { ShadowFiles } from './shadow-files.js';

export type ShadowParams = Readonly<{
  mode: 'single' | 'dual' | 's3';
  seed: number;
  cases: number;
  operators: readonly Operator[];
  /** Names of the sides; null where there is one alone. */
  a: string;
  b: string | null;
}>;

export interface ShadowFinding extends StepResult {
  readonly id: string;
  readonly case: ShadowCase;
  readonly mutations: readonly Mutation[];
  /** It did not show each time that the case was sent again; null where that could not be tried. */
  readonly is_flaky: boolean | null;
  /** How often something like it was found. */
  readonly times: number;
  /** The smallest case that shows it; null where it was not looked for. */
  readonly minimal: ShadowCase | null;
}

export interface ShadowView {
  readonly cases: number;
  /** Cases that could not be sent, since a side took no container. */
  readonly skipped: number;
  /** Why the run has ended early, or lacks something; null where it has all. */
  readonly problem: string | null;
  readonly steps: number;
  readonly findings: readonly ShadowFinding[];
  /** Findings that are not listed as long as the run goes on. */
  readonly unlisted: number;
  /** Steps by method and verdict. */
  readonly matrix: Readonly<Record<string, Readonly<Record<Verdict, number>>>>;
}

const MUTATIONS_MAX = 3;
const FINDINGS_MAX = 200;
const LIVE_FINDINGS_MAX = 20;
const MINIMIZED_MAX = 20;
const RETRIES = 3;
/** A side that takes no container so many times, one after the other, is down. */
const FAILURES_MAX = 5;
const FAILURE_PAUSE_MS = 500;
const CONTROL_RULES = new Set(['transport', 'timeout', 'status', 'server_error']);
/** At most twenty steps a second. */
const STEP_MS = 50;

/** The difference that a case has to show again. */
interface Wanted {
  readonly method: string;
  readonly wanted: Difference;
  readonly signal: AbortSignal;
}

/** Sends cases until there have been enough, and looks at each difference again. */
export class ShadowRun {
  readonly #findings = new Map<string, ShadowFinding>();
  readonly #matrix: Record<string, Record<Verdict, number>> = {};
  #cases = 0;
  #steps = 0;
  #skipped = 0;
  #failures = 0;
  #problem: string | null = null;

  constructor(
    private readonly id: string,
    private readonly params: ShadowParams,
    private readonly duel: Duel,
    private readonly files: ShadowFiles,
    private readonly now: () => number,
  ) {}

  get view(): ShadowView {
    return {
      cases: this.#cases,
      skipped: this.#skipped,
      problem: this.#problem,
      steps: this.#steps,
      findings: [...this.#findings.values()],
      unlisted: 0,
      matrix: structuredClone(this.#matrix),
    };
  }

  /** The view while the run goes on, time and again: the latest findings. */
  get live(): ShadowView {
    const { findings, ...view } = this.view;
    const listed = findings.slice(-LIVE_FINDINGS_MAX);
    return { ...view, findings: listed, unlisted: findings.length - listed.length };
  }

  /** {@link view} as JSON, one finding at a time: all of them take ten milliseconds. */
  async json(): Promise<Uint8Array> {
    const { findings, ...view } = this.view;
    const pieces = [Buffer.from(`${JSON.stringify(view).slice(0, -1)},"findings":[`)];
    for (const [at, finding] of findings.entries()) {
      pieces.push(Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(finding)}`));
      await nextTurn();
    }
    return Buffer.concat([...pieces, Buffer.from(']}')]);
  }

  /** Five requests that both sides have to answer alike. @throws ApiError upstream_unavailable */
  async preflight(signal: AbortSignal): Promise<void> {
    const [control] = seedsOf(this.duel.a.dialect);
    if (control === undefined) throw new Error('there are no seeds');
    let results: StepResult[];
    try {
      results = await this.duel.run(control, signal);
    } catch (error) {
      throw new ApiError('upstream_unavailable', (error as Error).message);
    }
    // How answers differ is for the run to find; here both have to be up, and to take requests.
    const odd = results.find(({ difference }) => CONTROL_RULES.has(difference.rule));
    if (odd === undefined) return;
    const { a, b, difference } = odd;
    const who =
      b === null ? `Side ${a.label} does not` : `One of ${a.label} and ${b.label} does not`;
    throw new ApiError(
      'upstream_unavailable',
      `${who} answer control requests as expected: ${difference.rule}, ${difference.detail}.`,
    );
  }

  /**
   * A refusal of one side for a moment, or a file that cannot be written, ends no run.
   * @param tell is called after each case
   */
  async run(signal: AbortSignal, tell: () => void): Promise<void> {
    const { seed, cases, operators } = this.params;
    const { dialect } = this.duel.a;
    const random = new SeededRandom(seed);
    const seeds = seedsOf(dialect);
    const bases = [...seeds, ...(await this.files.corpus(dialect))];
    for (let at = 0; at < cases && !signal.aborted; at++) {
      const base = bases[at < seeds.length ? at : random.integer(bases.length)];
      if (base === undefined) continue;
      const count = at < seeds.length ? 0 : 1 + random.integer(MUTATIONS_MAX);
      const mutations = Array.from({ length: count }, () => drawMutation(random, base, operators));
      const one = { ...mutate(base, mutations), id: `${base.id}-${at}` };
      await this.#send(one, mutations, signal);
      tell();
      if (this.#failures >= FAILURES_MAX) {
        this.#problem = `Stopped: could not create a test container on a target ${FAILURES_MAX} times in a row.`;
        return;
      }
      await delay(STEP_MS * one.steps.length, undefined, { signal }).catch(() => undefined);
    }
    await this.#minimizeAll(signal, tell);
  }

  async #send(one: ShadowCase, mutations: readonly Mutation[], signal: AbortSignal): Promise<void> {
    const results = await this.#duel(one, signal);
    if (signal.aborted) return;
    if (results === undefined) {
      this.#skipped += 1;
      return;
    }
    this.#cases += 1;
    for (const result of results) {
      const { method = '' } = one.steps[result.step] ?? {};
      const { verdict } = result.difference;
      this.#steps += 1;
      const row = (this.#matrix[method.toUpperCase()] ??= newRow());
      row[verdict] += 1;
    }
    const flaky = new Map<number, boolean | null>();
    for (const result of results) {
      const { difference, others, step } = result;
      const odd = [difference, ...others].filter(({ verdict: each }) => isFinding(each));
      for (const each of odd) {
        const isFlaky = await this.#note(one, mutations, { ...result, difference: each }, signal);
        if (flaky.get(step) !== true) flaky.set(step, isFlaky);
      }
      // Behind this the two may be in different states.
      if (odd.some(({ rule }) => CONTROL_RULES.has(rule))) break;
    }
    const lines = results.map((each) => this.#line(one, mutations, each, flaky.get(each.step)));
    await this.#write(() => this.files.log(lines));
  }

  /** @returns undefined where a side took no container: it may the next time */
  async #duel(one: ShadowCase, signal: AbortSignal): Promise<StepResult[] | undefined> {
    try {
      const results = await this.duel.run(one, signal);
      this.#failures = 0;
      return results;
    } catch {
      this.#failures += 1;
      await delay(FAILURE_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      return undefined;
    }
  }

  /** A finding is not lost because a disk is full. */
  async #write(task: () => Promise<unknown>): Promise<void> {
    try {
      await task();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      this.#problem = `Could not write files in shadow_root: ${code}.`;
    }
  }

  /** @returns see `is_flaky` of a finding */
  async #note(
    one: ShadowCase,
    mutations: readonly Mutation[],
    found: StepResult,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    const { rule, detail } = found.difference;
    const method = one.steps[found.step]?.method.toUpperCase() ?? '';
    const id = `${method} ${rule} ${detail}`.slice(0, 200);
    const known = this.#findings.get(id);
    if (known !== undefined) {
      this.#findings.set(id, { ...known, times: known.times + 1 });
      return known.is_flaky;
    }
    if (this.#findings.size >= FINDINGS_MAX) return null;
    const again = [];
    for (let sent = 0; sent < RETRIES; sent++)
      again.push(await this.#shows(one, { method, wanted: found.difference, signal }));
    // A case that could not be sent again says nothing.
    const isFlaky = again.includes(false) || (again.includes(undefined) ? null : false);
    const finding = { id, case: one, mutations, is_flaky: isFlaky, times: 1, minimal: null };
    this.#findings.set(id, { ...found, ...finding });
    await this.#write(() => this.files.keep(one));
    return isFlaky;
  }

  /** @returns undefined where it could not be sent */
  async #shows(one: ShadowCase, { method, wanted, signal }: Wanted): Promise<boolean | undefined> {
    if (signal.aborted) return undefined;
    const results = await this.#duel(one, signal);
    return results
      ?.filter(({ step }) => one.steps[step]?.method.toUpperCase() === method)
      .flatMap(({ difference, others }) => [difference, ...others])
      .some(({ verdict, rule }) => verdict === wanted.verdict && rule === wanted.rule);
  }

  async #minimizeAll(signal: AbortSignal, tell: () => void): Promise<void> {
    const isCut = (): boolean => signal.aborted || this.#failures >= FAILURES_MAX;
    const stable = [...this.#findings.values()].filter((one) => one.is_flaky !== true);
    for (const finding of stable.slice(0, MINIMIZED_MAX)) {
      if (isCut()) return;
      const method = finding.case.steps[finding.step]?.method.toUpperCase() ?? '';
      const about = { method, wanted: finding.difference, signal };
      const { minimal } = await minimize(finding.case, async (one) =>
        isCut() ? false : ((await this.#shows(one, about)) ?? false),
      );
      // A reduction that was cut short may not give the smallest case, but one with the difference.
      this.#findings.set(finding.id, { ...finding, minimal });
      await this.#write(() => this.files.keep(minimal, true));
      tell();
    }
  }

  #line(
    one: ShadowCase,
    mutations: readonly Mutation[],
    { step, difference, a, b }: StepResult,
    isFlaky: boolean | null = false,
  ): object {
    const { method, target, headers, body_b64: body } = one.steps[step] ?? {};
    const short = ({ label, status, ms, body_sha256 }: NonNullable<typeof b>) => ({ label, status, ms, body_sha256 }); // prettier-ignore
    return {
      ...{ v: 1, unix_s: Math.floor(this.now() / 1000), run_id: this.id, seed: this.params.seed },
      ...{ case_sha256: digestOf(one), step, ops: mutations },
      request: { method, target, headers, bytes: Buffer.byteLength(body ?? '', 'base64') },
      ...{ a: short(a), b: b === null ? null : short(b) },
      ...difference,
      flaky: isFlaky,
    };
  }
}

export function isFinding(verdict: Verdict): boolean {
  return verdict === 'semantic' || verdict === 'breaking';
}

function newRow(): Record<Verdict, number> {
  return { identical: 0, cosmetic: 0, semantic: 0, breaking: 0 };
}

/** The dialect that a mode speaks. */
export function dialectOf(mode: ShadowParams['mode']): Dialect {
  return mode === 's3' ? 's3' : 'swift';
}
