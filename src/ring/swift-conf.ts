import { readFile } from 'node:fs/promises';
import { ConfigError, type ConfigProblem } from '../config/problem.js';
import { interpolateStrictly, parseIni, type IniFile } from '../config/python-config.js';
import type { HashSalt } from './path-hash.js';
import { collectPolicies, parsePolicy, type Policies, type Policy } from './policy.js';

/** The part of a cluster's swift.conf that the gateway needs. */
export interface SwiftConf {
  readonly salt: HashSalt;
  readonly policies: Policies;
}

/** @throws ConfigError where it cannot be read, or Swift would not start with it */
export async function readSwiftConf(file: string): Promise<SwiftConf> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const expected = `a readable swift.conf (${(error as Error).message})`;
    throw new ConfigError([{ source: 'file', key: file, expected }]);
  }
  return parseSwiftConf(bytes, file);
}

/**
 * @param bytes - read as Latin-1, so that prefix and suffix may be any bytes
 * @param file - its path, for errors
 * @throws ConfigError with everything that is wrong; neither prefix nor suffix is in it
 */
export function parseSwiftConf(bytes: Buffer, file: string): SwiftConf {
  const ini = parseIni(bytes.toString('latin1'));
  if (!ini.ok) {
    throw new ConfigError(
      ini.problems.map(({ line, expected }) => problem(`${file}, line ${line}`, expected)),
    );
  }
  const problems: ConfigProblem[] = [];
  const salt = readSalt(ini.file, file, problems);
  const policies = readPolicies(ini.file, file, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return { salt, policies };
}

function readSalt(ini: IniFile, file: string, problems: ConfigProblem[]): HashSalt {
  const options = sectionOf(ini, 'swift-hash', file, problems, HASH_OPTIONS);
  const [suffix, prefix] = HASH_OPTIONS.map((name) => options.get(name) ?? '');
  if (!suffix && !prefix && problems.length === 0) {
    problems.push(problem(`${file}: [swift-hash]`, HASH_OPTIONS.join(' or ')));
  }
  return {
    prefix: Buffer.from(prefix ?? '', 'latin1'),
    suffix: Buffer.from(suffix ?? '', 'latin1'),
  };
}

const HASH_OPTIONS = ['swift_hash_path_suffix', 'swift_hash_path_prefix'] as const;
const POLICY_SECTION = 'storage-policy:';

function readPolicies(ini: IniFile, file: string, problems: ConfigProblem[]): Policies {
  const policies: Policy[] = [];
  for (const name of ini.sections.keys()) {
    if (!name.startsWith(POLICY_SECTION)) continue;
    const key = `${file}: [${name}]`;
    const options = sectionOf(ini, name, file, problems);
    const policy = parsePolicy(name.slice(POLICY_SECTION.length), options, key);
    if (Array.isArray(policy)) problems.push(...policy);
    else policies.push(policy);
  }
  // A policy that is wrong is missing: what the others lack cannot be said.
  if (problems.length > 0) return new Map();
  const collected = collectPolicies(policies, file);
  if (!Array.isArray(collected)) return collected;
  problems.push(...collected);
  return new Map();
}

/**
 * The options of a section and of [DEFAULT], as Python's ConfigParser has them: without regard to
 * the case of their names.
 *
 * @param wanted - what is read; everything, when absent
 */
function sectionOf(
  ini: IniFile,
  name: string,
  file: string,
  problems: ConfigProblem[],
  wanted?: readonly string[],
): ReadonlyMap<string, string> {
  const raw = new Map<string, string>();
  const lines = new Map<string, number>();
  for (const section of [ini.defaults, ini.sections.get(name) ?? new Map<string, never>()]) {
    const names = new Set<string>();
    for (const [given, { value, line }] of section) {
      const option = given.toLowerCase();
      if (names.has(option)) {
        problems.push(problem(`${file}, line ${line}`, 'each option once in a section'));
      }
      names.add(option);
      raw.set(option, stripped(value));
      lines.set(option, line);
    }
  }
  const options = new Map<string, string>();
  for (const [option, value] of raw) {
    if (wanted?.includes(option) === false) continue;
    const whole = interpolateStrictly(value, (other) => raw.get(other.toLowerCase()));
    if (whole === undefined) {
      problems.push(
        problem(
          `${file}, line ${lines.get(option)}`,
          '%(name)s with the name of an option, and %% for a %',
        ),
      );
    } else {
      options.set(option, whole);
    }
  }
  return options;
}

/** The blanks that Python's strip takes off of Latin-1; JavaScript's trim leaves some of them. */
const BLANKS = '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0';

function stripped(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && BLANKS.includes(value.charAt(start))) start++;
  while (start < end && BLANKS.includes(value.charAt(end - 1))) end--;
  return value.slice(start, end);
}

function problem(key: string, expected: string): ConfigProblem {
  return { source: 'file', key, expected };
}
