import { AccountJanitor, type JanitorDeps, type Visit } from './account-janitor.js';

/** Between visits, whatever they say: a store that fails is not to be pestered. */
const PAUSE_MS_MIN = 100;
/** The pause after a failure. */
const RETRY_MS = 10_000;

/** Its present work, in words for an operator. */
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
  #names: ReadonlySet<string> = new Set();
  readonly #finishedAt = new Map<string, number>();
  /** By the monotonic clock: thousands of accounts are not asked because one of them is due. */
  readonly #dueAt = new Map<string, number>();
  readonly #interrupted = new Set<string>();
  #hasNew = false;
  #wake = new AbortController();
  #state: JanitorState = { ok: true, detail: 'starting' };

  /** @param accounts - each once */
  constructor(
    private readonly deps: JanitorDeps,
    accounts: readonly string[],
  ) {
    this.replaceAccounts(accounts);
  }

  /**
   * New ones are visited at once, when what is under way is done; one that is left out is finished if
   * it is being worked on.
   * @param accounts - each once
   */
  replaceAccounts(accounts: readonly string[]): void {
    const known = new Map(this.#accounts.map(({ name, janitor }) => [name, janitor]));
    this.#accounts = accounts.map((name) => ({
      name,
      janitor: known.get(name) ?? new AccountJanitor(this.deps, name),
    }));
    this.#names = new Set(accounts);
    for (const name of known.keys()) {
      if (this.#names.has(name)) continue;
      // Else it would be the account that waits longest, for ever.
      this.#finishedAt.delete(name);
      this.#dueAt.delete(name);
      this.#interrupted.delete(name);
    }
    if (accounts.every((name) => known.has(name))) return;
    this.#hasNew = true;
    this.#wake.abort(new Error('an account has come'));
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
      this.#takeNew();
      for (const { name, janitor } of this.#accounts) {
        if (!this.#names.has(name)) continue;
        const earlyMs = (this.#dueAt.get(name) ?? 0) - this.deps.clock.monotonic();
        if (earlyMs > 0) {
          waitMs = Math.min(waitMs, earlyMs);
          continue;
        }
        this.#state = { ok: true, detail: `at work in ${name}` };
        const visit = await this.#visit(name, janitor, signal);
        // It was left out meanwhile: what is noted now would stay for ever.
        if (!this.#names.has(name)) continue;
        if (visit.outcome === 'interrupted') this.#interrupted.add(name);
        else this.#interrupted.delete(name);
        const nextMs = this.#afterVisit(name, visit);
        this.#dueAt.set(name, this.deps.clock.monotonic() + nextMs);
        waitMs = Math.min(waitMs, nextMs);
      }
      this.#state =
        this.#interrupted.size === 0
          ? { ok: true, detail: this.#idleDetail() }
          : {
              ok: false,
              detail: `the pass over ${[...this.#interrupted].join(', ')} was interrupted`,
            };
      if (this.#takeNew()) continue;
      this.#wake = new AbortController();
      const signals = AbortSignal.any([signal, this.#wake.signal]);
      await this.deps.clock.sleep(Math.max(waitMs, PAUSE_MS_MIN), signals).catch(() => undefined);
    }
  }

  /** @returns whether an account has come since this was called last */
  #takeNew(): boolean {
    const hasNew = this.#hasNew;
    this.#hasNew = false;
    return hasNew;
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
