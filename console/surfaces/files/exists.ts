import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { SwiftAccount } from '../../swift/account.js';
import type { UpstreamAnswer } from '../../swift/upstream.js';
import type { Place } from './copy-object.js';

/** The answer to an upload that would replace an object unasked. */
export const TAKEN = 'An object with this name already exists.';

/** @throws SwiftStatusError for any failure but that there is none */
export async function exists(store: SwiftAccount, place: Place): Promise<boolean> {
  return (await look(store, place, [200, 204, 404])) !== 404;
}

/** Whether there is surely such an object: who may only write is not told, and the store decides. */
export async function isTaken(store: SwiftAccount, place: Place): Promise<boolean> {
  return (await look(store, place, [200, 204, 403, 404])) < 300;
}

async function look(
  store: SwiftAccount,
  { container, object }: Place,
  accepted: readonly number[],
): Promise<number> {
  const query = { symlink: 'get' };
  return (await store.do(accepted, 'HEAD', { container, object, query })).status;
}

/**
 * The body of an upload whose client has sent it before, and lost the answer. What is under its name
 * may be what the former request has stored: then both have the same bytes.
 */
export class RepeatedBody {
  readonly #md5 = createHash('md5');
  readonly #limit = new AbortController();
  readonly #ended: Promise<void>;
  #bytes = 0;

  /**
   * @param body - nothing of it may have been read; it may be piped to the store beside
   * @param bytesMax - of an upload: no object is compared with a body that is larger
   */
  constructor(
    private readonly body: Readable,
    private readonly bytesMax: number,
  ) {
    this.#ended = finished(body, { writable: false, signal: this.#limit.signal });
    // Most uploads succeed, and `stored` is not called.
    this.#ended.catch(() => undefined);
    body.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > bytesMax) this.#limit.abort();
      else this.#md5.update(chunk);
    });
  }

  /**
   * Reads the rest of the body, and compares it with the current object.
   * @param head asks for that object
   * @returns what an upload answers; undefined where it is another object, may not be read, or the
   *   body is too large
   * @throws what `head` throws, and the body
   */
  async stored(head: () => Promise<Pick<UpstreamAnswer, 'status' | 'headers'>>) {
    this.body.unpipe();
    this.body.resume();
    try {
      await this.#ended;
    } catch (error) {
      if (this.#bytes > this.bytesMax) return undefined;
      throw error;
    }
    const { status, headers } = await head();
    const made = { etag: this.#md5.digest('hex'), bytes: this.#bytes };
    const isSame =
      status < 300 &&
      headers.etag?.replaceAll('"', '') === made.etag &&
      Number(headers['content-length']) === made.bytes;
    return isSame ? made : undefined;
  }
}
