/** Something that happens once, and can be waited for; it may bring a value. */
export class Signal<Value = void> {
  readonly fired: Promise<Value>;
  hasFired = false;
  #resolve: (value: Value) => void = () => undefined;

  constructor() {
    this.fired = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  fire(value: Value): void {
    this.hasFired = true;
    this.#resolve(value);
  }
}
