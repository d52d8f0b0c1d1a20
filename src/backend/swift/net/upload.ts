import { BackendError } from '../../errors.js';
import type { ByteSource } from '../../../lib/cancellation.js';

/** A stream, of which it is known whether anybody has asked for a byte of it. */
export class Upload {
  #iterator: AsyncIterator<Buffer> | undefined;
  #given = 0;

  constructor(
    private readonly source: ByteSource,
    /** Bytes; undefined where it is sent in chunks to its end. */
    readonly size: number | undefined,
  ) {}

  /** Whether any byte was read; then the upload cannot be sent again. */
  get begun(): boolean {
    return this.#iterator !== undefined;
  }

  /**
   * The next chunk, never empty, valid until the one after it is asked for; undefined at the end.
   * @throws BackendError BodyMismatch when there are more or fewer bytes than announced; what the
   *   source throws
   */
  async next(): Promise<Buffer | undefined> {
    const { size } = this;
    this.#iterator ??= this.source[Symbol.asyncIterator]();
    for (;;) {
      const result = await this.#iterator.next();
      if (result.done === true) {
        if (size === undefined || this.#given === size) return undefined;
        throw mismatch(size, 'ended after', this.#given);
      }
      const { value } = result;
      this.#given += value.length;
      if (size !== undefined && this.#given > size) {
        this.letGo();
        throw mismatch(size, 'goes on after', size);
      }
      if (value.length > 0) return value;
    }
  }

  /** Lets go of what the source holds, where it was begun. */
  letGo(): void {
    // An error of the source while it is abandoned has no effect any more.
    this.#iterator?.return?.().catch(() => undefined);
  }
}

function mismatch(size: number, what: string, bytes: number): BackendError {
  return new BackendError(
    'BodyMismatch',
    `the body was announced with ${size} bytes and ${what} ${bytes}`,
  );
}
