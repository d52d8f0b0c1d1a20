import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJsonObject } from './json.js';
import { isPath, type KeyRule } from './keys.js';
import { ConfigError, type ConfigProblem } from './problem.js';
import { didYouMean } from './suggest.js';

/** The common part of all configurations: those of the gateway, the console and the deploy service. */

/** The values of a file, before any check. */
export type RawConfig = Readonly<Record<string, unknown>>;

/**
 * @param given the file's name as the operator knows it, for the report
 * @param key of the report when it cannot be read
 * @throws ConfigError when it cannot be read, or is no JSON object
 */
export function readConfigFile(
  place: string,
  given: string,
  key: Pick<ConfigProblem, 'key' | 'given'> = { key: given },
): RawConfig {
  let text: string;
  try {
    text = readFileSync(place, 'utf8');
  } catch (error) {
    const expected = `a readable file (${(error as Error).message})`;
    throw new ConfigError([{ source: 'file', ...key, expected }]);
  }
  const result = parseJsonObject(text.replace(/^\uFEFF/, ''));
  if (result.ok) return result.object;
  const fault = result.problem;
  const where = `${given}, ${fault.place}`;
  throw new ConfigError([{ source: 'file', key: where, expected: fault.expected }]);
}

export function unknownKeys(raw: RawConfig, known: readonly string[]): ConfigProblem[] {
  return Object.keys(raw)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      source: 'file',
      key,
      given: raw[key],
      expected: `a key that exists${didYouMean(key, known)}`,
    }));
}

/** Makes every path absolute, in place, but for empty ones. @param folder of relative ones */
export function resolvePaths(
  config: Record<string, unknown>,
  rules: Readonly<Record<string, Pick<KeyRule, 'schema'>>>,
  folder: string,
): void {
  for (const [key, { schema }] of Object.entries(rules)) {
    const value = config[key];
    if (typeof value !== 'string' || value === '' || !isPath(schema)) continue;
    config[key] = path.resolve(folder, value);
  }
}

/** The configuration with its names as the code has them: `state_dir` is `stateDir`. */
export function camelCaseKeys(config: object): object {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]: [string, unknown]) => [
      key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
