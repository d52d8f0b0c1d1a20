/**
 * Keeps the queue of uploads from going on for a while: the console is being restarted, or the
 * store behind it. The queue waits, asks again at growing intervals, and goes on by itself.
 */

/** Why the queue waits. */
type Reason = 'store' | 'connection';

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
const PROBE_MS = 5000;

/** A file does not go on for ever that is cut, while the console answers to others. */
const CUTS_MAX = 3;
/** Some ten minutes without the store. */
const HOLDS_MAX = 20;

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
function passingReason({ code = '' }: { code?: string }): Reason | null {
  if (PASSING.has(code)) return 'store';
  return CUT.has(code) ? 'connection' : null;
}

/** Tells whether the console answers; it needs no session for that. */
async function isConsoleThere() {
  const signal = AbortSignal.timeout(PROBE_MS);
  const answer = await fetch('/healthz', { cache: 'no-store', signal }).catch(() => null);
  return answer?.ok === true;
}

const TEXTS = {
  connection: 'console not responding, uploads resume when it is back',
  store: 'store unavailable, uploads resume when it is back',
};

export class UploadHold {
  #onEnd;
  #onChange;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delayMs = FIRST_MS;
  #reason: Reason | null = null;

  /**
   * @param onEnd the queue may go on
   * @param onChange what `text` says has changed
   */
  constructor(onEnd: () => void, onChange: () => void) {
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
  begin(reason: Reason) {
    if (this.isHeld) return;
    this.#reason = reason;
    this.#wait();
    this.#onChange();
  }

  /**
   * Tells whether an upload failed for a reason that may pass, such as a console that is restarting:
   * the queue then waits, and tries the file again.
   *
   * @param item counts how often that was so
   */
  async willPass(item: { cuts?: number; holds?: number }, error: { code?: string }) {
    const reason = passingReason(error);
    if (reason === 'connection' && (this.isHeld || !(await isConsoleThere()))) {
      this.begin('connection');
      return true;
    }
    if (reason === 'connection') {
      item.cuts = (item.cuts ?? 0) + 1;
      return item.cuts < CUTS_MAX;
    }
    if (reason === null) return false;
    item.holds = (item.holds ?? 0) + 1;
    if (item.holds >= HOLDS_MAX) return false;
    this.begin(reason);
    return true;
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
