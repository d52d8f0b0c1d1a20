import type { Backend, CallContext } from '../../backend/backend.js';
import { archiveContainer, type VersionedKey } from './names.js';

/** Buckets; about 150 bytes each. */
const KNOWN_MAX = 10_000;

/**
 * Creates the archives of buckets when they are first needed. That a bucket has one is remembered:
 * it goes with the bucket, which is found out when it is written to.
 */
export class Archives {
  readonly #known = new Set<string>();

  constructor(private readonly backend: Backend) {}

  /**
   * To be called before anything is written that cannot be written twice.
   * @throws BackendError NoSuchContainer without the bucket
   */
  async ensure(call: CallContext, of: VersionedKey): Promise<void> {
    if (!this.#known.has(nameOf(of))) await this.create(call, of);
  }

  /** The same, of an archive that was found not to be there. */
  async create(call: CallContext, { account, bucket }: VersionedKey): Promise<void> {
    await this.backend.headContainer(call, { account, container: bucket });
    await this.backend.createContainer(call, archiveContainer(account, bucket), {
      placedLike: bucket,
    });
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(nameOf({ account, bucket }));
  }

  /** It was not there after all. */
  forget(of: VersionedKey): void {
    this.#known.delete(nameOf(of));
  }
}

function nameOf({ account, bucket }: Pick<VersionedKey, 'account' | 'bucket'>): string {
  return `${account}/${bucket}`;
}
