import type { TransportHooks } from './hooks.js';

/** Tells the hook of each answer's `Date`, of which all in a second are one text: parsed once. */
export class DateCache {
  #text = '';
  #date = NaN;

  constructor(private readonly onDate: TransportHooks['onDate']) {}

  observe(text: string | undefined, sentAt: number, receivedAt: number): void {
    if (text === undefined || this.onDate === undefined) return;
    if (text !== this.#text) {
      this.#text = text;
      this.#date = Date.parse(text);
    }
    if (!Number.isNaN(this.#date)) this.onDate(this.#date, sentAt, receivedAt);
  }
}
