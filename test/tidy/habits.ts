import type { ProjectFile, Violation } from './project.js';

/** A file is one concept; none of the code we admire needed more lines than this for one. */
const LINES_MAX = 350;
/** The cases of one suite may be many. */
const TEST_LINES_MAX = 500;

const CODE = /\.(?:ts|mjs|cjs|js|py|css|html)$/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*(?:\/|$|\s(?!\{)))/;

/** Lines of code: comments are read beside them, and not in place of them. */
export function lengthViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter((file) => CODE.test(file.path))
    .map(({ path, text }) => {
      const lines = text.replace(/\n$/, '').split('\n');
      const max = path.startsWith('test/') ? TEST_LINES_MAX : LINES_MAX;
      return { path, max, count: lines.filter((line) => !COMMENT.test(line)).length };
    })
    .filter(({ count, max }) => count > max)
    .map(({ path, count, max }) => `${path} has ${count} lines of code, more than ${max}`);
}

/** Focused tests: they would silence all others. */
export function focusViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter((file) => file.path.startsWith('test/'))
    .filter(({ text }) => /\b(?:describe|context|suite|it|specify|test)\.only\(/.test(text))
    .map(({ path }) => `${path} focuses on a test`);
}

/** Of a call that opens a connection, its options where they are written out. */
const OPENS = /\b(?:request|get|connect\w*|createConnection)\(\s*\{(?<options>[^{}]*)\}/g;

/** Connections to no host in particular: Node asks the name service for `localhost`, and many machines have none. */
export function hostlessViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(OPENS)]
        .filter(({ groups }) => /\bport\b/.test(groups?.options ?? ''))
        .filter(({ groups }) => !/\bhost(?:name)?\b/.test(groups?.options ?? ''))
        .map(({ index }) => text.slice(0, index).split('\n').length)
        .map((line) => `${path}:${line} connects to a port of no host`),
    );
}

const OPERATIONS = /^src\/s3\/(?:service|bucket|object|multipart)\//;
/** They read documents that the service itself has stored, within its own bounds. */
const STORED_DOCUMENTS: ReadonlySet<string> = new Set([
  'src/s3/bucket/configuration.ts',
  'src/s3/bucket/lifecycles.ts',
]);
const PARSER_IMPORT = /import\s[^;]*\bparse[A-Z]\w*[^;]*\sfrom '[^']*\/xml\/[^']*'/;

/**
 * Operations that parse a document themselves, on the event loop whatever its size and bounds:
 * `src/s3/request/request-document.ts` is for that.
 */
export function inlineParserViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter(({ path }) => OPERATIONS.test(path) && !STORED_DOCUMENTS.has(path))
    .filter(({ text }) => PARSER_IMPORT.test(text))
    .map(({ path }) => `${path} parses a document by itself`);
}

/**
 * Home and work folders of somebody's machine: such a path is true for nobody else.
 * Matched after a quote, blank, bracket, `=` or `:`, so that a folder inside the project is not.
 */
const MACHINE_PATH = /(?:^|[\s'"`(<=:])\/(?:home|Users|root|work|workspace)\/[\w.-]+/;

export function machinePathViolations(files: readonly ProjectFile[]): Violation[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ line, number: index + 1 }))
      .filter(({ line }) => MACHINE_PATH.test(line))
      .map(({ number }) => `${path}:${number} names a folder of one machine`),
  );
}

/** A file of the code that a comment names: `ring-file.ts`, `src/ring/ring-file.ts`. */
const CITED = /(?<![\w./@*<-])[\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs)\b(?![-*])/g;

/** Comments that send their readers to a file that is no more. */
export function citationViolations(files: readonly ProjectFile[]): Violation[] {
  const ends = new Set(
    files.flatMap(({ path }) => {
      const parts = path.split('/');
      return parts.map((_part, from) => parts.slice(from).join('/'));
    }),
  );
  return files
    .filter(({ path }) => /\.(?:ts|mjs)$/.test(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const comment = /^\s*(?:\/\*\*|\*|\/\/)(.*)/.exec(line)?.[1] ?? '';
        return [...comment.matchAll(CITED)]
          .filter(([cited]) => !ends.has(cited.replace(/^(?:\.{1,2}\/)+/, '')))
          .map(([cited]) => `${path}:${index + 1} cites ${cited}, which is no file`);
      }),
    );
}

