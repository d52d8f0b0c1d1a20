import {
  iniWithSecrets,
  plainFile,
  renderIni,
  secretMark,
  type NodeFile,
  type Option,
} from './files.js';
import {
  hasRole,
  isLoopbackIp,
  memcacheServers,
  proxyNodes,
  tunedServer,
  type Host,
} from './host.js';

/** Swift's filters that need no more than their name. */
const PLAIN_FILTERS = {
  catch_errors: 'catch_errors',
  gatekeeper: 'gatekeeper',
  healthcheck: 'healthcheck',
  'proxy-logging': 'proxy_logging',
  listing_formats: 'listing_formats',
  container_sync: 'container_sync',
  bulk: 'bulk',
  tempurl: 'tempurl',
  copy: 'copy',
  'container-quotas': 'container_quotas',
  'account-quotas': 'account_quotas',
  slo: 'slo',
  dlo: 'dlo',
  symlink: 'symlink',
} as const;

/** Where the proxies' filter has its secret; the gateway has a copy that its own user reads. */
export const FILTER_SECRET_PATH = 'etc/swift/ringway.secret';

type Sections = Record<string, Record<string, Option | undefined>>;

/** Configuration of the proxy of a node and of its memcached. */
export function proxyFiles(host: Host): NodeFile[] {
  if (!hasRole(host, 'proxy')) return [];
  return [
    iniWithSecrets('etc/swift/proxy-server.conf', renderIni(proxySections(host))),
    plainFile('etc/memcached.conf', memcachedConf(host)),
  ];
}

function proxySections(host: Host): Sections {
  const { spec, node, root } = host;
  const { port, workers } = spec.proxy;
  const { defaults, app } = tunedServer(host, 'proxy-server');
  return {
    DEFAULT: {
      bind_ip: node.storage_ip,
      bind_port: port,
      swift_dir: `${root}/etc/swift`,
      workers,
      ...defaults,
    },
    'pipeline:main': { pipeline: pipeline(host).join(' ') },
    'app:proxy-server': {
      use: 'egg:swift#proxy',
      account_autocreate: true,
      allow_account_management: true,
      ...app,
    },
    ...withOptions(host, {
      ...Object.fromEntries(
        Object.entries(PLAIN_FILTERS).map(([name, entry]) => [name, { use: `egg:swift#${entry}` }]),
      ),
      cache: { use: 'egg:swift#memcache', memcache_servers: memcacheServers(spec) },
      versioned_writes: {
        use: 'egg:swift#versioned_writes',
        allow_versioned_writes: true,
        allow_object_versioning: true,
      },
      ...authFilters(host),
      ...gatewayFilters(host),
    }),
  };
}

/**
 * The order of Swift's own proxy-server.conf-sample. The gateway's filters stand where
 * docs/swift.md says.
 */
function pipeline({ spec }: Host): string[] {
  const hasGateway = spec.gateway !== undefined;
  return [
    ...['catch_errors', 'gatekeeper'],
    ...(hasGateway ? ['ringway'] : []),
    ...['healthcheck', 'proxy-logging', 'cache', 'listing_formats', 'container_sync', 'bulk'],
    'tempurl',
    ...(spec.proxy.auth.type === 'tempauth' ? ['tempauth'] : ['authtoken', 'keystoneauth']),
    ...['copy', 'container-quotas', 'account-quotas', 'slo', 'dlo', 'versioned_writes', 'symlink'],
    ...(hasGateway ? ['ringway_guard'] : []),
    ...['proxy-logging', 'proxy-server'],
  ];
}

function withOptions({ spec }: Host, filters: Sections): Sections {
  const given: Readonly<Record<string, Record<string, Option> | undefined>> =
    spec.proxy.pipeline_options;
  return Object.fromEntries(
    Object.entries(filters).map(([name, options]) => [
      `filter:${name}`,
      { ...options, ...given[name] },
    ]),
  );
}

function authFilters({ spec }: Host): Sections {
  const { auth } = spec.proxy;
  if (auth.type === 'tempauth') {
    const users = auth.users.map(({ account, user, key_ref: ref, groups }): [string, string] => [
      `user_${account}_${user}`,
      [secretMark(ref), ...groups].join(' '),
    ]);
    return { tempauth: { use: 'egg:swift#tempauth', ...Object.fromEntries(users) } };
  }
  return {
    authtoken: {
      'paste.filter_factory': 'keystonemiddleware.auth_token:filter_factory',
      www_authenticate_uri: auth.www_authenticate_uri,
      auth_url: auth.auth_url,
      auth_type: 'password',
      project_name: auth.project,
      project_domain_name: auth.project_domain,
      username: auth.username,
      user_domain_name: auth.user_domain,
      password: secretMark(auth.password_ref),
      delay_auth_decision: true,
      cache: 'swift.cache',
    },
    keystoneauth: {
      use: 'egg:swift#keystoneauth',
      operator_roles: auth.operator_roles.join(', '),
    },
  };
}

function gatewayFilters(host: Host): Sections {
  const { spec, root } = host;
  if (spec.gateway === undefined) return {};
  const isOneHost = proxyNodes(host).every(({ storage_ip: ip }) => isLoopbackIp(ip));
  return {
    ringway: {
      'paste.filter_factory': 'ringway_filter:filter_factory',
      secret_file: `${root}/${FILTER_SECRET_PATH}`,
    },
    ringway_guard: {
      'paste.filter_factory': 'ringway_filter:guard_factory',
      // Every proxy of such a cluster is on this machine, and so sees the same memcached.
      ...(isOneHost ? { single_proxy_host: true } : {}),
    },
  };
}

function memcachedConf({ node, root }: Host): string {
  return [
    '-d',
    `logfile ${root}/var/log/memcached.log`,
    '-m 64',
    `-p ${node.ports.memcached}`,
    '-u memcache',
    `-l ${node.storage_ip}`,
    '-c 4096',
    '',
  ].join('\n');
}
