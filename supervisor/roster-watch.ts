import type { Roster } from '../src/config/credentials.js';
import { ConfigError } from '../src/config/problem.js';
import {
  fileStamp,
  rereadRoster,
  rosterFile,
  type RosterOptions,
} from '../src/config/roster-source.js';
import type { Logger } from '../src/telemetry/logger.js';

/**
 * A look each second costs microseconds, and notices what inotify does not: a file that is replaced
 * by renaming, behind a symlink, or on a network mount.
 */
const INTERVAL_MS = 1000;

/** Clocks of file systems tick in milliseconds: a later write in the same tick changes no stamp. */
const SETTLED_MS = 2 * INTERVAL_MS;

export interface RosterWatchOptions {
  readonly options: RosterOptions;
  readonly log: Logger;
  readonly onChange: (roster: Roster) => void;
}

/**
 * Follows the file with the credentials while the service runs. One that cannot be used changes
 * nothing: what was read before still holds.
 */
export class RosterWatch {
  readonly #watch: RosterWatchOptions;
  readonly #file: string | undefined;
  #current: string;
  #stamp = '';
  /** When the file was read last with another stamp than before. */
  #changedAt = 0;
  #problem = '';
  /** When a credential of the file expires next, in milliseconds since 1970. */
  #expiresAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param current - what the service started with, from the same file */
  constructor(watch: RosterWatchOptions, current: Roster) {
    this.#watch = watch;
    this.#file = rosterFile(watch.options);
    this.#current = JSON.stringify(current);
  }

  start(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#timer = setInterval(() => {
      this.#look(file);
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(file: string): void {
    const now = performance.now();
    const stamp = fileStamp(file);
    if (stamp !== this.#stamp) this.#changedAt = now;
    else if (now - this.#changedAt > SETTLED_MS && Date.now() < this.#expiresAtMs) return;
    this.#stamp = stamp;
    this.#read(file);
  }

  #read(file: string): void {
    const { options, log, onChange } = this.#watch;
    try {
      const { roster, warnings, expiresAtMs = Infinity } = rereadRoster(options);
      this.#expiresAtMs = expiresAtMs;
      const text = JSON.stringify(roster);
      const wasBroken = this.#problem !== '';
      this.#problem = '';
      if (text === this.#current) {
        if (wasBroken) log.info({ file }, 'credentials can be read again, and are the same');
        return;
      }
      this.#current = text;
      onChange(roster);
      log.info({ file, credentials: roster.length, warnings }, 'credentials read again');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message === this.#problem) return;
      this.#problem = error.message;
      log.error({ file, problem: error.message }, 'credentials changed, but cannot be used');
    }
  }
}
