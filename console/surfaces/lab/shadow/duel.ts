import { createHash } from 'node:crypto';
import type { ShadowCase } from './case.js';
import { compare, judge, SAME, type Difference } from './comparison.js';
import type { RawAnswer } from './raw-request.js';
import type { ShadowSide } from './side.js';

/** An answer as the log and the pages have it: without what it says. */
export interface AnswerView extends Omit<RawAnswer, 'body'> {
  readonly label: string;
  readonly body_sha256: string;
  /** The beginning of it. */
  readonly body: string;
}

export interface StepResult {
  readonly step: number;
  /** The difference that counts most. */
  readonly difference: Difference;
  /** The other differences. */
  readonly others: readonly Difference[];
  readonly a: AnswerView;
  /** Null where there is one side alone. */
  readonly b: AnswerView | null;
}

const BODY_SHOWN = 1000;
/** Headers that a page does not show: they let in. */
const SECRET = /^(?:x-auth-token|x-storage-token|set-cookie|authorization)$/;

/** Sends a case to one side, or to both at the same time, each in a fresh container. */
export class Duel {
  constructor(
    readonly a: ShadowSide,
    readonly b: ShadowSide | undefined,
  ) {}

  /**
   * @param signal - ends it, and the wait for a side that does not answer
   * @throws Error where a container cannot be made, or it was ended
   */
  async run(one: ShadowCase, signal?: AbortSignal): Promise<StepResult[]> {
    const sides = this.b === undefined ? [this.a] : [this.a, this.b];
    const made = await Promise.allSettled(sides.map((side) => side.create(signal)));
    const containers = made.map((each) => (each.status === 'fulfilled' ? each.value : ''));
    try {
      const failed = made.find((each) => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      const results: StepResult[] = [];
      for (const [index, step] of one.steps.entries()) {
        const answers = await Promise.all(
          sides.map((side, at) => side.send(step, containers[at] ?? '', signal)),
        );
        signal?.throwIfAborted();
        results.push(this.#resultOf(index, answers, one, containers));
      }
      return results;
    } finally {
      // Also where the other side could not make its own.
      const own = sides.map((side, at) => ({ side, container: containers[at] ?? '' }));
      const there = own.filter(({ container }) => container !== '');
      await Promise.all(
        there.map(({ side, container }) => side.remove(container, signal?.aborted === true)),
      );
    }
  }

  #resultOf(
    step: number,
    answers: readonly RawAnswer[],
    { dialect, steps }: ShadowCase,
    containers: readonly string[],
  ): StepResult {
    // Each side has a container of its own, whose name is in what it says.
    const plain = answers.map((answer, at) => anonymous(answer, containers[at] ?? ''));
    const [a, b] = plain;
    if (a === undefined) throw new Error('no side has answered');
    const method = steps[step]?.method.toUpperCase();
    const found = b === undefined ? judge(a) : compare(a, b, dialect, method);
    const [difference = SAME, ...others] = found;
    const view = (answer: RawAnswer, side: ShadowSide): AnswerView => viewOf(answer, side.label);
    return {
      ...{ step, difference, others, a: view(a, this.a) },
      b: b === undefined || this.b === undefined ? null : view(b, this.b),
    };
  }
}

function anonymous(answer: RawAnswer, container: string): RawAnswer {
  const hide = (text: string): string => text.replaceAll(container, 'shadow-container');
  return {
    ...answer,
    headers: answer.headers.map(([name, value]) => [name, hide(value)] as const),
    body: answer.body.includes(container)
      ? Buffer.from(hide(answer.body.toString('latin1')), 'latin1')
      : answer.body,
  };
}

function viewOf({ status, transport, ms, headers, body }: RawAnswer, label: string): AnswerView {
  return {
    ...{ label, status, transport, ms: Math.round(ms) },
    headers: headers
      .filter(([name]) => !SECRET.test(name))
      .slice(0, 50)
      .map(([name, value]) => [name, value.slice(0, 300)] as const),
    body_sha256: createHash('sha256').update(body).digest('hex'),
    body: body.toString('utf8', 0, BODY_SHOWN),
  };
}
