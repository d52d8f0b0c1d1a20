/** An upload that waits for its turn to be read again. */
export interface Reader {
  resumeReading(): void;
}

/**
 * What all uploads of the process hold above their own allowance, and whose turn it is.
 *
 * Pausing a socket does not stop the library within one readable event: it reads until the
 * kernel's buffer is empty (14 MiB seen on loopback; the third number of net.ipv4.tcp_rmem bounds
 * it). So a paused upload that is resumed costs a burst of unknown size. Uploads are therefore
 * resumed one at a time, the next when the burst of the former is counted, and none while the
 * bursts together are above the limit: all of them hold at most the limit and one burst.
 */
export class BurstLedger {
  #held = 0;
  #counting = false;
  readonly #queue = new Set<Reader>();

  constructor(private readonly bytesMax: number) {}

  /** Bytes held above the allowances. */
  get held(): number {
    return this.#held;
  }

  get hasRoom(): boolean {
    return this.#held < this.bytesMax;
  }

  /** Resumes the reader now or in its turn. */
  requestResume(reader: Reader): void {
    this.#queue.add(reader);
    this.#resumeNext();
  }

  isQueued(reader: Reader): boolean {
    return this.#queue.has(reader);
  }

  forget(reader: Reader): void {
    this.#queue.delete(reader);
  }

  /** Counts bytes that came in (positive) or went (negative) above an allowance. */
  adjust(bytes: number): void {
    this.#held += bytes;
    if (bytes < 0) this.#resumeNext();
  }

  #resumeNext(): void {
    if (this.#counting || !this.hasRoom) return;
    for (const reader of this.#queue) {
      this.#queue.delete(reader);
      this.#countBurst();
      reader.resumeReading();
      return;
    }
  }

  /** The socket is read in the next poll phase at the earliest: that is after one immediate. */
  #countBurst(): void {
    this.#counting = true;
    setImmediate(() => {
      setImmediate(() => {
        this.#counting = false;
        this.#resumeNext();
      });
    });
  }
}
