import path from 'node:path';
import { camelCaseKeys, readConfigFile, unknownKeys, type RawConfig } from './config-file.js';
import { isLoopback } from './secret-file.js';
import { classOf } from './keys.js';
import {
  listenOverlaps,
  formatAddress,
  type FilledOptions,
  DEFAULT_COLD_FOLDER,
} from './options.js';
import { ConfigError, type ConfigProblem } from './problem.js';
import {
  CONFIG_KEYS,
  isPathKey,
  parseKey,
  type Config,
  type ConfigKey,
  type ParsedConfig,
} from './schema.js';

/** Flags of the command line that set configuration keys. */
export const FLAG_OF_KEY: Readonly<Partial<Record<ConfigKey, string>>> = {
  data_dir: '--data',
  s3_listen: '--s3',
  admin_listen: '--admin',
  console_listen: '--console',
  store_listen: '--store',
  listeners: '--listeners',
};

export interface ConfigSources {
  /** Path of the configuration file. */
  readonly file?: string | undefined;
  /** The values of flags, by configuration key; they win over the file. */
  readonly flags: Readonly<Partial<Record<ConfigKey, unknown>>>;
  /** The folder from which relative paths are resolved that are not from the file. */
  readonly cwd: string;
}

export interface LoadedConfig {
  readonly options: FilledOptions;
}

/**
 * Reads, checks and completes the configuration: flags over file over defaults.
 * @throws ConfigError with everything that is wrong
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { file, cwd } = sources;
  const fromFile =
    file === undefined
      ? {}
      : readConfigFile(path.resolve(cwd, file), file, { key: '--config', given: file });
  const raw: RawConfig = { ...fromFile, ...sources.flags };
  const problems = unknownKeys(fromFile, CONFIG_KEYS);
  const parsed: Record<string, unknown> = {};
  for (const key of CONFIG_KEYS) {
    const result = parseKey(key, raw[key]);
    if (result.ok) parsed[key] = result.value;
    else problems.push({ ...origin(key, sources), given: raw[key], expected: result.expected });
  }
  problems.push(...relations(parsed, sources));
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    options: camelCaseKeys(complete(parsed as ParsedConfig, fromFile, sources)) as FilledOptions,
  };
}

/** The source of a key's value, for the report. */
function origin(key: ConfigKey, sources: ConfigSources): Pick<ConfigProblem, 'source' | 'key'> {
  return key in sources.flags
    ? { source: 'flag', key: FLAG_OF_KEY[key] ?? key }
    : { source: 'file', key };
}

/** Rules between keys; a key that is wrong by itself is left out. */
function relations(parsed: Partial<ParsedConfig>, sources: ConfigSources): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const { restart_backoff_ms_min: min, restart_backoff_ms_max: max } = parsed;
  if (min !== undefined && max !== undefined && min > max) {
    problems.push({
      ...origin('restart_backoff_ms_min', sources),
      given: min,
      expected: `at most restart_backoff_ms_max (${max})`,
    });
  }
  const { cold_storage_classes: cold = [], cold_backend: coldBackend } = parsed;
  if (cold.length > 0 && coldBackend === 'none') {
    problems.push({
      ...origin('cold_backend', sources),
      given: coldBackend,
      expected:
        'a cold backend, since without one nothing of cold_storage_classes could be restored',
    });
  }
  problems.push(
    ...addressRelations(parsed, sources),
    ...swiftRelations(parsed, sources),
    ...credentialsRelations(parsed, sources),
    ...tlsRelations(parsed, sources),
    ...adminRelations(parsed, sources),
  );
  return problems;
}

const LISTEN_KEYS = ['s3_listen', 'admin_listen', 'console_listen', 'store_listen'] as const;

/** Two of them on one address: the second would find it in use, by the service itself. */
function addressRelations(parsed: Partial<ParsedConfig>, sources: ConfigSources): ConfigProblem[] {
  const unused = new Set<ConfigKey>(parsed.backend === 'swift' ? ['store_listen'] : []);
  // Its file may name another: who reads that has to look.
  if (parsed.console_config !== '' && !('console_listen' in sources.flags))
    unused.add('console_listen');
  const keys = LISTEN_KEYS.flatMap((key) => {
    const address = unused.has(key) ? '' : parsed[key];
    return address === undefined || address === '' ? [] : [{ key, address }];
  });
  return listenOverlaps(keys).map(({ key, ...problem }) => ({
    ...origin(key, sources),
    ...problem,
  }));
}

/**
 * The admin port shows metrics, logs and state only to holders of the token, or to users of this
 * machine.
 */
