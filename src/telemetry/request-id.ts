import { createHash, randomBytes } from 'node:crypto';

/**
 * Request ids in the form of SPEC.md 7.1: `tx<21 hex>-<10 hex unix time>`, 34 characters.
 *
 *     tx 9f3c2a71be04d 0000002a - 0068d1c35f
 *        13 per process 8 count    unix time
 *
 * The 13 digits are random per process (52 bits), so that processes, restarts and hosts do not
 * meet; the counter makes ids of one process differ. No random number per request (style.md).
 * Swift logs 32 characters of it (`X-Trans-Id-Extra`): all but the last two digits of the time.
 */

const PROCESS_DIGITS = 13;
const COUNTER_DIGITS = 8;
const TIME_DIGITS = 10;
const COUNTER_END = 0x1_0000_0000;

export type RequestIdGenerator = () => string;

/** `random` are at least seven bytes that no other generator has. */
export function createRequestIdGenerator(
  random: Buffer,
  now: () => number = Date.now,
): RequestIdGenerator {
  const prefix = `tx${random.toString('hex').slice(0, PROCESS_DIGITS)}`;
  let count = 0;
  let second = -1;
  let suffix = '';
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      second = current;
      suffix = `-${hex(current, TIME_DIGITS)}`;
    }
    count = (count + 1) % COUNTER_END;
    return prefix + hex(count, COUNTER_DIGITS) + suffix;
  };
}

/** The next id of this process. */
export const nextRequestId: RequestIdGenerator = createRequestIdGenerator(randomBytes(7));

/** Opaque, the same for all of this process: support staff ask for it together with the id. */
const PROCESS_TOKEN = createHash('sha256').update(randomBytes(16)).digest('base64url');

/** `x-amz-id-2` of a response: which process answered, and the request's own part of its id. */
export function hostId(requestId: string): string {
  return `${PROCESS_TOKEN}${requestId.slice(2 + PROCESS_DIGITS, 2 + PROCESS_DIGITS + COUNTER_DIGITS)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
