/** One alternative: literal pieces, with anything (of at least `gaps[i]` characters) between them. */
interface Alternative {
  readonly pieces: readonly string[];
  readonly gaps: readonly number[];
}

/**
 * A regular expression of literals, `.*`, `.+`, alternatives at its top and a leading `(?i)`: what
 * dashboards ask for, in time that is linear in the text.
 *
 * @param isWhole - whether it has to be all of a text, or any part of it
 * @returns undefined for any other expression
 */
export function wildcards(
  expression: string,
  isWhole: boolean,
): ((text: string) => boolean) | undefined {
  const ignoresCase = expression.startsWith('(?i)');
  const source = ignoresCase ? expression.slice(4).toLowerCase() : expression;
  const alternatives: Alternative[] = [];
  for (const part of splitAlternatives(source)) {
    const alternative = parse(part);
    if (alternative === undefined) return undefined;
    alternatives.push(isWhole ? alternative : anywhere(alternative));
  }
  return (text) => {
    const given = ignoresCase ? text.toLowerCase() : text;
    return alternatives.some((alternative) => isMatch(given, alternative));
  };
}

/** Splits at the bars without a backslash in front. */
function splitAlternatives(source: string): string[] {
  const parts = [''];
  for (let index = 0; index < source.length; index++) {
    if (source[index] === '|') {
      parts.push('');
      continue;
    }
    const taken = source[index] === '\\' ? 2 : 1;
    parts.push(`${parts.pop() ?? ''}${source.slice(index, index + taken)}`);
    index += taken - 1;
  }
  return parts;
}

const TOKEN = /\\([^A-Za-z0-9])|\.([*+])|([^\\.*+?()[\]{}^$|])|(\.)/gsy;

function parse(part: string): Alternative | undefined {
  const pieces = [''];
  const gaps: number[] = [];
  let end = 0;
  for (const match of part.matchAll(TOKEN)) {
    const [token, escaped, repeated, literal, dot] = match;
    end += token.length;
    if (dot !== undefined) return undefined;
    if (repeated === undefined) {
      pieces.push(`${pieces.pop() ?? ''}${escaped ?? literal ?? ''}`);
    } else if (pieces.at(-1) === '' && gaps.length > 0) {
      gaps.push((gaps.pop() ?? 0) + (repeated === '+' ? 1 : 0));
    } else {
      gaps.push(repeated === '+' ? 1 : 0);
      pieces.push('');
    }
  }
  return end === part.length ? { pieces, gaps } : undefined;
}

function anywhere({ pieces, gaps }: Alternative): Alternative {
  return { pieces: ['', ...pieces, ''], gaps: [0, ...gaps, 0] };
}

/** The leftmost place of each piece is the best one, but for the last, which is at the end. */
function isMatch(text: string, { pieces, gaps }: Alternative): boolean {
  const [first = ''] = pieces;
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] ?? '';
    const from = at + (gaps[index - 1] ?? 0);
    const found = text.indexOf(piece, from);
    // Nothing is found everywhere, and behind the end as well.
    if (found === -1 || found < from) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at + (gaps.at(-1) ?? 0) && text.endsWith(last);
}
