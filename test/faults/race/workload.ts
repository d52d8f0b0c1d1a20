import type { ListedEntry } from '../history/operation.js';
import type { Racer } from './race.js';

/** One client's moves in a race: at random, on the same keys as everybody else. */

type Move = (client: Racer, key: string, worker: Worker) => Promise<unknown>;

/** Of 100 moves of a client, on average. */
const MOVES: readonly (readonly [weight: number, move: Move])[] = [
  [32, put],
  [8, (client, key) => client.delete(key)],
  [20, (client, key) => client.read('get', key)],
  [6, (client, key) => client.read('head', key)],
  [22, listAndUse],
  [6, listBucket],
  [6, removeCurrent],
];

/** Entries of a key above which clients rather remove than look: an index stays small. */
const ENTRIES_MAX = 12;

export class Worker {
  #bodies = 0;
  /** Where its walk through the bucket has come to. */
  marker: Readonly<Record<string, string>> = {};

  constructor(
    private readonly client: Racer,
    readonly keys: readonly string[],
    readonly random: () => number = Math.random,
  ) {}

  async move(): Promise<void> {
    const key = this.choose(this.keys) ?? '';
    let left = this.random() * MOVES.reduce((sum, [weight]) => sum + weight, 0);
    const chosen = MOVES.find(([weight]) => (left -= weight) < 0) ?? MOVES[0];
    await chosen?.[1](this.client, key, this);
  }

  /** A body like no other; of some that lie in the store's index, and of some that lie in files. */
  nextBody(): Buffer {
    this.#bodies += 1;
    const size = this.random() < 0.1 ? 40_000 + this.random() * 60_000 : this.random() * 2_000;
    const text = `${this.client.name} ${this.#bodies} `;
    return Buffer.alloc(text.length + Math.floor(size), text);
  }

  choose<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.random() * from.length)];
  }
}

async function put(client: Racer, key: string, worker: Worker): Promise<void> {
  await client.put(key, worker.nextBody());
}

/** Removes or reads one of the versions that it sees. */
async function listAndUse(client: Racer, key: string, worker: Worker): Promise<void> {
  const entries = (await client.listKey(key)) ?? [];
  const surplus = entries.length - ENTRIES_MAX;
  if (surplus > 0) {
    await removeOldest(client, key, entries.slice(-Math.min(surplus, 4)));
    return;
  }
  const version = worker.choose(entries)?.version;
  if (version === undefined) return;
  if (worker.random() < 0.4) await client.deleteVersion(key, version);
  else await client.read('get', key, version);
}

async function removeOldest(
  client: Racer,
  key: string,
  entries: readonly ListedEntry[],
): Promise<void> {
  for (const { version } of entries) await client.deleteVersion(key, version);
}

/** The current entry is the one that everybody else reads and overwrites. */
async function removeCurrent(client: Racer, key: string): Promise<void> {
  const [current] = (await client.listKey(key)) ?? [];
  if (current !== undefined) await client.deleteVersion(key, current.version);
}

/** The next page of its walk, of few entries: pages begin and end within a key. */
async function listBucket(client: Racer, _key: string, worker: Worker): Promise<void> {
  const query = { 'max-keys': '37', ...worker.marker };
  const page = await client.listPage(query, worker.keys);
  if (page?.truncated !== true || page.nextKeyMarker === undefined) {
    worker.marker = {};
    return;
  }
  const { nextKeyMarker, nextVersionIdMarker } = page;
  worker.marker = {
    'key-marker': nextKeyMarker,
    ...(nextVersionIdMarker === undefined ? {} : { 'version-id-marker': nextVersionIdMarker }),
  };
}
