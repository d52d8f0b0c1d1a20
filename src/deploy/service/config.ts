import path from 'node:path';
import type { z } from 'zod';
import { readCertificate } from '../../config/certificates.js';
import {
  camelCaseKeys,
  readConfigFile,
  resolvePaths,
  unknownKeys,
} from '../../config/config-file.js';
import {
  address,
  flag,
  integer,
  oneOf,
  optionalPath,
  text,
  type KeyRule,
} from '../../config/keys.js';
import type { CamelCase } from '../../config/options.js';
import { ConfigError, type ConfigProblem } from '../../config/problem.js';
import { isLoopback, readSecretFile } from '../../config/secret-file.js';

/** Every key of the control service's configuration; docs/deploy.md is held against it by a test. */
const KEYS = {
  listen: { schema: address().prefault('127.0.0.1:9700'), doc: 'Address of the control service.' },
  state_dir: {
    schema: optionalPath(),
    doc: 'Folder of specifications, plans, runs, builders and the audit log. Required.',
  },
  user: {
    schema: text(/^[^\s:\p{Cc}]{1,128}$/u, 'a user name without blanks and colons').default(
      'deploy',
    ),
    doc: 'User of the control service.',
  },
  token_file: {
    schema: optionalPath(),
    doc: "File with that user's password, mode 0600; it is read at each request. Required.",
  },
  secrets_dir: {
    schema: optionalPath(),
    doc: 'Folder with a file for each secret that a specification names, mode 0600. Required.',
  },
  driver: {
    schema: oneOf(['local', 'ssh']).default('local'),
    doc: 'How files get to nodes. `local`: into folders of this machine. `ssh`: to hosts, by OpenSSH.',
  },
  install_root: {
    schema: optionalPath(),
    doc: 'With `local`, files of a node are installed to `<install_root>/<node>/etc/…`; required. With `ssh`, to `<install_root>/etc/…` of its host, `/` by default, or with `files_for: folder` as with `local`.',
  },
  files_for: {
    schema: oneOf(['host', 'folder']).default('host'),
    doc: 'Paths in the files: `host`, as on a host of the node (`/etc/swift`, `/srv/node`); `folder`, below `<install_root>/<node>`, for several nodes on one machine.',
  },
  this_node: {
    schema: text(/^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,63})?$/, 'the name of a node').default(''),
    doc: 'With `local`, the node that is this host: its files are installed to `/etc/…`. Empty: none is.',
  },
  local_reload: {
    schema: oneOf(['operator', 'systemd']).default('operator'),
    doc: 'Who reloads services of `this_node`: as `ssh_reload`.',
  },
  parallel_nodes: {
    schema: integer(1, 32).default(1),
    doc: 'At most so many nodes of one zone are worked on at a time. Zones follow one another.',
  },
  ssh_user: {
    schema: text(/^[a-z_][a-z0-9_-]{0,31}$/, 'the name of a user').default('root'),
    doc: 'User on the hosts, with `ssh`.',
  },
  ssh_port: { schema: integer(1, 65_535).default(22), doc: 'Port of `sshd` on the hosts.' },
  ssh_key_file: {
    schema: optionalPath(),
    doc: 'Private key without a passphrase, mode 0600. Required with `ssh`.',
  },
  ssh_known_hosts_file: {
    schema: optionalPath(),
    doc: 'Keys of the hosts, as `ssh-keyscan` writes them: a host with another key, or none, is refused. Required with `ssh`.',
  },
  ssh_address: {
    schema: oneOf(['storage_ip', 'replication_ip', 'public_ip']).default('storage_ip'),
    doc: 'Which address of a node is called; `storage_ip` where it has no other.',
  },
  ssh_sudo: {
    schema: flag().default(false),
    doc: 'Whether `ssh_user` becomes root by `sudo -n`.',
  },
  ssh_reload: {
    schema: oneOf(['operator', 'systemd']).default('operator'),
    doc: 'With `ssh`, who reloads services after their files have changed. `systemd`: the run does, node after node, and stops at the first service that is not active afterwards. `operator`: steps end `staged`, with the commands.',
  },
  swift_group: {
    schema: text(/^(?:[a-z_][a-z0-9_-]{0,31})?$/, 'the name of a group').default(''),
    doc: 'On hosts, group of the files in `/etc/swift`: `swift.conf` is for it and its owner alone. Empty: that of who installs them.',
  },
  gateway_user: {
    schema: text(/^(?:[a-z_][a-z0-9_-]{0,31})?$/, 'the name of a user').default(''),
    doc: 'On hosts, owner of the files in `/etc/ringway`, the user that the gateway runs as. Empty: who installs them.',
  },
  ramp_poll_s: {
    schema: integer(1, 3600).default(30),
    doc: 'Seconds between two looks of a ramp at the cluster.',
  },
  dispersion_conf: {
    schema: optionalPath(),
    doc: 'Configuration of `swift-dispersion-report`, which a ramp runs then before each step. Empty: it does not.',
  },
  plan_valid_s: {
    schema: integer(60, 7 * 86_400).default(3600),
    doc: 'For so long a plan can be applied.',
  },
  state_keep_days: {
    schema: integer(8, 36_500).default(90),
    doc: 'Plans, runs, ramps, specifications and contents of files in `state_dir` go when they are older, and no entry of the history needs them.',
  },
  tls_cert_file: {
    schema: optionalPath(),
    doc: 'Certificate with its chain, in PEM. Required where `listen` is no loopback address.',
  },
  tls_key_file: { schema: optionalPath(), doc: 'Its key, in PEM, which not everybody can read.' },
} as const satisfies Readonly<Record<string, KeyRule>>;

