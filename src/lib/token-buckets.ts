import { performance } from 'node:perf_hooks';

export interface RateLimits {
  /** Tokens that a bucket gets in a second; 0 means no limit. */
  readonly perS: number;
  /** Tokens that a bucket holds at most. */
  readonly burst: number;
}

/** Keys that are remembered: forgetting one gives it a full bucket. */
const KEYS_MAX = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket for each key, such as an access key. */
export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly limits: RateLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes a token. @returns false when the key has none left */
  take(key: string): boolean {
    const { perS, burst } = this.limits;
    if (perS === 0) return true;
    const now = this.now();
    const bucket = this.#bucketOf(key, now);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perS) / 1000);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #bucketOf(key: string, now: number): Bucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    if (this.#buckets.size >= KEYS_MAX) this.#forgetOldest();
    const bucket = { tokens: this.limits.burst, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Forgets the bucket that was created first; a busy key gets a new one at once. */
  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (oldest.done !== true) this.#buckets.delete(oldest.value);
  }
}
