import type { Expectation } from './wire.js';

/** The number of bytes shown of an unexpected answer. */
const SHOWN_BYTES = 300;

/** Looks at a body as it arrives: comparing it costs a memcmp, keeping it would cost a copy. */
export class BodyCheck {
  #at = 0;
  #isWrong = false;
  readonly #parts: Buffer[] = [];

  /** @param expect undefined when the answer is an error already, and its body is only shown */
  constructor(private readonly expect: Expectation | undefined) {}

  take(part: Buffer): void {
    const start = this.#at;
    this.#at += part.length;
    const expected = this.expect?.body;
    if (expected !== undefined) {
      this.#isWrong ||= this.#at > expected.length || part.compare(expected, start, this.#at) !== 0;
    } else if (this.expect === undefined ? start < SHOWN_BYTES : this.expect.check !== undefined) {
      this.#parts.push(Buffer.from(part));
    }
  }

  get collected(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** @returns what is wrong with the body, or the body of an unexpected answer */
  finish(): string | undefined {
    if (this.expect === undefined) {
      const text = this.collected.toString('utf8').slice(0, SHOWN_BYTES).trim();
      return text === '' ? undefined : text;
    }
    const { body, check } = this.expect;
    if (body !== undefined) {
      if (this.#isWrong) return 'the body is not what was stored';
      if (this.#at !== body.length) return `the body has ${this.#at} bytes, not ${body.length}`;
    }
    return check?.(this.collected);
  }
}