function adminRelations(parsed: Partial<ParsedConfig>, sources: ConfigSources): ConfigProblem[] {
  const { admin_listen: admin, admin_token_file: file } = parsed;
  if (admin === undefined || file !== '' || isLoopback(admin)) return [];
  const expected = `a file with a token, since admin_listen (${formatAddress(admin)}) is no loopback address`;
  return [{ ...origin('admin_token_file', sources), given: '', expected }];
}

/** A certificate is of no use without its key, and a key that is given without one is a mistake. */
function tlsRelations(parsed: Partial<ParsedConfig>, sources: ConfigSources): ConfigProblem[] {
  const pairs = [
    ['tls_cert_file', 'tls_key_file'],
    ['admin_tls_cert_file', 'admin_tls_key_file'],
  ] as const;
  return pairs.flatMap(([cert, key]) => {
    if ((parsed[cert] === '') === (parsed[key] === '')) return [];
    const [missing, given] = parsed[cert] === '' ? [cert, key] : [key, cert];
    const expected = `a file, since ${given} is given`;
    return [{ ...origin(missing, sources), given: '', expected }];
  });
}

function credentialsRelations(
  parsed: Partial<ParsedConfig>,
  sources: ConfigSources,
): ConfigProblem[] {
  const { credentials_source: source, identity_user: user } = parsed;
  const problems: ConfigProblem[] = [];
  const require = (key: ConfigKey, expected: string): void => {
    if (parsed[key] === '') problems.push({ ...origin(key, sources), given: '', expected });
  };
  if (source === 'tempauth') {
    require('tempauth_conf', "Swift's proxy-server.conf, since credentials_source is tempauth");
  }
  if (source === 'identity') {
    require('identity_url', 'the address of Keystone, since credentials_source is identity');
    if (user !== undefined && user !== '') {
      require('identity_key_file', `a file with the password of identity_user (${user})`);
    }
    if (parsed.backend === 'swift') {
      require('swift_user', 'a user, since the secrets of credentials_source identity are no passwords');
    }
  }
  return problems;
}

function swiftRelations(parsed: Partial<ParsedConfig>, sources: ConfigSources): ConfigProblem[] {
  const { backend, swift_endpoints: endpoints, swift_user: user } = parsed;
  if (backend !== 'swift') return [];
  const problems: ConfigProblem[] = [];
  if (endpoints?.length === 0) {
    problems.push({
      ...origin('swift_endpoints', sources),
      given: endpoints,
      expected: 'at least one proxy, since backend is swift',
    });
  }
  if (user !== undefined && user !== '' && parsed.swift_key_file === '') {
    problems.push({
      ...origin('swift_key_file', sources),
      expected: `a file with the key of swift_user (${user})`,
    });
  }
  // The storage servers do not protect what the filter shows to the gateway alone.
  if (parsed.swift_rings_dir && parsed.swift_filter_secret_file === '') {
    problems.push({
      ...origin('swift_filter_secret_file', sources),
      expected: "a file with the filter's secret, since swift_rings_dir is given",
    });
  }
  return problems;
}

/** Makes every path absolute, and fills in the defaults that depend on other keys. */
function complete(given: ParsedConfig, fromFile: RawConfig, sources: ConfigSources): Config {
  const parsed: ParsedConfig = { ...given, ...absolutePaths(given, fromFile, sources) };
  const { data_dir: dataDir, storage_classes: hot, cold_storage_classes: cold } = parsed;
  return {
    ...parsed,
    location: parsed.location ?? parsed.region,
    storage_classes: [...new Set([...hot, ...cold.map(classOf)])],
    cold_dir: parsed.cold_dir ?? path.join(dataDir, DEFAULT_COLD_FOLDER),
    credentials_file: parsed.credentials_file ?? path.join(dataDir, 'credentials.json'),
  };
}

/**
 * The absolute paths of all keys that hold one. A path in the configuration file is relative to
 * that file, any other to the working directory.
 */
function absolutePaths(
  parsed: ParsedConfig,
  fromFile: RawConfig,
  { cwd, file, flags }: ConfigSources,
): Partial<ParsedConfig> {
  const fileDir = file === undefined ? cwd : path.dirname(path.resolve(cwd, file));
  const entries = CONFIG_KEYS.filter(isPathKey).flatMap((key) => {
    const given = parsed[key];
    // Undefined: another key gives the default.
    if (typeof given !== 'string' || given === '') return [];
    const isFromFile = key in fromFile && !(key in flags);
    return [[key, path.resolve(isFromFile ? fileDir : cwd, given)]];
  });
  return Object.fromEntries(entries) as Partial<ParsedConfig>;
}
