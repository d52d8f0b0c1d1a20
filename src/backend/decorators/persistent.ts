import { setTimeout as delay } from 'node:timers/promises';
import type * as B from '../backend.js';
import { BackendError } from '../errors.js';
import { DecoratedBackend, type BackendCall } from './decorated-backend.js';

const ATTEMPTS_MAX = 6;
/**
 * A store that takes longer to say that it is not there is not asked again, nor is one that asks to be
 * left alone for longer.
 */
const PATIENCE_MS = 1_000;
/** The pause before the second attempt; each further pause is twice as long. */
const FIRST_PAUSE_MS = 10;

/**
 * Repeats a call soon, a few times, when the store says that it is unavailable. This is for
 * operations of several writes (`CallContext.finishing`): one refused call of many must not leave
 * the operation half done. Other calls are not repeated here.
 *
 * A store that asks for fewer requests gets no repetition before the time that it names, and none
 * at all if it names no time.
 *
 * The first attempt may have been carried out despite the error. So this is for calls that may run
 * twice: they write the same again, or under a condition that shows the first attempt.
 */
export class PersistentBackend extends DecoratedBackend {
  constructor(
    inner: B.Backend,
    private readonly pause: (ms: number) => Promise<unknown> = scattered,
    private readonly wait: (ms: number) => Promise<unknown> = delay,
  ) {
    super(inner);
  }

  /** Each read of a version comes through here: it waits for nothing of its own. */
  protected override around<T>({ context }: BackendCall, proceed: () => Promise<T>): Promise<T> {
    return context.finishing === true ? this.#persist(proceed) : proceed();
  }

  async #persist<T>(proceed: () => Promise<T>): Promise<T> {
    const since = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await proceed();
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isUnavailable(error)) throw error;
        const { retryAfterMs = 0 } = error;
        const spent = performance.now() - since;
        if (spent + retryAfterMs > PATIENCE_MS) throw error;
        if (retryAfterMs > 0) await this.wait(retryAfterMs);
      }
      await this.pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }

  /** A body that comes in a stream can be read once. */
  override putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return Buffer.isBuffer(input.body)
      ? super.putObject(context, ref, input, precondition)
      : this.inner.putObject(context, ref, input, precondition);
  }

  /** Repeated like putObject. */
  override updateBody(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.BodyUpdate,
    precondition: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    return this.inner.updateBody(context, ref, update, precondition);
  }
}

function isUnavailable(error: unknown): error is BackendError {
  return error instanceof BackendError && error.code === 'Unavailable';
}

/** Waits for a random time, so that callers refused together do not come back together. */
function scattered(ms: number): Promise<unknown> {
  return delay(ms * (0.5 + Math.random() / 2));
}
