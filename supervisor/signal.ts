/** Something that happens once, and can be waited for. */
export class Signal {
  readonly fired: Promise<void>;
  hasFired = false;
  #resolve: () => void = () => undefined;

  constructor() {
    this.fired = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  fire(): void {
    this.hasFired = true;
    this.#resolve();
  }
}
