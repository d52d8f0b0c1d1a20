/** How many calls a page has made, and whether it should end. */
export class CallCount {
  #calls = 0;

  constructor(private readonly callsMax: number) {}

  get isSpent(): boolean {
    return this.#calls >= this.callsMax;
  }

  made<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls++;
    return call;
  }
}
