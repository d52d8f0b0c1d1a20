/**
 * What keeps the queue of uploads from going on for a while: the console is being restarted, or the
 * store behind it. The queue waits, asks again at growing intervals, and goes on by itself.
 */

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
const PROBE_MS = 5000;

/** The store is away, or has too much to do: the same file may succeed later. */
const PASSING = new Set([
  'busy',
  'rate_limited',
  'upstream_error',
  'upstream_timeout',
  'upstream_unavailable',
]);
/** The request did not come through to the console, or its answer did not come back. */
const CUT = new Set(['cut', 'unreachable']);

/** @returns `store` or `connection`; null for what will not pass by itself */
export function passingReason({ code }) {
  if (PASSING.has(code)) return 'store';
  return CUT.has(code) ? 'connection' : null;
}

/** Tells whether the console answers; it needs no session for that. */
export async function isConsoleThere() {
  const signal = AbortSignal.timeout(PROBE_MS);
  const answer = await fetch('/healthz', { cache: 'no-store', signal }).catch(() => null);
  return answer?.ok === true;
}

const TEXTS = {
  connection: 'the console does not answer: the uploads go on as soon as it does',
  store: 'the store is not available: the uploads go on as soon as it is',
};

export class UploadHold {
  #onEnd;
  #onChange;
  #timer = 0;
  #delayMs = FIRST_MS;
  #reason = null;

  /** @param onEnd - the queue may go on @param onChange - what `text` says has changed */
  constructor(onEnd, onChange) {
    this.#onEnd = onEnd;
    this.#onChange = onChange;
  }

  get isHeld() {
    return this.#reason !== null;
  }

  /** The text for the user; empty while nothing is held up. */
  get text() {
    return this.#reason === null ? '' : TEXTS[this.#reason];
  }

  /** Holds the queue up; each time for longer, until something succeeds. */
  begin(reason) {
    if (this.isHeld) return;
    this.#reason = reason;
    this.#wait();
    this.#onChange();
  }

  /** Something went through. */
  succeeded() {
    this.#delayMs = FIRST_MS;
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#delayMs);
    this.#delayMs = Math.min(2 * this.#delayMs, LONGEST_MS);
  }

  async #look() {
    if (!(await isConsoleThere())) {
      this.#reason = 'connection';
      this.#wait();
      this.#onChange();
      return;
    }
    this.#reason = null;
    this.#onChange();
    this.#onEnd();
  }
}
