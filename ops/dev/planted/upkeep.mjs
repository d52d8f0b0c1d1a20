/**
 * `ringway store`: check, export, import and compaction of the embedded store.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const UPKEEP = [
  {
    name: 'embedded upkeep: a file is unlinked below an export that reads it',
    file: 'src/backend/embedded/reaper.ts',
    find: `if (this.#wasHeld) return;`,
    replace: ``,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: recovery removes files below an export that reads them',
    file: 'src/backend/embedded/recovery.ts',
    find: `if (isHeld(tables, self)) {`,
    replace: `if (isHeld(tables, self) && false) {`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: an opener works on the index that a compaction has replaced',
    file: 'src/backend/embedded/tables.ts',
    find: `if (gate.isReplaced()) return undefined;`,
    replace: ``,
    tests: ['test/backend/embedded/compaction.test.ts'],
  },
  {
    name: 'embedded upkeep: the check trusts the MD5 of a body',
    file: 'src/backend/embedded/upkeep/state.ts',
    find: `if (found !== etag)`,
    replace: `if (found.length !== etag.length)`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: the check does not see a file that is too long',
    file: 'src/backend/embedded/upkeep/state.ts',
    find: `if (bytes !== size)`,
    replace: `if (bytes < size)`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: the check looks for orphans in one pass only',
    file: 'src/backend/embedded/upkeep/check.ts',
    find: `references = new BodyReferences(references.end, this.idsMax);`,
    replace: `break;`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: the check forgets containers without objects',
    file: 'src/backend/embedded/upkeep/check.ts',
    find: `if (!this.#filled.has(id)) this.#checkUsage(`,
    replace: `if (this.#filled.has(id)) this.#checkUsage(`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: an export reads what is written meanwhile',
    file: 'src/backend/embedded/upkeep/state.ts',
    find: `const range = { start, limit: PAGE_ROWS, transaction: this.transaction };`,
    replace: `const range = { start, limit: PAGE_ROWS };`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: an import shows what is not what was exported',
    file: 'src/backend/embedded/upkeep/import.ts',
    find: `if (end.sha256 !== sha256)`,
    replace: `if (end.sha256.length !== sha256.length)`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: an import that fails leaves its objects',
    file: 'src/backend/embedded/upkeep/import.ts',
    find: `await removeImported(deps, from);
    throw error;`,
    replace: `throw error;`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: an import that was killed is not cleared up',
    file: 'src/backend/embedded/store.ts',
    find: `await forgetDeadImport(this.deps);`,
    replace: ``,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: an import leaves the objects of a container that it replaces',
    file: 'src/backend/embedded/upkeep/import.ts',
    find: `dropContainer(transaction, ref, this.deps.owner, freed);`,
    replace: `void freed;`,
    tests: ['test/backend/embedded/upkeep.test.ts'],
  },
  {
    name: 'embedded upkeep: a compaction replaces an index that is open',
    file: 'src/backend/embedded/upkeep/compact.ts',
    find: `if (isIndexOpen(layout)) {`,
    replace: `if (isIndexOpen(layout) && false) {`,
    tests: ['test/backend/embedded/compaction.test.ts'],
  },
  {
    name: 'embedded upkeep: an import takes fields as they come',
    file: 'src/backend/embedded/upkeep/export-lines.ts',
    find: `if (wrong === undefined) return line as ExportLine;`,
    replace: `return line as ExportLine;`,
    tests: ['test/backend/embedded/forged-exports.test.ts'],
  },
  {
    name: 'embedded upkeep: an import lets an object replace another one',
    file: 'src/backend/embedded/upkeep/import.ts',
    find: `if (last.compare(key) < 0) return key;`,
    replace: `if (last.compare(key) <= 0) return key;`,
    tests: ['test/backend/embedded/forged-exports.test.ts'],
  },
  {
    name: 'embedded upkeep: an import does not look at the counts',
    file: 'src/backend/embedded/upkeep/import.ts',
    find: `end.objects !== counts.objects ||`,
    replace: ``,
    tests: ['test/backend/embedded/forged-exports.test.ts'],
  },
  {
    name: 'embedded upkeep: an import takes the first of two exports',
    file: 'src/backend/embedded/upkeep/export-reader.ts',
    find: `throw new ExportFormatError('the export has something behind its last line');`,
    replace: ``,
    tests: ['test/backend/embedded/forged-exports.test.ts'],
  },
];
