import { parseArgs, type ParseArgsConfig } from 'node:util';
import { didYouMean } from '../../src/config/suggest.js';
import type { Flag } from './flags.js';

type FlagOptions = NonNullable<ParseArgsConfig['options']>;

/** Flags as they were given, by name, and what is wrong with them. */
export interface GivenFlags {
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly problems: string[];
}

/** @param flags all that there are */
export function readFlags(args: readonly string[], flags: readonly Flag[]): GivenFlags {
  const options: FlagOptions = Object.fromEntries(
    flags.map(({ name, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: true },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const problems: string[] = [];
  const known = flags.map(({ name }) => `--${name}`);
  for (const token of tokens) {
    // After a wrong flag, a word may be its value, so it is not reported.
    if (token.kind === 'positional' && problems.length === 0)
      problems.push(`got ${token.value}, expected a flag`);
    if (token.kind !== 'option') continue;
    const flag = flags.find(({ name }) => `--${name}` === token.rawName);
    if (flag === undefined) {
      problems.push(
        `got ${token.rawName}, expected a known flag${didYouMean(token.rawName, known)}`,
      );
    } else if (flag.value === undefined && token.value !== undefined) {
      problems.push(`--${flag.name}: got ${token.value}, expected no value`);
    } else if (flag.value !== undefined && (token.value === undefined || isFlag(token.value))) {
      problems.push(
        `--${flag.name}: got ${token.value ?? 'nothing'}, expected ${flag.expected ?? 'a value'}`,
      );
    } else {
      given.set(flag.name, [...(given.get(flag.name) ?? []), token.value ?? '']);
    }
  }
  return { given, problems };
}

/** A flag behind a flag: the value was forgotten. */
function isFlag(value: string): boolean {
  return value.startsWith('--');
}
