/**
 * Regular expressions as a tree: characters, `.`, classes, `\d \w \s`, groups, `|`, `* + ? {m,n}`,
 * `^` and `$`. What needs going back (references, looking around) is no part of it.
 */
export type Pattern =
  | { readonly kind: 'empty' | 'start' | 'end' }
  | { readonly kind: 'one'; readonly fits: (code: number) => boolean }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Pattern[] }
  | {
      readonly kind: 'repeat';
      readonly part: Pattern;
      readonly min: number;
      /** Infinity for no end. */
      readonly max: number;
    };

/** A pattern that cannot be used, and why, in words for its user. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

type Fits = (code: number) => boolean;

const REPEAT_MAX = 100;
const DEPTH_MAX = 50;
const CLASSES: Readonly<Record<string, Fits>> = {
  d: (code) => code >= 48 && code <= 57,
  w: (code) => /[\p{L}\p{N}_]/u.test(String.fromCodePoint(code)),
  s: (code) => /\s/u.test(String.fromCodePoint(code)),
};

/** @throws PatternError */
export function parsePattern(text: string): Pattern {
  const parser = new Parser(Array.from(text));
  return parser.parse();
}

class Parser {
  #at = 0;
  #depth = 0;

  constructor(private readonly signs: readonly string[]) {}

  parse(): Pattern {
    const pattern = this.#alternatives();
    if (this.#at < this.signs.length) throw new PatternError('There is a “)” too many.');
    return pattern;
  }

  #alternatives(): Pattern {
    if (++this.#depth > DEPTH_MAX) throw new PatternError('The groups are too deep.');
    const parts = [this.#sequence()];
    while (this.#takes('|')) parts.push(this.#sequence());
    this.#depth -= 1;
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'any', parts };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    for (;;) {
      const sign = this.signs[this.#at];
      if (sign === undefined || sign === '|' || sign === ')') break;
      parts.push(this.#repeated(this.#single()));
    }
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'all', parts };
  }

  #single(): Pattern {
    const sign = this.#next();
    switch (sign) {
      case '^':
        return { kind: 'start' };
      case '$':
        return { kind: 'end' };
      case '.':
        return { kind: 'one', fits: () => true };
      case '[':
        return { kind: 'one', fits: this.#class() };
      case '(': {
        if (this.#takes('?') && !this.#takes(':')) {
          throw new PatternError('Groups that begin with “(?” are not known, but for “(?:”.');
        }
        const inner = this.#alternatives();
        if (!this.#takes(')')) throw new PatternError('A “(” is not closed.');
        return inner;
      }
      case '*':
      case '+':
      case '?':
        throw new PatternError(`There is nothing that “${sign}” could repeat.`);
      case '\\':
        return { kind: 'one', fits: this.#escaped() };
      default:
        return { kind: 'one', fits: same(sign) };
    }
  }

  #repeated(part: Pattern): Pattern {
    const sign = this.signs[this.#at];
    const bounds = this.#bounds(sign);
    if (bounds === undefined) return part;
    const after = this.signs[this.#at];
    if (after !== undefined && '*+?'.includes(after)) {
      throw new PatternError(`“${after}” cannot follow another repetition.`);
    }
    return { kind: 'repeat', part, ...bounds };
  }

  #bounds(sign: string | undefined): { min: number; max: number } | undefined {
    if (sign === '*' || sign === '+' || sign === '?') {
      this.#at += 1;
      return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    }
    if (sign !== '{') return undefined;
    const rest = this.signs.slice(this.#at).join('');
    const found = /^\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/.exec(rest);
    if (found === null) throw new PatternError('After “{” stand one or two numbers, and “}”.');
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === undefined ? Infinity : Number(found[3]);
    if (max < min) throw new PatternError('A repetition ends before it begins.');
    if (min > REPEAT_MAX || (max !== Infinity && max > REPEAT_MAX)) {
      throw new PatternError(`No more than ${REPEAT_MAX} repetitions can be counted.`);
    }
    return { min, max };
  }

  #escaped(): Fits {
    const sign = this.#next();
    const known = CLASSES[sign.toLowerCase()];
    if (known === undefined) {
      if (/[A-Za-z0-9]/.test(sign)) throw new PatternError(`“\\${sign}” is not known.`);
      return same(sign);
    }
    return sign === sign.toLowerCase() ? known : (code) => !known(code);
  }

  #class(): Fits {
    const negated = this.#takes('^');
    const fits: Fits[] = [];
    for (let first = true; first || this.signs[this.#at] !== ']'; first = false) {
      const sign = this.#next('A “[” is not closed.');
      if (sign === '\\') {
        fits.push(this.#escaped());
        continue;
      }
      const until = this.signs[this.#at + 1];
      if (this.signs[this.#at] !== '-' || until === undefined || until === ']') {
        fits.push(same(sign));
        continue;
      }
      this.#at += 2;
      fits.push(between(codeOf(sign), codeOf(until)));
    }
    this.#at += 1;
    return (code) => fits.some((one) => one(code)) !== negated;
  }

  #takes(sign: string): boolean {
    if (this.signs[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #next(problem = 'The pattern ends too early.'): string {
    const sign = this.signs[this.#at++];
    if (sign === undefined) throw new PatternError(problem);
    return sign;
  }
}

function codeOf(sign: string): number {
  return sign.codePointAt(0) ?? 0;
}

/** Case does not count: the text is in lower case. */
function same(sign: string): Fits {
  const wanted = codeOf(sign.toLowerCase());
  return (code) => code === wanted;
}

function between(from: number, to: number): Fits {
  if (to < from) throw new PatternError('A range ends before it begins.');
  return (code) => {
    const upper = codeOf(String.fromCodePoint(code).toUpperCase());
    return (code >= from && code <= to) || (upper >= from && upper <= to);
  };
}
