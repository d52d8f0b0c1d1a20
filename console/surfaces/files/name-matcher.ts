import { RE2JS, RE2JSSyntaxException } from 're2js';

/** How a search reads what it looks for. */
export type SearchMode = 'substring' | 'glob' | 'regex';

/** A pattern that cannot be used, and why, in words for its user. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/**
 * Tells whether a name has what is looked for, whatever the case. A regular expression takes time in
 * proportion to its length times that of the name, for every expression: that can be milliseconds for
 * one name, so that this is for threads.
 *
 * @throws PatternError
 */
export function nameMatcher(q: string, mode: SearchMode): (name: string) => boolean {
  const wanted = q.toLowerCase();
  switch (mode) {
    case 'substring':
      return (name) => name.toLowerCase().includes(wanted);
    case 'glob': {
      const fits = globMatcher(wanted);
      return (name) => fits(name.toLowerCase());
    }
    case 'regex': {
      const pattern = compiled(q);
      return (name) => pattern.test(name);
    }
  }
}

/**
 * `*` for any characters, `?` for one; all else stands for itself. Goes back to the last `*` alone,
 * so that no pattern takes longer than its length times that of the text.
 */
function globMatcher(pattern: string): (text: string) => boolean {
  return (text) => {
    let p = 0;
    let t = 0;
    let star = -1;
    let resume = 0;
    while (t < text.length) {
      if (pattern[p] === '*') {
        star = p++;
        resume = t;
      } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
        p += 1;
        t += 1;
      } else if (star !== -1) {
        p = star + 1;
        t = ++resume;
      } else return false;
    }
    while (pattern[p] === '*') p += 1;
    return p === pattern.length;
  };
}

function compiled(q: string): RE2JS {
  try {
    return RE2JS.compile(q, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new PatternError(`The pattern cannot be read: ${error.getDescription()}.`);
  }
}
