import { randomBytes } from 'node:crypto';

/**
 * Version ids are 32 lower-case hexadecimal characters (SPEC.md 2.2):
 *
 *     2^64 - 1 - microseconds since the epoch (16) | random (16)
 *
 * so that a listing of the archive has the newest first. Within a process they descend strictly, also
 * when the clock is set back; between processes the random part keeps them apart. The ids order
 * nothing by themselves: the version index does.
 */

const INVERSE = 2n ** 64n - 1n;
const TIME_DIGITS = 16;
const RANDOM_BYTES = 8;
const MICROSECONDS = 1000n;

export class VersionIds {
  #last = 0n;

  /** @param now milliseconds since the epoch */
  constructor(private readonly now: () => number = Date.now) {}

  mint(): string {
    const time = BigInt(Math.floor(this.now())) * MICROSECONDS;
    this.#last = time > this.#last ? time : this.#last + 1n;
    return idAt(this.#last);
  }

  /** Of what was written then; milliseconds since the epoch. */
  mintFor(lastModified: number): string {
    return idAt(BigInt(Math.floor(lastModified)) * MICROSECONDS);
  }
}

function idAt(microseconds: bigint): string {
  const time = (INVERSE - microseconds).toString(16).padStart(TIME_DIGITS, '0');
  return time + randomBytes(RANDOM_BYTES).toString('hex');
}
