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
