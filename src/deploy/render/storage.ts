import { isIPv6 } from 'node:net';
import { STORAGE_ROLES, type StorageRole } from '../spec/queries.js';
import { plainFile, renderIni, type NodeFile, type Option } from './files.js';
import { hasRole, memcacheServers, tuned, tunedServer, type Host } from './host.js';

type Options = Readonly<Record<string, Option>>;

/** Daemons beside each kind of server: sections that they want, whatever is in them. */
const DAEMONS = {
  account: ['account-replicator', 'account-auditor', 'account-reaper'],
  container: [
    'container-replicator',
    'container-auditor',
    'container-updater',
    'container-sharder',
  ],
  object: ['object-replicator', 'object-reconstructor', 'object-auditor', 'object-updater'],
} as const;

/** Configuration of the storage servers of a node, and of what runs beside them. */
export function storageFiles(host: Host): NodeFile[] {
  const roles = STORAGE_ROLES.filter((role) => hasRole(host, role));
  if (roles.length === 0) return expirerFiles(host);
  return [
    ...roles.map((role) => serverFile(host, role)),
    plainFile('etc/rsyncd.conf', rsyncConf(host, roles)),
    plainFile('etc/swift/internal-client.conf', renderIni(internalClient(host))),
    ...(hasRole(host, 'object') ? [reconCron(host)] : []),
    ...expirerFiles(host),
  ];
}

function serverFile(host: Host, role: StorageRole): NodeFile {
  const { node, root } = host;
  const recon = { recon_cache_path: `${root}/var/cache/swift` };
  const { defaults, app } = tunedServer(host, `${role}-server`);
  const sections = {
    DEFAULT: {
      bind_ip: bindIp(host),
      bind_port: node.ports[role],
      swift_dir: `${root}/etc/swift`,
      devices: `${root}${node.devices_dir}`,
      ...recon,
      ...defaults,
    },
    'pipeline:main': { pipeline: `healthcheck recon ${role}-server` },
    [`app:${role}-server`]: { use: `egg:swift#${role}`, ...app },
    'filter:healthcheck': { use: 'egg:swift#healthcheck' },
    'filter:recon': { use: 'egg:swift#recon', ...recon },
  };
  const daemons = DAEMONS[role].map((section): [string, Options] => [
    section,
    {
      ...(section.endsWith('-replicator')
        ? { rsync_module: `rsync://{replication_ip}:${node.ports.rsync}/${role}` }
        : {}),
      ...tuned(host, section),
    },
  ]);
  return plainFile(
    `etc/swift/${role}-server.conf`,
    renderIni({ ...sections, ...Object.fromEntries(daemons) }),
  );
}

/** One server answers clients and replicators, also where these have a network of their own. */
function bindIp({ node }: Host): string {
  const { storage_ip: ip, replication_ip: replication = ip } = node;
  if (replication === ip) return ip;
  return isIPv6(ip) ? '::' : '0.0.0.0';
}

function rsyncConf({ node, root }: Host, roles: readonly StorageRole[]): string {
  const modules = roles.map((role): [string, Options] => [
    role,
    {
      path: `${root}${node.devices_dir}`,
      'max connections': 8,
      'read only': 'false',
      'lock file': `${root}/var/lock/${role}.lock`,
    },
  ]);
  return renderIni({
    '': {
      uid: 'swift',
      gid: 'swift',
      'log file': `${root}/var/log/rsyncd.log`,
      'pid file': `${root}/var/run/rsyncd.pid`,
      address: node.replication_ip ?? node.storage_ip,
      port: node.ports.rsync,
    },
    ...Object.fromEntries(modules),
  });
}

function internalClient(host: Host) {
  return {
    DEFAULT: { swift_dir: `${host.root}/etc/swift` },
    ...internalProxy(host, 'catch_errors proxy-logging cache symlink proxy-server'),
    'filter:symlink': { use: 'egg:swift#symlink' },
  };
}

/** A proxy inside of a daemon: no client reaches it. */
function internalProxy({ spec }: Host, pipeline: string) {
  return {
    'pipeline:main': { pipeline },
    'app:proxy-server': { use: 'egg:swift#proxy', account_autocreate: true },
    'filter:catch_errors': { use: 'egg:swift#catch_errors' },
    'filter:proxy-logging': { use: 'egg:swift#proxy_logging' },
    'filter:cache': { use: 'egg:swift#memcache', memcache_servers: memcacheServers(spec) },
  };
}

/** Expired objects are taken up by all expirers, each its share. */
function expirerFiles(host: Host): NodeFile[] {
  if (!hasRole(host, 'expirer')) return [];
  const { spec, node, root } = host;
  const expirers = spec.nodes.filter(({ roles }) => roles.includes('expirer'));
  const { defaults, app } = tunedServer(host, 'object-expirer');
  const sections = {
    DEFAULT: { swift_dir: `${root}/etc/swift`, log_name: 'object-expirer', ...defaults },
    'object-expirer': {
      recon_cache_path: `${root}/var/cache/swift`,
      processes: expirers.length > 1 ? expirers.length : 0,
      process: Math.max(
        0,
        expirers.findIndex(({ name }) => name === node.name),
      ),
      ...app,
    },
    ...internalProxy(host, 'catch_errors proxy-logging cache proxy-server'),
  };
  return [plainFile('etc/swift/object-expirer.conf', renderIni(sections))];
}

function reconCron({ root }: Host): NodeFile {
  const conf = `${root}/etc/swift/object-server.conf`;
  return plainFile(
    'etc/cron.d/swift-recon',
    `# Asynchronous updates, as swift-recon shows them.
*/5 * * * * swift test -x /usr/bin/swift-recon-cron && test -r ${conf} && /usr/bin/swift-recon-cron ${conf}
`,
  );
}
