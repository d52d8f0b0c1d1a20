import { performance } from 'node:perf_hooks';
import { Signal } from './signal.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * One Ctrl-C under `npm start` arrives twice: from the terminal, which signals the whole group, and
 * from npm, which hands on what it got. A signal that follows the first this soon is the same wish.
 */
const SAME_WISH_MS = 500;

/**
 * The operator's wishes: the first signal to stop asks for a drain, the second for an end at once;
 * SIGHUP asks for a reload.
 *
 * All three stay handled until the process is gone: a signal that comes while it exits, of an
 * impatient operator or service manager, would otherwise end it by default and hide its exit code.
 */
export class StopSignals {
  /** Called for each SIGHUP; there is nothing to reload before a service is there. */
  onReload: () => void = () => undefined;

  readonly #first = new Signal<string>();
  /** Resolves with the signal's name, or with who else asked. */
  readonly first = this.#first.fired;
  readonly #second = new AbortController();
  #firstAt: number | undefined;

  constructor() {
    const handle = (signal: NodeJS.Signals): void => {
      const now = performance.now();
      if (this.#firstAt === undefined) {
        this.stop(signal);
      } else if (now - this.#firstAt >= SAME_WISH_MS) {
        this.#second.abort();
      }
    };
    for (const signal of STOP_SIGNALS) process.on(signal, handle);
    process.on('SIGHUP', () => {
      this.onReload();
    });
  }

  /** Stops like the first signal. */
  stop(who: string): void {
    if (this.#firstAt !== undefined) return;
    this.#firstAt = performance.now();
    this.#first.fire(who);
  }

  /** The first signal has come. */
  get stopping(): boolean {
    return this.#firstAt !== undefined;
  }

  /** Aborted by the second signal. */
  get second(): AbortSignal {
    return this.#second.signal;
  }
}
