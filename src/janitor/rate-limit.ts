import type { Backend } from '../backend/backend.js';
import { type BackendCall, DecoratedBackend } from '../backend/decorators/decorated-backend.js';
import type { Clock } from './clock.js';

/** An unused share older than this is lost, so that a pause does not end in a rush. */
const BURST_MS = 100;
/** Shorter waits are left to add up: a timer costs more than they bring. */
const SLEEP_MS_MIN = 5;

/** Spreads calls evenly: at most so many a second, from all callers together. */
export class RateLimiter {
  readonly #intervalMs: number;
  #next = -Infinity;

  constructor(
    perSecond: number,
    private readonly clock: Clock,
  ) {
    this.#intervalMs = 1000 / perSecond;
  }

  /** Resolves when the next call may be made. @throws the reason of the signal */
  async take(signal: AbortSignal): Promise<void> {
    const now = this.clock.monotonic();
    this.#next = Math.max(this.#next, now - BURST_MS) + this.#intervalMs;
    const wait = this.#next - now;
    if (wait >= SLEEP_MS_MIN) await this.clock.sleep(wait, signal);
  }
}

/** Asked before each call; what it throws, the call fails with. */
type BeforeCall = () => Promise<void>;

/**
 * A backend whose every call waits for its turn and needs the lease, so that code which the janitor
 * shares with operations need not know of either.
 */
export class RateLimitedBackend extends DecoratedBackend {
  constructor(
    backend: Backend,
    private readonly beforeCall: BeforeCall,
  ) {
    super(backend);
  }

  protected override async around<T>(_call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    await this.beforeCall();
    return proceed();
  }

  /** Makes several calls once it has a turn for each: no other call comes in between. */
  async together<T>(calls: number, act: (backend: Backend) => Promise<T>): Promise<T> {
    for (let call = 0; call < calls; call++) await this.beforeCall();
    return act(this.inner);
  }
}
