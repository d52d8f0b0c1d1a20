import { integer, type KeyRule } from './keys.js';

/** The keys that say how much one listener takes on at once: see docs/operations.md, Overload. */
export const ADMISSION_KEYS = {
  admission_in_flight_max: {
    schema: integer(1, 1_000_000).default(1024),
    doc: 'Requests that one listener works on at a time, by [weight](operations.md#overload); what is beyond waits.',
  },
  admission_queue_max: {
    schema: integer(0, 1_000_000).default(4096),
    doc: 'Requests that wait at most; one more is answered 503 `SlowDown` at once.',
  },
  admission_wait_ms_max: {
    schema: integer(1, 600_000).default(1000),
    doc: 'How long a request waits before it is answered 503 `SlowDown`.',
  },
  body_memory_bytes_max: {
    schema: integer(1_048_576, 1_099_511_627_776).default(536_870_912),
    doc: 'Memory of one listener for bodies under way, of which one above 64 KiB takes up to 1 MiB, in either direction; what is beyond waits.',
  },
  rate_limit_requests_per_s: {
    schema: integer(0, 1_000_000).default(0),
    doc: 'Requests with one access key that one listener serves in a second on average; those beyond are answered 503 `SlowDown`. 0: there is no limit.',
  },
  rate_limit_burst: {
    schema: integer(1, 1_000_000).default(100),
    doc: 'Requests with one access key that may come at once.',
  },
} as const satisfies Readonly<Record<string, KeyRule>>;
