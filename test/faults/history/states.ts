import type { BucketState, Instant, Operation, SetStateOperation } from './operation.js';

interface Setting {
  readonly state: BucketState;
  readonly start: Instant;
  /** Infinity when nobody was told that it happened. */
  readonly doneBy: Instant;
}

/** Which versioning states the bucket may have had, when. */
export class BucketStates {
  readonly #settings: readonly Setting[];

  constructor(operations: readonly Operation[]) {
    const set = operations
      .filter((operation): operation is SetStateOperation => operation.op === 'set-state')
      .filter(({ outcome }) => outcome.result !== 'refused')
      .map(({ state, start, end, outcome }) => ({
        state,
        start,
        doneBy: outcome.result === 'ok' ? end : Infinity,
      }));
    this.#settings = [{ state: 'unversioned', start: -Infinity, doneBy: -Infinity }, ...set];
  }

  /** The states that a request which began and ended then may have found. */
  during(start: Instant, end: Instant): ReadonlySet<BucketState> {
    const possible = this.#settings.filter(
      (setting) => setting.start <= end && !this.#isOver(setting, start),
    );
    return new Set(possible.map(({ state }) => state));
  }

  #isOver({ doneBy }: Setting, at: Instant): boolean {
    return this.#settings.some((later) => later.start > doneBy && later.doneBy < at);
  }
}

/** The state in which a write is answered with this version id. */
export function stateOfWrite(version: string | undefined): BucketState {
  if (version === undefined) return 'unversioned';
  return version === 'null' ? 'Suspended' : 'Enabled';
}
