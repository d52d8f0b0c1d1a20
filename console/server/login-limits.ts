import { isIP } from 'node:net';

export interface LoginLimitsOptions {
  readonly perMinute: number;
  readonly now: () => number;
}

interface Tries {
  /** Times of the tries that still count, in milliseconds. */
  times: number[];
  failures: number;
  /** Whether a client was told to wait since the last attempt. */
  refused: boolean;
  /** No try before this. */
  notBeforeMs: number;
  /** A login from this address with this name has succeeded before. */
  known: boolean;
}

export interface Admission {
  /** Seconds to wait; 0 when the try may be made. */
  readonly waitS: number;
  /** The first refusal in a row: one is worth a record, and thousands are an attack on it. */
  readonly isFirst: boolean;
}

const ADDRESS_WINDOW_MS = 60_000;
const WINDOW_MS = 15 * 60_000;
/** Under one name, from one address. */
const TRIES_MAX = 10;
/** Failures that count as typing mistakes: delays begin after them. */
const FREE_FAILURES = 3;
const DELAY_MS_MAX = 5 * 60_000;
/**
 * The limit of attempts under one name, from all addresses without a login so far: slow for a
 * guesser with many addresses, and a short wait for a user at a new one.
 */
const NAME_TRIES_MAX = 60;
const NAME_PAUSE_MS = 10_000;
const RECORDS_MAX = 10_000;

/**
 * How often logins may be tried: by address, by name from an address, with a delay that doubles
 * with each failure, and by name from anywhere. A guesser at one address locks out no other
 * address. A refused attempt does not count, so that waiting helps.
 */
export class LoginLimits {
  readonly #addresses = new Map<string, Tries>();
  readonly #pairs = new Map<string, Tries>();
  readonly #names = new Map<string, Tries>();

  constructor(private readonly options: LoginLimitsOptions) {}

  /** A try that may be made counts. */
  tryLogin(address: string, name: string): Admission {
    const nowMs = this.options.now();
    const network = networkOf(address);
    const byAddress = recordOf(this.#addresses, network);
    const pair = recordOf(this.#pairs, pairOf(network, name));
    const byName = recordOf(this.#names, name);
    const waitMs = Math.max(
      waitFor(byAddress, nowMs, ADDRESS_WINDOW_MS, this.options.perMinute),
      waitFor(pair, nowMs, WINDOW_MS, TRIES_MAX),
      pair.notBeforeMs - nowMs,
      pair.known ? 0 : pauseFor(byName, nowMs),
    );
    if (waitMs > 0) {
      const isFirst = !byAddress.refused;
      byAddress.refused = true;
      return { waitS: Math.ceil(waitMs / 1000), isFirst };
    }
    byAddress.refused = false;
    for (const { times } of [byAddress, pair, byName]) times.push(nowMs);
    return { waitS: 0, isFirst: false };
  }

  failed(address: string, name: string): void {
    const tries = recordOf(this.#pairs, pairOf(networkOf(address), name));
    tries.failures += 1;
    if (tries.failures < FREE_FAILURES) return;
    const delayMs = Math.min(1000 * 2 ** (tries.failures - FREE_FAILURES), DELAY_MS_MAX);
    tries.notBeforeMs = this.options.now() + delayMs;
  }

  /** What others tried under the name, from elsewhere, goes on to count. */
  succeeded(address: string, name: string): void {
    const tries = recordOf(this.#pairs, pairOf(networkOf(address), name));
    Object.assign(tries, { times: [], failures: 0, notBeforeMs: 0, known: true });
    recordOf(this.#names, name).times.pop();
  }
}

/** A network has no line break in it: what comes after the first one is the name. */
function pairOf(network: string, name: string): string {
  return `${network}\n${name}`;
}

/** The network of an address: a client with one IPv6 address has the 2^64 beside it. */
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
  const known = all.get(key) ?? {
    times: [],
    failures: 0,
    refused: false,
    notBeforeMs: 0,
    known: false,
  };
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

/** The pause, once there were many attempts with a pause between two. */
function pauseFor(tries: Tries, nowMs: number): number {
  tries.times = tries.times.filter((time) => time > nowMs - WINDOW_MS);
  const last = tries.times.at(-1);
  return tries.times.length < NAME_TRIES_MAX || last === undefined
    ? 0
    : last + NAME_PAUSE_MS - nowMs;
}
