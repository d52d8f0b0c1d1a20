import { performance } from 'node:perf_hooks';
import type { Logger } from '../src/telemetry/logger.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * One Ctrl-C under `npm start` arrives twice: the terminal signals the whole process group, and npm
 * hands on the one that it got itself. Nobody presses a key twice as fast as that.
 */
const ONE_KEYSTROKE_MS = 250;

/**
 * One Ctrl-C under `npm start` arrives twice: from the terminal, which signals the whole group, and
 * from npm, which hands on what it got. What follows the first this soon is the same wish.
 */
const SAME_WISH_MS = 500;

/**
 * The operator's wish to stop: the first signal asks for a drain, the second for an end at once.
 *
 * SIGHUP is no such wish. Service managers send it to have the configuration read again, which this
 * release cannot do; its default action would end the process and cut every transfer.
 */
export class StopSignals {
  /** Resolves with the signal's name. */
  readonly first: Promise<NodeJS.Signals>;

  readonly #second = new AbortController();
  #firstAt: number | undefined;
  #interruptedAt = -Infinity;
  readonly #handle: (signal: NodeJS.Signals) => void;

  readonly #refuseReload: () => void;

  /** @param log - says that a SIGHUP changed nothing */
  constructor(log: Pick<Logger, 'warn'>) {
    let resolveFirst: (signal: NodeJS.Signals) => void = () => undefined;
    this.first = new Promise((resolve) => {
      resolveFirst = resolve;
    });
    this.#handle = (signal) => {
      if (signal === 'SIGINT' && this.#isSameKeystroke()) return;
      const now = performance.now();
      if (this.#firstAt === undefined) {
        this.#firstAt = now;
        resolveFirst(signal);
      } else if (now - this.#firstAt >= SAME_WISH_MS) {
        this.#second.abort();
      }
    };
    for (const signal of STOP_SIGNALS) process.on(signal, this.#handle);
    this.#refuseReload = () => {
      log.warn('SIGHUP changes nothing: to reload the configuration, restart the service');
    };
    process.on('SIGHUP', this.#refuseReload);
  }

  /** The first signal has come. */
  get stopping(): boolean {
    return this.#firstAt !== undefined;
  }

  /** Aborted by the second signal. */
  get second(): AbortSignal {
    return this.#second.signal;
  }

  #isSameKeystroke(): boolean {
    const previous = this.#interruptedAt;
    this.#interruptedAt = performance.now();
    return this.#interruptedAt - previous < ONE_KEYSTROKE_MS;
  }

  close(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#handle);
    process.off('SIGHUP', this.#refuseReload);
  }
}
