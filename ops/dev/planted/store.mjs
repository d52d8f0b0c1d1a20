/**
 * The stores: embedded, the client of Swift, versions, the janitor.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const STORE = [
  {
    name: 'swift: a body that has begun is sent again after 401',
    file: 'src/backend/swift/net/sender.ts',
    find: `if (course.refusals >= REFUSALS_MAX || course.upload?.begun === true) return undefined;`,
    replace: `if (course.refusals >= REFUSALS_MAX) return undefined;`,
    tests: ['test/backend/swift/transport-tokens.test.ts'],
  },
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
    find: `const now = await this.store.readIndex(call, of); if (now.etag !== before.etag) return undefined;`,
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
    file: 'src/s3/operations/object/store-object.ts',
    find: `forgetParts(context, keyOf(context), created.removed);`,
    replace: ``,
    tests: ['test/integration/multipart-cleanup.test.ts'],
    grep: 'suspended',
  },
  {
    name: 'embedded: a body is not synced',
    file: 'src/backend/embedded/object-puts.ts',
    find: `await file.datasync().catch(rethrow);`,
    replace: ``,
    tests: ['test/backend/embedded/durability.test.ts'],
  },
  {
    name: 'embedded: the folder of a body is not synced',
    file: 'src/backend/embedded/object-puts.ts',
    find: `await files.syncFoldersOf([bodyId]).catch(rethrow);`,
    replace: ``,
    tests: ['test/backend/embedded/durability.test.ts'],
  },
  {
    name: 'embedded: the folder of a copied body is not synced',
    file: 'src/backend/embedded/object-copies.ts',
    find: `await parts.files.syncFoldersOf([bodyId]).catch(rethrow);`,
    replace: ``,
    tests: ['test/backend/embedded/durability.test.ts'],
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
