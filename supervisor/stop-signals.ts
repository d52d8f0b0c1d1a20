import { performance } from 'node:perf_hooks';
import type { Logger } from '../src/telemetry/logger.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

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
 *
 * All three stay handled until the process is gone: a signal that comes while it exits, of an
 * impatient operator or service manager, would otherwise end it by default and hide its exit code.
 */
export class StopSignals {
  /** Resolves with the signal's name. */
  readonly first: Promise<NodeJS.Signals>;

  readonly #second = new AbortController();
  #firstAt: number | undefined;

  /** @param log - says that a SIGHUP changed nothing */
  constructor(log: Pick<Logger, 'warn'>) {
    let resolveFirst: (signal: NodeJS.Signals) => void = () => undefined;
    this.first = new Promise((resolve) => {
      resolveFirst = resolve;
    });
    const handle = (signal: NodeJS.Signals): void => {
      const now = performance.now();
      if (this.#firstAt === undefined) {
        this.#firstAt = now;
        resolveFirst(signal);
      } else if (now - this.#firstAt >= SAME_WISH_MS) {
        this.#second.abort();
      }
    };
    for (const signal of STOP_SIGNALS) process.on(signal, handle);
    process.on('SIGHUP', () => {
      log.warn('SIGHUP changes nothing: to reload the configuration, restart the service');
    });
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
