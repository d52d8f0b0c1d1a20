import type { ByteSource } from '../../../src/lib/cancellation.js';
import {
  locationOf,
  type ColdBackend,
  type ColdCopy,
  type ColdLocation,
  type ListedCopy,
} from '../../../src/cold/cold-backend.js';
import { ColdError } from '../../../src/cold/cold-error.js';

interface Kept {
  readonly copy: ColdCopy;
  readonly body: Buffer;
  readonly writtenAt: number;
}

/** Keeps copies in this process: for tests. They are neither bounded nor durable. */
export class MemoryColdBackend implements ColdBackend {
  readonly #copies = new Map<string, Kept>();

  async put(copy: ColdCopy, body: Buffer | ByteSource, signal?: AbortSignal): Promise<void> {
    const chunks: Buffer[] = [];
    if (Buffer.isBuffer(body)) chunks.push(Buffer.from(body));
    else {
      for await (const chunk of body) {
        signal?.throwIfAborted();
        chunks.push(Buffer.from(chunk));
      }
    }
    const bytes = Buffer.concat(chunks);
    if (bytes.length !== copy.size) {
      throw new ColdError('BodyMismatch', `${bytes.length} bytes instead of ${copy.size}`);
    }
    this.#copies.set(nameOf(copy), { copy, body: bytes, writtenAt: Date.now() });
  }

  find(location: ColdLocation): Promise<ColdCopy | undefined> {
    return Promise.resolve(this.#copies.get(nameOf(location))?.copy);
  }

  get(location: ColdLocation): Promise<{ copy: ColdCopy; body: ByteSource } | undefined> {
    const kept = this.#copies.get(nameOf(location));
    return Promise.resolve(kept && { copy: kept.copy, body: sourceOf(kept.body) });
  }

  delete(location: ColdLocation): Promise<void> {
    this.#copies.delete(nameOf(location));
    return Promise.resolve();
  }

  // oxlint-disable-next-line typescript/require-await -- what the interface gives is asynchronous
  async *list(account: string): AsyncGenerator<ListedCopy> {
    for (const { copy, writtenAt } of [...this.#copies.values()]) {
      if (copy.account === account) yield { location: locationOf(copy), writtenAt };
    }
  }

  cleanUp(): Promise<void> {
    return Promise.resolve();
  }
}

// oxlint-disable-next-line typescript/require-await -- what the interface gives is asynchronous
async function* sourceOf(body: Buffer): AsyncGenerator<Buffer> {
  if (body.length > 0) yield body;
}

function nameOf({ policy, account, id }: ColdLocation): string {
  return `${policy}/${account}/${id}`;
}
