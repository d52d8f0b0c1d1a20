import type { Backend } from '../../../src/backend/backend.js';
import {
  type BackendCall,
  DecoratedBackend,
} from '../../../src/backend/decorators/decorated-backend.js';

/**
 * The error of every call of a dead process. It is no `BackendError`: nothing may take it for an
 * answer of the store.
 */
export class CrashedError extends Error {
  override readonly name = 'CrashedError';

  constructor(point: string) {
    super(`the process crashed ${point}`);
  }
}

export interface CrashOptions {
  /** The call at which to stop, from 1. Undefined: never, which tells how many there are. */
  readonly at?: number | undefined;
  /**
   * `before`: the store never gets that call. `after`: it carries the call out, but the caller gets
   * no answer.
   */
  readonly when?: 'before' | 'after' | undefined;
  /** Which calls count. Default: those that write. */
  readonly counted?: 'writes' | 'all' | undefined;
  /** Happens at that call instead of a crash; for a process of its own, say, its end. */
  readonly action?: ((call: BackendCall) => void | Promise<void>) | undefined;
}

/**
 * Stops a "process" at one of its calls, so that a test goes through all of them with the same
 * store: at the point of the crash, and ever after, calls fail with {@link CrashedError}. Calls
 * that were under way then may have been carried out or not; their callers get no answer.
 */
export class CrashPointBackend extends DecoratedBackend {
  #calls = 0;
  #crashed: CrashedError | undefined;

  constructor(
    inner: Backend,
    private readonly options: CrashOptions = {},
  ) {
    super(inner);
  }

  /** Calls that counted so far. */
  get calls(): number {
    return this.#calls;
  }

  get crashed(): boolean {
    return this.#crashed !== undefined;
  }

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    this.#throwIfCrashed();
    const { at, when = 'before' } = this.options;
    const isPoint = this.#counts(call) && ++this.#calls === at;
    if (isPoint && when === 'before') await this.#crash(call);
    this.#throwIfCrashed();
    const answer = await settled(proceed);
    // A process that died meanwhile hears nothing, of errors neither.
    if (isPoint && when === 'after') await this.#crash(call);
    this.#throwIfCrashed();
    return answer();
  }

  #counts({ kind }: BackendCall): boolean {
    return kind === 'write' || this.options.counted === 'all';
  }

  async #crash(call: BackendCall): Promise<void> {
    const { action, at, when = 'before' } = this.options;
    if (action !== undefined) return action(call);
    this.#crashed = new CrashedError(`${when} call ${at ?? 0}, ${call.method}`);
  }

  #throwIfCrashed(): void {
    if (this.#crashed !== undefined) throw this.#crashed;
  }
}

/** The answer of a call, to be given or not. */
async function settled<T>(proceed: () => Promise<T>): Promise<() => T> {
  try {
    const result = await proceed();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
