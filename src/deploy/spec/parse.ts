import { parseJsonObject } from '../../config/json.js';

/** Bytes of a specification: 10,000 devices take a third of it. */
export const SPEC_BYTES_MAX = 2 * 1024 * 1024;
const DEPTH_MAX = 16;

/** Something that is wrong with a specification, at a place in it. */
export interface SpecProblem {
  /** A JSON pointer (RFC 6901), such as `/rings/0/replicas`; empty for the whole. */
  readonly path: string;
  /** A word that stays the same when the message is worded anew. */
  readonly code: string;
  readonly message: string;
}

export type ParsedJson =
  | { readonly value: Readonly<Record<string, unknown>>; readonly problems: readonly [] }
  | { readonly value: undefined; readonly problems: readonly SpecProblem[] };

/** Reads the text of a JSON object: no key twice, no comments, and neither too long nor too deep. */
export function parseDocument(text: string): ParsedJson {
  if (Buffer.byteLength(text) > SPEC_BYTES_MAX) {
    return refused('too_large', `expected at most ${SPEC_BYTES_MAX} bytes`);
  }
  // Before anything recursive reads it.
  if (depthOf(text) > DEPTH_MAX) {
    return refused('too_deep', `expected at most ${DEPTH_MAX} objects and lists in each other`);
  }
  const result = parseJsonObject(text);
  if (result.ok) return { value: result.object, problems: [] };
  const { place, expected } = result.problem;
  return refused('bad_json', `${place}: expected ${expected}`);
}

function refused(code: string, message: string): ParsedJson {
  return { value: undefined, problems: [{ path: '', code, message }] };
}

/** How deep brackets are nested, outside of texts. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charAt(at);
    if (isText) {
      if (unit === '\\') at++;
      else if (unit === '"') isText = false;
    } else if (unit === '"') isText = true;
    else if (unit === '{' || unit === '[') deepest = Math.max(deepest, ++depth);
    else if (unit === '}' || unit === ']') depth--;
  }
  return deepest;
}

/** A JSON pointer. */
export function pointer(path: readonly PropertyKey[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
