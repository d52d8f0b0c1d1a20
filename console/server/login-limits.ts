export interface LoginLimitsOptions {
  readonly perMinute: number;
  readonly now: () => number;
}

interface Tries {
  /** Times of the tries that still count, in milliseconds. */
  times: number[];
  failures: number;
  /** No try before this. */
  notBeforeMs: number;
}

const ADDRESS_WINDOW_MS = 60_000;
const NAME_WINDOW_MS = 15 * 60_000;
const NAME_TRIES_MAX = 10;
/** So many failures are typing mistakes: delays begin after them. */
const FREE_FAILURES = 3;
const DELAY_MS_MAX = 5 * 60_000;
const RECORDS_MAX = 10_000;

/**
 * How often logins may be tried: by address, and by user with a delay that doubles with each
 * failure. A try that is refused counts as none, so that waiting helps.
 */
export class LoginLimits {
  readonly #addresses = new Map<string, Tries>();
  readonly #names = new Map<string, Tries>();

  constructor(private readonly options: LoginLimitsOptions) {}

  /** @returns how many seconds to wait; 0 when the try may be made, and counts */
  tryLogin(address: string, name: string): number {
    const nowMs = this.options.now();
    const byAddress = recordOf(this.#addresses, address);
    const byName = recordOf(this.#names, name);
    const waitMs = Math.max(
      waitFor(byAddress, nowMs, ADDRESS_WINDOW_MS, this.options.perMinute),
      waitFor(byName, nowMs, NAME_WINDOW_MS, NAME_TRIES_MAX),
      byName.notBeforeMs - nowMs,
    );
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    byAddress.times.push(nowMs);
    byName.times.push(nowMs);
    return 0;
  }

  failed(name: string): void {
    const tries = recordOf(this.#names, name);
    tries.failures += 1;
    if (tries.failures < FREE_FAILURES) return;
    const delayMs = Math.min(1000 * 2 ** (tries.failures - FREE_FAILURES), DELAY_MS_MAX);
    tries.notBeforeMs = this.options.now() + delayMs;
  }

  succeeded(name: string): void {
    this.#names.delete(name);
  }
}

function recordOf(all: Map<string, Tries>, key: string): Tries {
  const known = all.get(key) ?? { times: [], failures: 0, notBeforeMs: 0 };
  // Re-inserted, so that the oldest is the first to be forgotten.
  all.delete(key);
  all.set(key, known);
  const oldest = all.size > RECORDS_MAX ? all.keys().next().value : undefined;
  if (oldest !== undefined) all.delete(oldest);
  return known;
}

function waitFor(tries: Tries, nowMs: number, windowMs: number, max: number): number {
  tries.times = tries.times.filter((time) => time > nowMs - windowMs);
  const [first] = tries.times.slice(-max);
  return tries.times.length < max || first === undefined ? 0 : first + windowMs - nowMs;
}
