/** Where a setting came from; decides between the exit codes of usage and configuration. */
export type ProblemSource = 'flag' | 'file' | 'environment';

/** One thing that is wrong with what the operator gave. */
export interface ConfigProblem {
  readonly source: ProblemSource;
  /** The configuration key, flag, variable or file. */
  readonly key: string;
  /** What was given, as JSON; absent where nothing was. */
  readonly given?: unknown;
  /** The same in words, worded to follow "got", where the value may be a secret. */
  readonly found?: string | undefined;
  /** What would be right, worded to follow "expected". */
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
