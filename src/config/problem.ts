/** The source of a setting. It decides between the exit codes of usage and configuration. */
type ProblemSource = 'flag' | 'file' | 'environment';

/** One thing that is wrong with what the operator gave. */
export interface ConfigProblem {
  readonly source: ProblemSource;
  /** The configuration key, flag, variable or file. */
  readonly key: string;
  /** The value that was given, as JSON; absent where none was. */
  readonly given?: unknown;
  /** The same in words, worded to follow "got", where the value may be a secret. */
  readonly found?: string | undefined;
  /** The value that would be right, worded to follow "expected". */
  readonly expected: string;
}

/** Everything that is wrong, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    super(problems.map(describeProblem).join('\n'));
  }
}

/**
 * Takes all steps, in this order, whatever is wrong in one of them.
 * @returns what each returned
 * @throws ConfigError with everything that is wrong in any
 */
export function takeAll<T extends readonly unknown[]>(steps: {
  readonly [K in keyof T]: () => T[K];
}): T {
  const problems: ConfigProblem[] = [];
  const results = steps.map((step) => {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return results as unknown as T;
}

/** One line: key, given value, expectation. Values of keys that name a secret are masked. */
export function describeProblem({ key, given, found, expected }: ConfigProblem): string {
  const got = found ?? (given === undefined ? undefined : show(key, given));
  return got === undefined
    ? `${key}: expected ${expected}`
    : `${key}: got ${got}, expected ${expected}`;
}

export const MASK = '********';

/** An access key's place is where a secret is put by mistake. */
const SECRET_NAME = /secret|access_?key|password|passwd|token|private/i;

/** @returns true when a value under this name is not to be shown */
export function isSecretName(name: string): boolean {
  // The path of a file with a secret is none.
  return SECRET_NAME.test(name) && !name.endsWith('_file');
}

const SHOWN_LENGTH_MAX = 120;

function show(key: string, given: unknown): string {
  if (isSecretName(key)) return MASK;
  const masked = JSON.stringify(given, (name, value: unknown) =>
    isSecretName(name) ? MASK : value,
  );
  return masked.length > SHOWN_LENGTH_MAX ? `${masked.slice(0, SHOWN_LENGTH_MAX)}…` : masked;
}

/**
 * The value that was given, in words: for places where a value may be a secret that was put there
 * by mistake, and must not reach a terminal or a log.
 *
 * @param allowed - one character that may stand there; undefined when the rule is about the whole
 * @returns to follow "got"; undefined when nothing was given
 */
export function describeHidden(value: unknown, allowed?: RegExp): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'null';
  if (typeof value !== 'string')
    return Array.isArray(value) ? 'a list' : KIND_OF_VALUE[typeof value];
  const characters = Array.from(value);
  const length = `${characters.length} ${characters.length === 1 ? 'character' : 'characters'}`;
  const index = characters.findIndex((character) => allowed?.test(character) === false);
  if (index === -1) return length;
  return `${length}, of which number ${index + 1} is ${kindOf(characters[index] ?? '')}`;
}

/** The kinds of values in JSON. */
const KIND_OF_VALUE: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
};

/** The first that fits. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}/u, 'a control character'],
  [/\p{White_Space}/u, 'white space'],
  [/[^\x20-\x7e]/u, 'not ASCII'],
  [/[A-Za-z]/, 'a letter'],
  [/[0-9]/, 'a digit'],
];

function kindOf(character: string): string {
  return KINDS.find(([pattern]) => pattern.test(character))?.[1] ?? 'punctuation';
}
