import { RE2JS, RE2JSSyntaxException } from 're2js';
import { globMatcher } from './glob.js';

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

function compiled(q: string): RE2JS {
  try {
    return RE2JS.compile(q, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new PatternError(`The pattern cannot be read: ${error.getDescription()}.`);
  }
}
