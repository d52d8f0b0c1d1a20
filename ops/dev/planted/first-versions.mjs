/**
 * First versions in the place of their index, and links behind unseen ones.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const FIRST_VERSIONS = [
  {
    name: 's3/versions: an index takes the place of a first version that was not moved',
    file: 'src/s3/versions/index-store.ts',
    find: `if (!(await makesRoom(this.backend, call, key, index, former))) return undefined;`,
    replace: ``,
    tests: ['test/s3/versions/first-version.test.ts'],
    grep: 'is read by its key',
  },
  {
    name: 's3/versions: the link to a first version leads to an index later',
    file: 'src/s3/versions/link-writes.ts',
    find: `isFixed: stored.body === entry.name`,
    replace: `isFixed: false`,
    tests: ['test/s3/versions/first-version.test.ts'],
    grep: 'broken link behind',
  },
  {
    name: 's3/versions: a broken link is mended past the links that came since',
    file: 'src/s3/versions/current-state.ts',
    find: `return conditionalReplace ? BROKEN : brokenLink(`,
    replace: `if (!conditionalReplace) return BROKEN;\n    return brokenLink(`,
    tests: ['test/s3/versions/first-version.test.ts'],
    grep: 'mends only until',
  },
  {
    name: "s3/versions: its own first version is another's after a wrong answer",
    file: 'src/s3/versions/first-version.ts',
    find: `const own = findEntry(stored.index, name);`,
    replace: `const own = written && findEntry(stored.index, name);`,
    tests: ['test/s3/versions/first-version.test.ts'],
    grep: 'sent twice',
  },
  {
    name: 's3/versions: the locks of a first version are not found',
    file: 'src/s3/versions/find-version.ts',
    find: `let head = await headNewest(backend, call, ref);`,
    replace: `let head = (await headNewest(backend, call, ref)) ?? null;`,
    tests: ['test/s3/versions/first-version.test.ts'],
    grep: 'its locks',
  },
  {
    name: 's3/versions: a link that was not put behind another counts as written',
    file: 'src/s3/versions/ordered-link.ts',
    find: `const put = await this.backend.putLink(call, currentRef(key), input);\n    if (put.outcome !== 'created') return DIFFERENT;`,
    replace: `const put = await this.backend.putLink(call, currentRef(key), input);\n    if (put.outcome !== 'created') return IN_ORDER;`,
    tests: ['test/s3/versions/races.test.ts'],
  },
  {
    name: "swift: a link of a client opens its key's index",
    file: 'src/backend/swift/object-reads.ts',
    find: ` || isIndexBehindLink(ref, headers)`,
    replace: ``,
    tests: ['test/backend/swift/object-reads.test.ts'],
  },
];
