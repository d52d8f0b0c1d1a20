import { isIP } from 'node:net';

export interface LoginLimitsOptions {
  readonly perMinute: number;
  readonly now: () => number;
}

interface Tries {
  /** Times of the tries that still count, in milliseconds. */
  times: number[];
  failures: number;
  /** Somebody was told to wait since the last try that was made. */
  refused: boolean;
  /** No try before this. */
  notBeforeMs: number;
}

export interface Admission {
  /** Seconds to wait; 0 when the try may be made. */
  readonly waitS: number;
  /** The first refusal in a row: one is worth a record, and thousands are an attack on it. */
  readonly isFirst: boolean;
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

  /** A try that may be made counts. */
  tryLogin(address: string, name: string): Admission {
    const nowMs = this.options.now();
    const byAddress = recordOf(this.#addresses, networkOf(address));
    const byName = recordOf(this.#names, name);
    const waitMs = Math.max(
      waitFor(byAddress, nowMs, ADDRESS_WINDOW_MS, this.options.perMinute),
      waitFor(byName, nowMs, NAME_WINDOW_MS, NAME_TRIES_MAX),
      byName.notBeforeMs - nowMs,
    );
    if (waitMs > 0) {
      const isFirst = !byAddress.refused;
      byAddress.refused = true;
      return { waitS: Math.ceil(waitMs / 1000), isFirst };
    }
    byAddress.refused = false;
    byAddress.times.push(nowMs);
    byName.times.push(nowMs);
    return { waitS: 0, isFirst: false };
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

/** Who has one address of IPv6 has the 2^64 beside it. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function recordOf(all: Map<string, Tries>, key: string): Tries {
  const known = all.get(key) ?? { times: [], failures: 0, refused: false, notBeforeMs: 0 };
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