type Key = keyof typeof KEYS;
const NAMES = Object.keys(KEYS) as readonly Key[];

type DeployConfig = { readonly [K in Key]: z.infer<(typeof KEYS)[K]['schema']> };

/** The configuration as the code uses it: camel case, defaults filled in, paths absolute. */
export type DeployOptions = { readonly [K in Key as CamelCase<K>]: DeployConfig[K] };

/** Keys and what is said of them, for the documentation. */
export function deployKeys(): readonly { readonly key: string; readonly doc: string }[] {
  return NAMES.map((key) => ({ key, doc: KEYS[key].doc }));
}

const REQUIRED: readonly Key[] = ['state_dir', 'token_file', 'secrets_dir'];

/**
 * Reads, checks and completes a configuration file. Relative paths are relative to it.
 *
 * @throws ConfigError with everything that is wrong
 */
export function loadDeployConfig(file: string, cwd: string): DeployOptions {
  const place = path.resolve(cwd, file);
  return parseDeployConfig(readConfigFile(place, file), path.dirname(place));
}

/** @throws ConfigError with everything that is wrong */
export function parseDeployConfig(
  raw: Readonly<Record<string, unknown>>,
  folder: string,
): DeployOptions {
  const problems = unknownKeys(raw, NAMES);
  const config: Record<string, unknown> = {};
  for (const key of NAMES) {
    const result = KEYS[key].schema.safeParse(raw[key]);
    if (result.success) config[key] = result.data;
    else {
      const expected = result.error.issues[0]?.message ?? 'another value';
      problems.push({ source: 'file', key, given: raw[key], expected });
    }
  }
  for (const key of REQUIRED) {
    if (config[key] === '') problems.push({ source: 'file', key, expected: 'a path' });
  }
  problems.push(...tlsProblems(config), ...driverProblems(config, folder));
  if (problems.length > 0) throw new ConfigError(problems);
  // The root of hosts is none of this machine's folders.
  if (config.driver === 'ssh' && config.install_root === '') config.install_root = '/';
  resolvePaths(config, KEYS, folder);
  const options = camelCaseKeys(config) as DeployOptions;
  // A password that cannot be read would be found by the first request otherwise.
  readSecretFile('token_file', options.tokenFile);
  readCertificate(options.tlsCertFile, options.tlsKeyFile);
  return options;
}

/** A password must not cross a network as it is. */
function tlsProblems(config: Partial<DeployConfig>): ConfigProblem[] {
  const { listen, tls_cert_file: cert, tls_key_file: key } = config;
  if (cert === undefined || key === undefined || listen === undefined) return [];
  const problem = (name: Key, expected: string): ConfigProblem => ({
    source: 'file',
    key: name,
    expected,
  });
  if (cert !== '' && key === '')
    return [problem('tls_key_file', 'a path, since tls_cert_file is set')];
  if (key !== '' && cert === '')
    return [problem('tls_cert_file', 'a path, since tls_key_file is set')];
  if (cert === '' && !isLoopback(listen)) {
    return [problem('tls_cert_file', 'a path, since others than this machine reach `listen`')];
  }
  return [];
}

/** Options that a driver needs, and rules for its paths. */
function driverProblems(config: Partial<DeployConfig>, folder: string): ConfigProblem[] {
  const { driver, install_root: root = '', files_for: filesFor, this_node: own = '' } = config;
  const problems: ConfigProblem[] = [];
  const report = (key: Key, expected: string): void => {
    problems.push({ source: 'file', key, given: config[key], expected });
  };
  if (driver !== 'ssh' && root === '') report('install_root', 'a path');
  if (driver === 'ssh' && root !== '' && !path.isAbsolute(root)) {
    report('install_root', 'an absolute path, which is one of the hosts');
  }
  if (own !== '' && (driver === 'ssh' || filesFor === 'folder')) {
    report('this_node', 'no name, unless driver is local and files_for is host');
  }
  // Swift, rsync and the shell read these paths from files, each with rules of its own for blanks.
  if (filesFor === 'folder' && !/^[A-Za-z0-9._/-]*$/.test(path.resolve(folder, root))) {
    report(
      'install_root',
      'a path of letters, digits, ".", "_" and "-", since files name it (files_for: folder)',
    );
  }
  for (const key of ['ssh_key_file', 'ssh_known_hosts_file'] as const) {
    const file = config[key] ?? '';
    if (driver === 'ssh' && file === '') report(key, 'a path, since driver is ssh');
    else if (file !== '' && !isSshPath(path.resolve(folder, file))) {
      report(key, 'a path without quotes, "%", "$", backslashes and control characters');
    }
  }
  return problems;
}

/** Whether ssh takes a path as a setting: quotes end one there, and `%h` and `${HOME}` are replaced. */
function isSshPath(file: string): boolean {
  return !/["\\%$\p{Cc}]/u.test(file);
}
