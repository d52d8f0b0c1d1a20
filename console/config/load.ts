import path from 'node:path';
import {
  camelCaseKeys,
  readConfigFile,
  resolvePaths,
  unknownKeys,
  type RawConfig,
} from '../../src/config/config-file.js';
import type { CamelCase } from '../../src/config/options.js';
import { ConfigError, type ConfigProblem } from '../../src/config/problem.js';
import { isKeystone } from './keys.js';
import {
  CONSOLE_KEYS,
  CONSOLE_RULES,
  ruleOf,
  type ConsoleConfig,
  type ConsoleKey,
} from './schema.js';

/** The configuration as the code uses it: camel case, defaults filled in, paths absolute. */
export type ConsoleOptions = {
  readonly [K in ConsoleKey as CamelCase<K>]: ConsoleConfig[K];
};

/**
 * Reads, checks and completes the console's configuration.
 * @throws ConfigError with everything that is wrong
 */
export function loadConsoleConfig(file: string, cwd: string): ConsoleOptions {
  const place = path.resolve(cwd, file);
  return parseConsoleConfig(readConfigFile(place, file), path.dirname(place));
}

/**
 * @param folder what relative paths are relative to
 * @throws ConfigError with everything that is wrong
 */
export function parseConsoleConfig(raw: RawConfig, folder: string): ConsoleOptions {
  const problems = unknownKeys(raw, CONSOLE_KEYS);
  const config: Record<string, unknown> = {};
  for (const key of CONSOLE_KEYS) {
    const result = ruleOf(key).schema.safeParse(raw[key]);
    if (result.success) config[key] = result.data;
    else problems.push(problemOf(key, raw[key], result.error.issues[0]));
  }
  problems.push(...needs(config), ...localNodes(config), ...whoMayLogIn(config));
  if (problems.length > 0) throw new ConfigError(problems);
  resolvePaths(config, CONSOLE_RULES, folder);
  return camelCaseKeys(config) as ConsoleOptions;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Names the place inside a list or object, and shows what stands there. */
function problemOf(key: ConsoleKey, value: unknown, issue: Issue | undefined): ConfigProblem {
  let place: string = key;
  let given = value;
  for (const step of issue?.path ?? []) {
    place += typeof step === 'number' ? `[${step}]` : `.${String(step)}`;
    given = (given as Record<PropertyKey, unknown> | undefined)?.[step];
  }
  return { source: 'file', key: place, given, expected: issue?.message ?? 'another value' };
}

/** The other keys that a key needs when it is set. */
const NEEDS: readonly (readonly [ConsoleKey, readonly ConsoleKey[]])[] = [
  ['deploy_upstream', ['deploy_user', 'deploy_token_file']],
  ['admin_token_file', ['admin_url']],
  ['admin_cert_file', ['admin_url']],
  ['s3_cert_file', ['s3_base']],
  ['keystone_user', ['keystone_key_file']],
  ['account_admin', ['proxy_nodes', 'proxy_conf']],
  ['test_enabled', ['benchmark_bin', 'benchmark_home']],
  ['lab_mutations', ['lab_enabled']],
  ['shadow_peer_base', ['shadow_peer_auth', 'shadow_root']],
];

function needs(config: Partial<ConsoleConfig>): ConfigProblem[] {
  return NEEDS.filter(([key]) => isSet(config[key])).flatMap(([key, others]) =>
    others
      .filter((other) => other in config && !isSet(config[other]))
      .map((other) => ({
        source: 'file' as const,
        key: other,
        given: config[other],
        expected: `a value, since ${key} is set`,
      })),
  );
}

/** Users of Keystone have their roles there. */
function whoMayLogIn({ auth_url: url, accounts }: Partial<ConsoleConfig>): ConfigProblem[] {
  if (accounts === undefined) return [];
  const hasRoles = url !== undefined && isKeystone(url);
  if (hasRoles === (accounts.length === 0)) return [];
  const expected = hasRoles
    ? 'no accounts, since auth_url is Keystone: keystone_roles says who may log in'
    : 'a list of {account, user, role}, one at least, each user once';
  const given = accounts.length === 0 ? undefined : accounts;
  return [{ source: 'file', key: 'accounts', given, expected }];
}

/** One file of this host cannot be that of several proxies. */
function localNodes(config: Partial<ConsoleConfig>): ConfigProblem[] {
  const { account_admin: isAdmin, node_driver: driver, proxy_nodes: nodes } = config;
  if (isAdmin !== true || driver === 'ssh' || nodes === undefined || nodes.length < 2) return [];
  return [
    {
      source: 'file',
      key: 'proxy_nodes',
      given: nodes,
      expected: 'one node, unless node_driver is ssh',
    },
  ];
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
