import type { SwiftAccount } from '../../../swift/account.js';
import { MARK } from '../ground/test-containers.js';

/** The prefix of the containers of drills. */
export const DRILL_PREFIX = 'lab-node-';
const BYTES = 1024;

/** Writes and reads as a client does, while a node is away, in a container of its own. */
export class ClientProbes {
  #next = 0;
  readonly #written: string[] = [];
  #isMade = false;

  constructor(
    private readonly account: SwiftAccount,
    readonly container: string,
  ) {}

  /** Writes an object, and reads it back. @returns whether both succeeded */
  async probe(): Promise<boolean> {
    const { account, container } = this;
    try {
      if (!this.#isMade) {
        const headers = { [MARK]: 'node' };
        await account.do([201, 202], 'PUT', { container, headers });
        this.#isMade = true;
      }
      const object = String(this.#next++).padStart(6, '0');
      const body = Buffer.alloc(BYTES, object);
      const headers = { 'content-length': String(BYTES) };
      this.#written.push(object);
      await account.do([201], 'PUT', { container, object, headers, body });
      await account.do([200], 'HEAD', { container, object });
      return true;
    } catch {
      return false;
    }
  }

  /** Deletes what was written; what cannot be deleted stays in a container that says what it is. */
  async remove(): Promise<void> {
    const { account, container } = this;
    if (!this.#isMade) return;
    for (const object of this.#written) {
      await account.do([204, 404], 'DELETE', { container, object }).catch(() => undefined);
    }
    await account.do([204, 404, 409], 'DELETE', { container }).catch(() => undefined);
  }
}
