import type { ObjectBody } from '../backend.js';

/** A body that holds nothing yet. */
export interface LazyBody extends ObjectBody {
  /**
   * Opens what the first read needs, which opens it otherwise. Undefined when there is nothing to
   * open. When it fails, nothing is held.
   * @throws as the first read
   */
  readonly open?: () => Promise<void>;
}

export function bufferBody(bytes: Buffer): LazyBody {
  return { length: bytes.length, source: bytes, cancel: () => undefined };
}

/** @param length - how many bytes the stream has, all in all */
export function streamBody(length: number, stream: LazyStream): LazyBody {
  return {
    length,
    source: { [Symbol.asyncIterator]: () => stream },
    open: () => stream.open(),
    cancel: () => {
      stream.return().catch(ignore);
    },
  };
}

export const DONE: IteratorReturnResult<undefined> = Object.freeze({
  done: true,
  value: undefined,
});

/**
 * Chunks that are read when they are asked for. Calls run one after the other, also when a
 * consumer does not wait for them; resources are let go of once, at the end, at a failure or when
 * the consumer leaves.
 */
export abstract class LazyStream implements AsyncIterator<Buffer, undefined> {
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  /** Opens what the first read needs. */
  protected abstract openFirst(): Promise<void>;

  /** The next chunk; undefined at the end. */
  protected abstract read(): Promise<Buffer | undefined>;

  /** Called once, and nothing after it. */
  protected abstract letGo(): Promise<void>;

  open(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#ended) await this.#orLetGo(() => this.openFirst());
    });
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    return this.#inTurn(async () => {
      if (this.#ended) return DONE;
      const chunk = await this.#orLetGo(() => this.read());
      if (chunk !== undefined) return { done: false, value: chunk };
      await this.#end();
      return DONE;
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    return this.#inTurn(async () => {
      await this.#end();
      return DONE;
    });
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(ignore);
    return result;
  }

  async #orLetGo<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.letGo();
  }
}

/**
 * Ignores an error: a failed read is reported to its caller, and a failed close of a file that was
 * only read does no harm.
 */
function ignore(): void {
  // Nothing to do.
}
