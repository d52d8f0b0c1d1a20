import type { ProjectFile, Violation } from './project.js';

/**
 * The words of comments and of the titles of tests: a reader must not have to look for the subject
 * of a sentence. The rules are a short list of constructs that had to be decoded with the code
 * beside them.
 */

/** The folders whose comments are held to the rules. */
export const PLAIN_FOLDERS = [
  'bench/',
  'console/',
  'ops/',
  'src/',
  'supervisor/',
  'test/support/',
  'workers/',
];

interface Rule {
  readonly found: RegExp;
  readonly advice: string;
}

/** Words for an unnamed person: the subject is a client, a writer, a caller, a process, a user. */
const ANYWHERE: readonly Rule[] = [
  { found: /\b(?:nobody|somebody|whoever|whomever)\b/i, advice: 'name the subject' },
];

/** The first words of a comment without a subject. */
const AT_THE_START: readonly Rule[] = [
  { found: /^Of /, advice: 'begin with the thing: "The size of …", not "Of …"' },
  { found: /^(?:Who|Whom|Whose) /, advice: 'begin with the subject: "A client that …"' },
  { found: /^(?:What|Whatever) [^?]*$/, advice: 'begin with the thing: "The answer of …"' },
  { found: /^It may /, advice: 'name what may' },
  { found: /^As (?:above|below)\.?$/, advice: 'say it here' },
  { found: /^To be (?:asked|called) /, advice: 'say what it does, and then when to call it' },
  { found: /^Told /, advice: 'write "Called when …"' },
];

interface CommentLine {
  readonly number: number;
  readonly text: string;
  /** Whether the comment begins here. */
  readonly isFirst: boolean;
}

export function wordViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter(({ path }) => /\.(?:ts|mjs|js)$/.test(path))
    .filter(({ path }) => PLAIN_FOLDERS.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) =>
      commentLines(text).flatMap(({ number, text: words, isFirst }) =>
        [...ANYWHERE, ...(isFirst ? AT_THE_START : [])]
          .filter(({ found }) => found.test(words))
          .map(({ advice }) => `${path}:${number} has "${words}": ${advice}`),
      ),
    );
}

/** The lines of comments that have text; comments behind code are left out. */
function commentLines(source: string): CommentLine[] {
  const lines: CommentLine[] = [];
  let place: 'outside' | 'opened' | 'inside' | 'slashes' = 'outside';
  source.split('\n').forEach((line, index) => {
    const [, mark, text = ''] = /^\s*(\/\*\*?|\*\/|\*|\/\/)\s?(.*?)(?:\s*\*\/)?$/.exec(line) ?? [];
    const before = place;
    const ends = line.endsWith('*/');
    if (mark === '//') place = 'slashes';
    else if (mark?.startsWith('/*')) place = ends ? 'outside' : text === '' ? 'opened' : 'inside';
    else if (mark !== '*' || ends || before === 'slashes') place = 'outside';
    else if (before === 'opened' && text !== '') place = 'inside';
    const isComment =
      mark !== undefined && (mark !== '*' || before === 'opened' || before === 'inside');
    if (isComment && text !== '') {
      lines.push({
        number: index + 1,
        text,
        isFirst: mark === '*' ? before === 'opened' : mark !== '//' || before !== 'slashes',
      });
    }
  });
  return lines;
}

/** The folders whose titles of tests are held to the rules. */
export const PLAIN_TITLE_FOLDERS = [
  'test/clients/',
  'test/clock/',
  'test/cold/',
  'test/config/',
  'test/contract/',
  'test/faults/',
  'test/http/',
  'test/identity/',
  'test/integration/',
  'test/janitor/',
  'test/lib/',
  'test/ring/',
  'test/s3/',
  'test/swift-api/',
];

/** A title of a test or of a group of tests, in quotes of any kind. */
const TITLE = /\b(?:describe\w*|it)\(\s*(?:[A-Z_]+,\s*)?(['"`])((?:\\.|(?!\1).)*)\1/gs;

/** Code within a title. */
const PLACEHOLDER = /\$\{[^}]*\}/g;

/** Titles of tests that speak of an unnamed person. */
export function titleViolations(files: readonly ProjectFile[]): Violation[] {
  return files
    .filter(({ path }) => path.endsWith('.ts'))
    .filter(({ path }) => PLAIN_TITLE_FOLDERS.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) =>
      [...text.matchAll(TITLE)].flatMap(({ index, 2: title = '' }) =>
        ANYWHERE.filter(({ found }) => found.test(title.replaceAll(PLACEHOLDER, ''))).map(
          ({ advice }) => `${path}:${lineAt(text, index)} has the title "${title}": ${advice}`,
        ),
      ),
    );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
