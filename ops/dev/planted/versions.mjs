/**
 * Versions of keys, and the lease of the janitor.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const VERSIONS = [
  {
    name: 'versions: readers follow void fences',
    file: 'src/s3/versions/fenced-protocol.ts',
    find: `if (fence.parent === index.commit) index = applyCommit(index, fence);`,
    replace: `index = applyCommit(index, fence);`,
    tests: ['test/s3/versions/edges.test.ts'],
  },
  {
    name: 'versions: the index is not read again before it is replaced',
    file: 'src/s3/versions/fenced-protocol.ts',
    find: `const now = await this.store.readIndex(call, key); if (now.etag !== before.etag) return undefined;`,
    replace: ``,
    tests: ['test/s3/versions/slept.test.ts'],
  },
  {
    name: 'versions: an index is written whatever is there by now',
    file: 'src/s3/versions/index-store.ts',
    find: `return this.backend.capabilities.conditionalReplace ? { etag } : undefined;`,
    replace: `return this.backend.capabilities.conditionalReplace ? undefined : undefined;`,
    tests: ['test/s3/versions/slept.test.ts'],
  },
  {
    name: 'versions: an index stands nowhere among those of its key',
    file: 'src/s3/versions/index-store.ts',
    find: `return placeOfIndex(generation, lastModified);`,
    replace: `return placeOfIndex(generation, lastModified) && undefined;`,
    tests: ['test/s3/versions/slept.test.ts'],
    grep: 'ordered',
  },
  {
    name: 'versions: links of all generations stand at the same place',
    file: 'src/s3/versions/ordered-link.ts',
    find: `return placeBehind(isAlien ? state.lastModified + 1 : state.lastModified, rank);`,
    replace: `return placeBehind(isAlien ? state.lastModified + 1 : state.lastModified, 1);`,
    tests: ['test/s3/versions/slept.test.ts', 'test/s3/versions/races.test.ts'],
  },
  {
    name: 'versions: a new link is not compared with the index once it is there',
    file: 'src/s3/versions/current-link.ts',
    find: `return this.#ordered !== undefined && this.commits.isStored(call, key, target);`,
    replace: `return this.#ordered !== undefined;`,
    tests: ['test/s3/versions/slept.test.ts'],
  },
  {
    name: 'versions: a refusal by a remembered index counts',
    file: 'src/s3/versions/index-commits.ts',
    find: `return begun.next === undefined ? undefined : begun; } catch { return undefined; }`,
    replace: `return begun.next === undefined ? undefined : begun; } catch (error) { throw error; }`,
    tests: ['test/s3/versions/slept.test.ts'],
  },
  {
    name: 'versions: nothing to do by a remembered index counts',
    file: 'src/s3/versions/index-commits.ts',
    find: `return begun.next === undefined ? undefined : begun;`,
    replace: `return begun;`,
    tests: ['test/s3/versions/slept.test.ts'],
  },
  {
    name: 'versions: writes stand behind what deletions are forgotten of',
    file: 'src/s3/versions/order.ts',
    find: `const AGE_MS_MAX = 86_400_000;`,
    replace: `const AGE_MS_MAX = Infinity;`,
    tests: ['test/s3/versions/slept.test.ts'],
  },
  {
    name: 'versions: the index of a deleted bucket goes whatever is listed beside it',
    file: 'src/s3/versions/remove.ts',
    find: `else if (key !== youngKey) indexes.push(object);`,
    replace: `else indexes.push(object);`,
    tests: ['test/s3/versions/remove.test.ts'],
  },
  {
    name: 'versions: parts of a replaced version null stay for good',
    file: 'src/s3/object/store-object.ts',
    find: `forgetParts(context, keyOf(context), created.removed);`,
    replace: ``,
    tests: ['test/integration/multipart-cleanup.test.ts'],
    grep: 'suspended',
  },
  {
    name: 'janitor/lease: it counts from after the write',
    file: 'src/janitor/lease.ts',
    find: `this.#validUntil = before + this.leaseMs;`,
    replace: `this.#validUntil = this.clock.monotonic() + this.leaseMs;`,
    tests: ['test/janitor/lease.test.ts'],
  },
  {
    name: 'janitor/lease: a watcher goes by its own length',
    file: 'src/janitor/lease.ts',
    find: `return this.#watched.since + record.lease_ms - now;`,
    replace: `return this.#watched.since + this.leaseMs - now;`,
    tests: ['test/janitor/lease.test.ts'],
  },
];
