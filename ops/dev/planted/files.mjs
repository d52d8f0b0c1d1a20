/**
 * The Files surface of the console: what is written over, deleted or shown while others write.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const FILES = [
  {
    name: 'files/transfers: a taken name is written without a question',
    file: 'console/surfaces/files/transfers.ts',
    find: `if (onTaken === 'fail') throw`,
    replace: `if (onTaken === 'rename') throw`,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'files/transfers: what comes between look and copy is replaced',
    file: 'console/surfaces/files/transfers.ts',
    find: `...(etag === undefined ? { overwrite: 'F' } : {}),`,
    replace: ``,
    tests: ['test/console/files/transfers.test.ts', 'test/console/files/transfer-jobs.test.ts'],
  },
  {
    name: 'files/transfers: one job writes a name twice',
    file: 'console/surfaces/files/transfers.ts',
    find: `if (this.#written.has(keyOf(to))) throw twice();`,
    replace: ``,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'files/transfers: a target is written over that could not move away',
    file: 'console/surfaces/files/transfers.ts',
    find: `const isBlocked = (readers.get(keyOf(to)) ?? 0) > 0;`,
    replace: `const isBlocked = false;`,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'files/transfers: nobody is told what was replaced',
    file: 'console/surfaces/files/transfers.ts',
    find: `if (target.etag !== undefined) this.tally.replace(to.object);`,
    replace: ``,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'files/plan: a chain is carried out from its wrong end',
    file: 'console/surfaces/files/transfer-plan.ts',
    find: `const ready = group.filter((one) => waits.get(one) === 0);`,
    replace: `const ready = [...group];`,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'files/sources: what was written meanwhile is deleted as what was copied',
    file: 'console/surfaces/files/object-info.ts',
    find: `const headers = { 'if-match': \`"\${copied.etag}"\` };`,
    replace: `const headers = {};`,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'files/sources: a source is not looked at again',
    file: 'console/surfaces/files/object-info.ts',
    find: `if (!isDeepStrictEqual(present, copied)) throw changedSince();`,
    replace: ``,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'files/segments: they go though a copy is left',
    file: 'console/surfaces/files/segment-cleanup.ts',
    find: `if (!alive.has(etag)) for`,
    replace: `for`,
    tests: ['test/console/files/segment-cleanup.test.ts'],
  },
  {
    name: 'files/segments: nobody waits for copies under way',
    file: 'console/surfaces/files/segment-cleanup.ts',
    find: `await Promise.all([this.pause(COPY_MS), largeCopies()]);`,
    replace: ``,
    tests: ['test/console/files/segment-cleanup.test.ts'],
  },
  {
    name: 'files/segments: a listing that lags keeps them',
    file: 'console/surfaces/files/segment-cleanup.ts',
    find: `const isThere = mode === 'stack' || (await this.#isThere({ container, object: name }));`,
    replace: `const isThere = true;`,
    tests: ['test/console/files/segment-cleanup.test.ts'],
  },
  {
    name: 'files/trash: metadata of others become its own',
    file: 'console/surfaces/files/trash.ts',
    find: `...freshHeaders(info, { ...ownMeta(info.meta), ...meta }),`,
    replace: `...freshHeaders(info, { ...info.meta, ...meta }),`,
    tests: ['test/console/files/transfers.test.ts'],
  },
  {
    name: 'store/copies: Overwrite: F means nothing',
    file: 'src/swift-api/object/writing.ts',
    find: `: headers.get('overwrite')?.trim().toUpperCase() === 'F';`,
    replace: `: false;`,
    tests: ['test/swift-api/conditions.test.ts'],
  },
  {
    name: 'store/deletions: If-Match means nothing',
    file: 'src/swift-api/object/post-object.ts',
    find: `const seen = (await notNewer(call)) ?? deletedEtag(call);`,
    replace: `const seen = await notNewer(call);`,
    tests: ['test/swift-api/conditions.test.ts'],
  },
];
