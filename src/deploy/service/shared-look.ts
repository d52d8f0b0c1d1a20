/** A look that requests share: it takes long, and each of them would take it by itself. */
export class SharedLook<T> {
  #last:
    | {
        readonly key: string;
        readonly result: Promise<T>;
        readonly beganMs: number;
        isOver: boolean;
      }
    | undefined;

  /**
   * @param take - a look
   * @param maxAgeMs - a look that began no longer ago is shared; one that is under way always is, so
   *   that no more of them pile up where nodes do not answer
   */
  constructor(
    private readonly take: () => Promise<T>,
    private readonly maxAgeMs: number,
  ) {}

  /**
   * @param key - what the look is of: one of something else is not shared
   * @throws what the look throws, which is not kept
   */
  get(key: string): Promise<T> {
    const last = this.#last;
    if (last?.key === key) {
      if (!last.isOver || performance.now() - last.beganMs < this.maxAgeMs) return last.result;
    }
    const look = { key, result: this.take(), beganMs: performance.now(), isOver: false };
    this.#last = look;
    look.result.then(
      () => {
        look.isOver = true;
      },
      () => {
        if (this.#last === look) this.#last = undefined;
      },
    );
    return look.result;
  }
}
