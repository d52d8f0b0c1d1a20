import { DeployError } from './errors.js';

/** As many may follow one run or ramp. */
const FOLLOWERS_MAX = 64;

/** Those who follow runs or ramps, by id. */
export class Followers<News extends readonly unknown[]> {
  readonly #of = new Map<string, Set<(...news: News) => void>>();

  /** @param what - for the message of the error */
  constructor(private readonly what: 'run' | 'ramp') {}

  /** @returns what ends the subscription @throws DeployError `busy` */
  add(id: string, follower: (...news: News) => void): () => void {
    const all = this.#of.get(id) ?? new Set();
    if (all.size >= FOLLOWERS_MAX) {
      throw new DeployError('busy', `Too many follow this ${this.what}.`);
    }
    this.#of.set(id, all.add(follower));
    return () => {
      all.delete(follower);
      if (all.size === 0) this.#of.delete(id);
    };
  }

  tell(id: string, ...news: News): void {
    for (const follower of this.#of.get(id) ?? []) follower(...news);
  }
}
