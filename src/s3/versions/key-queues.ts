import { SerialQueues } from '../../lib/serial-queues.js';
import type { VersionedKey } from './names.js';

/**
 * Lets tasks of one key run one after the other, in the order in which they come; those of different
 * keys do not wait.
 *
 * The index decides between gateways, whoever loses tries again, and of many that meet on one key
 * most lose most of the time: 64 writers of one key in two listeners made 13 versions a second, and
 * some never came to their turn. Those of one gateway need not meet there. As many wait as there are
 * requests under way, and each for as long as those before it take.
 */
export class KeyQueues {
  readonly #queues = new SerialQueues();

  run<T>({ account, bucket, key }: VersionedKey, task: () => Promise<T>): Promise<T> {
    return this.#queues.run(`${account}/${bucket}/${key}`, task);
  }

  /** Keys that something runs for. */
  get size(): number {
    return this.#queues.size;
  }
}
