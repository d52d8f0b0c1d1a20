import type { DeployOptions } from './config.js';
import type { Planner } from './planner.js';

const DAY_S = 86_400;
const INTERVAL_MS = 3_600_000;

/** Prunes the state from time to time, as long as the service runs. */
export class Pruning {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly planner: Pick<Planner, 'prune'>,
    private readonly options: Pick<DeployOptions, 'stateDir' | 'stateKeepDays'>,
    private readonly nowS: () => number,
  ) {}

  begin(): void {
    this.#timer = setInterval(() => {
      const { stateDir, stateKeepDays } = this.options;
      const request = { nowS: this.nowS(), keepS: stateKeepDays * DAY_S };
      // A file that cannot be read is reported where it is needed; the next time tries again.
      this.planner.prune(stateDir, request).catch(() => undefined);
    }, INTERVAL_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
