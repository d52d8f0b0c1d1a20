import type { QueryParameter } from '../../lib/uri.js';

/** The decoded query of a request. A parameter without `=` has the empty string as its value. */
export interface Query {
  /** The first value of that name; undefined when the parameter is absent. */
  get(name: string): string | undefined;
  has(name: string): boolean;
  /** All of them, in the order sent. */
  readonly parameters: readonly QueryParameter[];
}

/** A view of parsed parameters: queries are short, so that a scan beats building a map. */
export function queryOf(parameters: readonly QueryParameter[]): Query {
  return parameters.length === 0 ? EMPTY_QUERY : new ParameterQuery(parameters);
}

class ParameterQuery implements Query {
  constructor(readonly parameters: readonly QueryParameter[]) {}

  get(name: string): string | undefined {
    for (const parameter of this.parameters) {
      if (parameter.name === name) return parameter.value ?? '';
    }
    return undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}

/** Shared by the many requests that have none. */
export const EMPTY_QUERY: Query = new ParameterQuery([]);
