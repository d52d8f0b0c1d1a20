import { isDeepStrictEqual } from 'node:util';
import { SerialQueues } from '../../src/lib/promises.js';
import type { SwiftAccount } from '../swift/account.js';
import { ApiError } from './api-error.js';

/**
 * Changes of what the store keeps as a whole and takes without a condition: access rules, documents
 * of rules, tags, metadata. A request brings what its page was shown, which is compared inside the
 * queue; see {@link expectShown}. So an old dialog does not undo what another user has changed.
 */
export class Changes {
  readonly #containers = new SerialQueues();
  readonly #objects = new SerialQueues();

  /** Does something that no other change of the container overlaps. Not to be called inside itself. */
  ofContainer<T>({ name }: SwiftAccount, container: string, work: () => Promise<T>): Promise<T> {
    return this.#containers.run(`${name}/${container}`, work);
  }

  /** The same for an object. */
  ofObject<T>(
    { name }: SwiftAccount,
    { container, object }: { readonly container: string; readonly object: string },
    work: () => Promise<T>,
  ): Promise<T> {
    return this.#objects.run(`${name}/${container}/${object}`, work);
  }
}

/**
 * Compares what a page was shown with what there is.
 * @param what changed, as in “the access rules”
 * @param words the present value, for people
 * @throws ApiError conflict, with the present value
 */
export function expectShown<T>(shown: T, present: T, what: string, words: string): void {
  if (isDeepStrictEqual(shown, present)) return;
  throw new ApiError('conflict', `Another user has changed ${what}. Now: ${words}.`, { present });
}
