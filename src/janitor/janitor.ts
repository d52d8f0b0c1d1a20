import { AccountJanitor, type JanitorDeps, type Visit } from './account-janitor.js';

/** Between visits, whatever they say: a store that fails is not to be pestered. */
const PAUSE_MS_MIN = 100;
/** The pause after a failure. */
const RETRY_MS = 10_000;

/** What it does now, in words for an operator. */
export interface JanitorState {
  readonly ok: boolean;
  readonly detail: string;
}

interface Place {
  readonly name: string;
  readonly janitor: AccountJanitor;
}

/** Visits all accounts again and again, one at a time. */
export class Janitor {
  #accounts: readonly Place[] = [];
  readonly #finishedAt = new Map<string, number>();
  #state: JanitorState = { ok: true, detail: 'starting' };

  /** @param accounts - each once */
  constructor(
    private readonly deps: JanitorDeps,
    accounts: readonly string[],
  ) {
    this.replaceAccounts(accounts);
  }

  /**
   * New ones are visited with the next round; one that is left out is finished if it is being worked
   * on.
   * @param accounts - each once
   */
  replaceAccounts(accounts: readonly string[]): void {
    const known = new Map(this.#accounts.map(({ name, janitor }) => [name, janitor]));
    this.#accounts = accounts.map((name) => ({
      name,
      janitor: known.get(name) ?? new AccountJanitor(this.deps, name),
    }));
  }

  get state(): JanitorState {
    return this.#state;
  }

  /**
   * When the account that waits longest was last done with, by any janitor; milliseconds since the
   * epoch, 0 when none ever was.
   */
  get lastRunAt(): number {
    return this.#finishedAt.size === 0 ? 0 : Math.min(...this.#finishedAt.values());
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let waitMs = this.deps.settings.intervalMs;
      const failures: string[] = [];
      for (const { name, janitor } of this.#accounts) {
        this.#state = { ok: true, detail: `at work in ${name}` };
        const visit = await this.#visit(name, janitor, signal);
        if (visit.outcome === 'interrupted') failures.push(name);
        waitMs = Math.min(waitMs, this.#afterVisit(name, visit));
      }
      this.#state =
        failures.length === 0
          ? { ok: true, detail: this.#idleDetail() }
          : { ok: false, detail: `the pass over ${failures.join(', ')} was interrupted` };
      await this.deps.clock.sleep(Math.max(waitMs, PAUSE_MS_MIN), signal).catch(() => undefined);
    }
  }

  async #visit(name: string, janitor: AccountJanitor, signal: AbortSignal): Promise<Visit> {
    try {
      return await janitor.visit(signal, 'due');
    } catch (error) {
      if (!signal.aborted) this.deps.observer.interrupted(name, error);
      return { outcome: 'interrupted' };
    }
  }

  /** @returns how long the account can wait */
  #afterVisit(name: string, visit: Visit): number {
    switch (visit.outcome) {
      case 'finished':
        this.#finishedAt.set(name, visit.finishedAt);
        return this.deps.settings.intervalMs;
      case 'early':
        if (visit.finishedAt !== null) this.#finishedAt.set(name, visit.finishedAt);
        return visit.waitMs;
      case 'busy':
        return visit.waitMs;
      case 'interrupted':
        return RETRY_MS;
    }
  }

  #idleDetail(): string {
    const { lastRunAt } = this;
    return lastRunAt === 0 ? 'idle' : `idle, last pass ended ${new Date(lastRunAt).toISOString()}`;
  }
}
