import type { z } from 'zod';
import { didYouMean } from '../../config/suggest.js';
import { crossProblems, crossWarnings } from './cross-checks.js';
import { parseDocument, pointer, type SpecProblem } from './parse.js';
import { specSchema, type Spec } from './schema.js';

/** All that is said of a specification at once. */
export interface Validated {
  /** With every default filled in; undefined where anything is wrong. */
  readonly spec: Spec | undefined;
  readonly errors: readonly SpecProblem[];
  readonly warnings: readonly SpecProblem[];
}

/** The most problems that a form shows; a text with more is no specification. */
const PROBLEMS_MAX = 1000;

/** Checks the text of a specification. */
export function validateText(text: string): Validated {
  const { value, problems } = parseDocument(text);
  return value === undefined
    ? { spec: undefined, errors: problems, warnings: [] }
    : validate(value);
}

/**
 * Checks a specification: the form of each field, and what fields say of each other, which is also
 * told where other fields are wrong.
 */
export function validate(value: unknown): Validated {
  const result = specSchema.safeParse(value, { reportInput: true });
  const issues = result.success ? [] : result.error.issues.flatMap((issue) => problemsOf(issue));
  const errors = [...issues, ...crossProblems(value)];
  if (!result.success || errors.length > 0) {
    return { spec: undefined, errors: errors.slice(0, PROBLEMS_MAX), warnings: [] };
  }
  return { spec: result.data, errors: [], warnings: crossWarnings(result.data) };
}

type Issue = z.core.$ZodIssue;

function problemsOf(issue: Issue): SpecProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pointer([...issue.path, key]),
      code: 'unknown_key',
      message: `expected a key that exists${didYouMean(key, knownKeys(issue.path))}`,
    }));
  }
  const isMissing = 'input' in issue && issue.input === undefined;
  const code = isMissing ? 'missing' : (CODES[issue.code] ?? 'invalid');
  return [{ path: pointer(issue.path), code, message: `expected ${issue.message}` }];
}

const CODES: Readonly<Partial<Record<Issue['code'], string>>> = {
  invalid_type: 'wrong_type',
  too_big: 'out_of_range',
  too_small: 'out_of_range',
  invalid_key: 'bad_name',
};

/** The keys that the schema has at a place. */
function knownKeys(path: readonly PropertyKey[]): string[] {
  let at: z.core.$ZodType | undefined = specSchema;
  for (const step of path) at = below(at, step);
  const shape = shapeOf(at);
  return shape === undefined ? [] : Object.keys(shape);
}

interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
}

function shapeOf(schema: z.core.$ZodType | undefined): Definition['shape'] {
  const definition = schema?._zod.def as Definition | undefined;
  return definition?.innerType === undefined ? definition?.shape : shapeOf(definition.innerType);
}

/** The schema of a member or an entry, whatever defaults are wrapped around it. */
function below(
  schema: z.core.$ZodType | undefined,
  step: PropertyKey,
): z.core.$ZodType | undefined {
  const definition = schema?._zod.def as Definition | undefined;
  if (definition?.innerType !== undefined) return below(definition.innerType, step);
  return definition?.element ?? definition?.shape?.[String(step)];
}
