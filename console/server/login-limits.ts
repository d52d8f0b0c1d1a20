import { networkOf } from './client-address.js';

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
/** The limit of records that matter, and of the others. */
const RECORDS_MAX = 10_000;
/** Tries under a name from which on its record matters. */
const NAME_TRIES_KEPT = 10;

/**
 * How often logins may be tried: by address, by name from an address, with a delay that doubles
 * with each failure, and by name from anywhere. A guesser at one address locks out no other
 * address. A refused attempt does not count, so that waiting helps.
 */
export class LoginLimits {
  readonly #addresses: Records;
  readonly #pairs = new Records(({ failures, known }) => known || failures >= FREE_FAILURES);
  readonly #names = new Records(({ times }) => times.length >= NAME_TRIES_KEPT);

  constructor(private readonly options: LoginLimitsOptions) {
    this.#addresses = new Records(({ times }) => times.length >= options.perMinute);
  }

  /** A try that may be made counts. */
  tryLogin(address: string, name: string): Admission {
    const nowMs = this.options.now();
    const network = networkOf(address);
    const byAddress = this.#addresses.find(network);
    const pair = this.#pairs.find(pairOf(network, name));
    const byName = this.#names.find(name);
    const waitMs = Math.max(
      waitFor(byAddress, nowMs, ADDRESS_WINDOW_MS, this.options.perMinute),
      waitFor(pair, nowMs, WINDOW_MS, TRIES_MAX),
      pair.notBeforeMs - nowMs,
      pair.known ? 0 : pauseFor(byName, nowMs),
    );
    if (waitMs > 0) {
      const isFirst = !byAddress.refused;
      byAddress.refused = true;
      this.#addresses.keep(network, byAddress);
      return { waitS: Math.ceil(waitMs / 1000), isFirst };
    }
    byAddress.refused = false;
    for (const { times } of [byAddress, pair, byName]) times.push(nowMs);
    this.#addresses.keep(network, byAddress);
    this.#pairs.keep(pairOf(network, name), pair);
    this.#names.keep(name, byName);
    return { waitS: 0, isFirst: false };
  }

  failed(address: string, name: string): void {
    const key = pairOf(networkOf(address), name);
    const tries = this.#pairs.find(key);
    tries.failures += 1;
    if (tries.failures >= FREE_FAILURES) {
      const delayMs = Math.min(1000 * 2 ** (tries.failures - FREE_FAILURES), DELAY_MS_MAX);
      tries.notBeforeMs = this.options.now() + delayMs;
    }
    this.#pairs.keep(key, tries);
  }

  /** Tries of others under the name, from elsewhere, go on to count. */
  succeeded(address: string, name: string): void {
    const key = pairOf(networkOf(address), name);
    const tries = this.#pairs.find(key);
    Object.assign(tries, { times: [], failures: 0, notBeforeMs: 0, known: true });
    this.#pairs.keep(key, tries);
    this.#names.find(name).times.pop();
  }
}

/** A network has no line break in it: what comes after the first one is the name. */
function pairOf(network: string, name: string): string {
  return `${network}\n${name}`;
}

/**
 * Records of keys that anybody may invent. A record that matters makes no room for others: only a
 * newer one that matters as well takes its place, which costs its inventor as many tries.
 */
class Records {
  /** The oldest first. */
  readonly #light = new Map<string, Tries>();
  readonly #heavy = new Map<string, Tries>();

  constructor(private readonly matters: (tries: Tries) => boolean) {}

  /** A new one, for a key without any, is forgotten unless it is kept. */
  find(key: string): Tries {
    const known = this.#heavy.get(key) ?? this.#light.get(key);
    return known ?? { times: [], failures: 0, refused: false, notBeforeMs: 0, known: false };
  }

  keep(key: string, tries: Tries): void {
    this.#light.delete(key);
    this.#heavy.delete(key);
    const all = this.matters(tries) ? this.#heavy : this.#light;
    all.set(key, tries);
    const oldest = all.size > RECORDS_MAX ? all.keys().next().value : undefined;
    if (oldest !== undefined) all.delete(oldest);
  }
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
