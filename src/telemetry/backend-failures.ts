/** Why a request to the backend failed; the label of metrics, and what operators read. */
export const FAILURE_CAUSES = [
  'refused',
  'reset',
  'timeout',
  'hung',
  '401',
  '429',
  '503',
  '507',
  '5xx',
] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** Errors without an answer; in others the caller gave up: that says nothing of the backend. */
const CAUSE_OF_ERROR: Readonly<Record<string, FailureCause>> = {
  connect: 'refused',
  reset: 'reset',
  timeout: 'timeout',
  hung: 'hung',
};

/** Statuses that are told apart from other 5xx: what an operator does about each differs. */
const CAUSE_OF_STATUS: Readonly<Record<number, FailureCause>> = {
  401: '401',
  429: '429',
  // Swift's own number for what its ratelimit filter refuses.
  498: '429',
  503: '503',
  507: '507',
};

/**
 * @param code a status or, without an answer, what went wrong
 * @returns undefined for what is no failure of the backend
 */
export function failureCause(code: string | number): FailureCause | undefined {
  if (typeof code === 'string') return CAUSE_OF_ERROR[code];
  return CAUSE_OF_STATUS[code] ?? (code >= 500 ? '5xx' : undefined);
}

/** Requests to the backend in the last minute, and why some failed. */
export interface RecentCalls {
  readonly calls: number;
  readonly failed: number;
  readonly causes: Readonly<Partial<Record<FailureCause, number>>>;
}

const SLOT_MS = 5_000;
const SLOTS = 12;

interface Slot {
  /** Which five seconds these are, counted from the clock's origin. */
  readonly turn: number;
  calls: number;
  readonly causes: Map<FailureCause, number>;
}

/** Counts requests by the five seconds they ended in, and forgets them after a minute. */
export class RecentCallCounts {
  readonly #slots: (Slot | undefined)[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param code as {@link failureCause} */
  count(code: string | number): void {
    const slot = this.#slot();
    slot.calls += 1;
    const cause = failureCause(code);
    if (cause !== undefined) slot.causes.set(cause, (slot.causes.get(cause) ?? 0) + 1);
  }

  get recent(): RecentCalls {
    const oldest = this.#turn() - SLOTS + 1;
    const causes: Partial<Record<FailureCause, number>> = {};
    let calls = 0;
    let failed = 0;
    for (const slot of this.#slots) {
      if (slot === undefined || slot.turn < oldest) continue;
      calls += slot.calls;
      for (const [cause, count] of slot.causes) {
        causes[cause] = (causes[cause] ?? 0) + count;
        failed += count;
      }
    }
    return { calls, failed, causes };
  }

  #turn(): number {
    return Math.floor(this.now() / SLOT_MS);
  }

  #slot(): Slot {
    const turn = this.#turn();
    const index = turn % SLOTS;
    let slot = this.#slots[index];
    if (slot?.turn !== turn) {
      slot = { turn, calls: 0, causes: new Map() };
      this.#slots[index] = slot;
    }
    return slot;
  }
}
