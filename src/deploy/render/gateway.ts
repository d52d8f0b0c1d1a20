import { plainFile, secretFile, type NodeFile } from './files.js';
import { hasRole, hostPort, isLoopbackIp, proxyNodes, type Host } from './host.js';
import { FILTER_SECRET_PATH } from './proxy.js';

/** The gateway reads its secrets as its owner, and refuses files that others can read. */
const OWN_SECRET = 0o600;
/** `swift_endpoints` has at most so many. */
const ENDPOINTS_MAX = 16;

/** The gateway's configuration on a proxy host, with the files that it names. */
export function gatewayFiles(host: Host): NodeFile[] {
  const { gateway } = host.spec;
  if (gateway === undefined || !hasRole(host, 'proxy')) return [];
  return [
    plainFile('etc/ringway/ringway.json', `${JSON.stringify(gatewayJson(host), null, 2)}\n`),
    secretFile('etc/ringway/swift.key', gateway.key_ref, OWN_SECRET),
    secretFile('etc/ringway/filter.secret', gateway.filter_secret_ref, OWN_SECRET),
    secretFile(FILTER_SECRET_PATH, gateway.filter_secret_ref),
  ];
}

function gatewayJson(host: Host): object {
  const { spec, node, root } = host;
  const { gateway, proxy } = spec;
  const endpoints = proxyNodes(host).map(
    ({ storage_ip: ip }) => `http://${hostPort(ip, proxy.port)}`,
  );
  const { auth } = proxy;
  const ip = node.public_ip ?? node.storage_ip;
  const admin = isLoopbackIp(node.storage_ip) ? node.storage_ip : '127.0.0.1';
  return {
    data_dir: `${root}/var/lib/ringway`,
    s3_listen: hostPort(ip, gateway?.s3_port ?? 0),
    admin_listen: hostPort(admin, gateway?.admin_port ?? 0),
    // The console has one place for the cluster.
    console_listen: '',
    region: gateway?.region,
    backend: 'swift',
    swift_endpoints: endpoints.slice(0, ENDPOINTS_MAX),
    swift_auth_url: auth.type === 'tempauth' ? `${endpoints[0] ?? ''}/auth/v1.0` : auth.auth_url,
    swift_user: auth.type === 'tempauth' ? gateway?.user : gateway?.user.split(':')[1],
    swift_key_file: `${root}/etc/ringway/swift.key`,
    ...(auth.type === 'tempauth' ? {} : { swift_project: gateway?.user.split(':')[0] }),
    swift_filter_secret_file: `${root}/etc/ringway/filter.secret`,
    ...(auth.type === 'tempauth'
      ? { credentials_source: 'tempauth', tempauth_conf: `${root}/etc/swift/proxy-server.conf` }
      : { credentials_source: 'identity', identity_url: auth.auth_url }),
  };
}