const DECLARATION = /^(?:export (?!type \*|\*)|const |function |class |interface |type )/m;
const ALONE = /^\/\*\*(?:(?!\*\/|@typedef)[^])*?\*\/\n\n/gm;

/** Files with a second header in their middle: they are two files, or one text. */
export function secondHeaderViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter(({ path }) => /^(?:src|console|supervisor|workers)\/.*\.ts$/.test(path))
    .flatMap(({ path, text }) => {
      const first = DECLARATION.exec(text)?.index ?? text.length;
      return [...text.matchAll(ALONE)]
        .filter(({ index }) => index > first)
        .map(({ index }) => text.slice(0, index).split('\n').length)
        .map((line) => `${path}:${line} has a comment that describes nothing below it`);
    });
}

/**
 * Files that take memory without clearing it, which others' secrets were in: they were read for
 * this list, and send no byte of it that they have not written. Memory filled from outside is
 * checked for its length.
 */
const UNCLEARED: ReadonlySet<string> = new Set([
  'src/backend/body-intake.ts',
  'src/backend/embedded/bytes.ts',
  'src/backend/embedded/keys.ts',
  'src/backend/embedded/tables.ts',
  'src/backend/swift/object-reads.ts',
  'src/cold/directory/copy-file.ts',
  'src/deploy/state/export.ts',
  'src/digest/checksum.ts',
  'src/digest/crc64nvme.ts',
  'src/http/slab-queue.ts',
  'src/lib/buffers/buffer-pool.ts',
  'src/lib/buffers/gathered-bytes.ts',
  'src/lib/buffers/read-slabs.ts',
  'src/lib/buffers/scratch-memory.ts',
  'src/lib/buffers/slab-pool.ts',
  'src/lib/http-client/connection.ts',
  'src/lib/http-client/read-memory.ts',
  'src/lib/http-client/response-parser.ts',
  'src/ring/ring-file.ts',
  'src/s3/rules/continuation-token.ts',
  'src/swift-api/object/upload.ts',
]);

export function unclearedMemoryViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter(({ path }) => /^(?:src|console|workers|supervisor)\//.test(path))
    .filter(({ path, text }) => text.includes('allocUnsafe') !== UNCLEARED.has(path))
    .map(({ path }) => `${path}: memory that is not cleared, and the list of such files, differ`);
}

/** Files that are renamed otherwise than to be put in place whole, and why. */
const RENAMES: ReadonlyMap<string, string> = new Map([
  ['src/lib/durable-file.ts', 'the helper'],
  ['src/lib/chained-log/chained-log.ts', 'rotates, and syncs the folder'],
  ['src/backend/embedded/upkeep/compact.ts', 'LMDB writes the copy, which is synced first'],
  ['src/cold/directory/directory-backend.ts', 'streams a body into another folder first'],
  ['src/deploy/drivers/local.ts', 'stages all files of a node before it renames the first'],
  ['src/deploy/drivers/remote-script.ts', 'the same, in Python'],
  ['src/deploy/state/import.ts', 'moves a whole tree that was synced'],
  ['console/nodes/local-procs.ts', 'the file of a process, which no power cut outlives'],
  ['console/surfaces/lab/chaos/replica-files.ts', 'moves a copy of an object away and back'],
  ['console/surfaces/lab/ground/sample-cluster.ts', 'makes what Swift would have left'],
  ['console/surfaces/lab/shadow/shadow-files.ts', 'keeps the former half of a log'],
]);

/** Files put in place by hand: without a sync, a power cut leaves an empty one, or none. */
export function renameViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter(({ path }) => /^(?:src|console(?!.*\/page\/)|supervisor|workers)\/.*\.ts$/.test(path))
    .filter(({ path, text }) => !RENAMES.has(path) && /\brename(?:Sync)?\(/.test(text))
    .map(({ path }) => `${path} renames files: src/lib/durable-file.ts puts them in place`);
}
