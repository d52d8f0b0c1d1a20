import {
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';

/** The fault of a text as JSON. */
export interface JsonProblem {
  /** `line 3, column 14`; both count from 1. */
  readonly place: string;
  readonly expected: string;
}

export type JsonResult =
  | { readonly ok: true; readonly object: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: JsonProblem };

/**
 * Parses a JSON object strictly: no comments, no trailing commas, and no key twice, since of two
 * settings one would be lost silently.
 */
export function parseJsonObject(text: string): JsonResult {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  // Errors behind the first may be its consequence.
  const [first] = errors;
  if (first !== undefined)
    return failure(text, first.offset, EXPECTED[printParseErrorCode(first.error)] ?? 'valid JSON');
  if (root?.type !== 'object') return failure(text, root?.offset ?? 0, 'a JSON object');
  const duplicate = findDuplicate(root);
  if (duplicate !== undefined) {
    return failure(
      text,
      duplicate.offset,
      `each key once; ${String(duplicate.value)} is there twice`,
    );
  }
  return { ok: true, object: getNodeValue(root) as Record<string, unknown> };
}

/** The parser's names of errors, worded to follow "expected". */
const EXPECTED: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a JSON value',
  InvalidNumberFormat: 'a number in JSON notation',
  PropertyNameExpected: 'a key in double quotes',
  ValueExpected: 'a value',
  ColonExpected: 'a colon after the key',
  CommaExpected: 'a comma between entries',
  CloseBraceExpected: 'a closing brace',
  CloseBracketExpected: 'a closing bracket',
  EndOfFileExpected: 'nothing after the closing brace',
  InvalidCommentToken: 'no comments: JSON has none',
  UnexpectedEndOfString: 'a closing quote',
  UnexpectedEndOfNumber: 'more digits of the number',
  InvalidUnicode: 'four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'an escape that JSON knows after the backslash',
  InvalidCharacter: 'no control characters in text',
};

function findDuplicate(object: Node): Node | undefined {
  const seen = new Set<unknown>();
  for (const property of object.children ?? []) {
    const key = property.children?.[0];
    if (key === undefined) continue;
    if (seen.has(key.value)) return key;
    seen.add(key.value);
  }
  return undefined;
}

function failure(text: string, offset: number, expected: string): JsonResult {
  const before = text.slice(0, offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return { ok: false, problem: { place, expected } };
}
