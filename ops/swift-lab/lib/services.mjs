import { layout, nodesOf, PROXY_IP, STORAGE_TYPES } from './layout.mjs';
import {
  FILTER_FOLDER,
  modulesOf,
  programPath,
  PYTHON,
  pythonFile,
  PYTHON_FOLDER,
} from './programs.mjs';
import { PROXIES } from './proxy-conf.mjs';

/**
 * A program that runs for as long as the lab does.
 *
 * @typedef {object} Service
 * @property {string} name e.g. `object-server.node1`, `proxy-2`, `memcached`
 * @property {string} command
 * @property {readonly string[]} args
 * @property {Record<string, string>} env
 * @property {string} ip
 * @property {number} [port] absent for a daemon, which takes no requests
 * @property {boolean} isHttp whether it answers `/healthcheck`; of the others the port has to accept
 * @property {string} log path
 * @property {string} [pidFile] path; of services that the Lab's console stops and starts
 */

/** @typedef {import('./state.mjs').LabState} LabState */
/** @typedef {import('./layout.mjs').StorageNode} StorageNode */

/** @param {LabState} lab @returns {Service[]} in the order of a status */
export function servicesOf(lab) {
  return [
    memcached(lab),
    ...nodesOf(lab).flatMap((node) => [
      rsyncd(lab, node),
      ...STORAGE_TYPES.map((type) => storageServer(lab, type, node)),
      ...(lab.shardRows === undefined
        ? []
        : [daemon(lab, 'container', 'sharder', node), daemon(lab, 'object', 'updater', node)]),
    ]),
    ...PROXIES.map((proxy) => proxyServer(lab, proxy)),
    ...(lab.tls ? [haproxy(lab)] : []),
  ];
}

/**
 * A program of Swift's with the lab's folder in the place of /etc/swift.
 *
 * @param {LabState} lab
 * @param {string} program
 * @param {readonly string[]} args
 */
export function swiftProgram(lab, program, args) {
  return swiftCommand(layout(lab.dir).conf, program, args, lab.swiftRoot);
}

/**
 * A program of Swift's with a folder in the place of /etc/swift.
 *
 * @param {string} conf absolute path of the folder
 * @param {string} program
 * @param {readonly string[]} args `-v` is added: without it the log goes to syslog alone
 * @param {string} [root] folder of another Swift than the one that is installed
 */
export function swiftCommand(conf, program, args, root) {
  return {
    command: PYTHON,
    args: [pythonFile('launch.py'), conf, programPath(program, root), ...args, '-v'],
    env: {
      PYTHONPATH: [FILTER_FOLDER, PYTHON_FOLDER, ...modulesOf(root)].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      // A resolver of its own, whose modules are a quarter of a start: a lab has addresses alone.
      EVENTLET_NO_GREENDNS: 'yes',
      PYTHONUNBUFFERED: '1',
    },
  };
}

/**
 * @param {LabState} lab
 * @param {import('./layout.mjs').StorageType} type
 * @param {StorageNode} node
 */
function storageServer(lab, type, node) {
  const { storageConf, log, pidFile } = layout(lab.dir);
  const name = `${type}-server.${node.name}`;
  return {
    name,
    ...swiftProgram(lab, `swift-${type}-server`, [storageConf(type, node)]),
    ...{ ip: node.ip, port: lab.ports[type], isHttp: true },
    log: `${log}/${name}.log`,
    pidFile: pidFile(name),
  };
}

/**
 * Runs all the time what `swift:once` runs for one pass.
 *
 * @param {LabState} lab
 * @param {import('./layout.mjs').StorageType} type
 * @param {'sharder' | 'updater'} kind
 * @param {StorageNode} node
 * @returns {Service}
 */
function daemon(lab, type, kind, node) {
  const { storageConf, log, pidFile } = layout(lab.dir);
  const program = `${type}-${kind}`;
  const name = `${program}.${node.name}`;
  return {
    name,
    ...swiftProgram(lab, `swift-${program}`, [storageConf(type, node)]),
    ...{ ip: node.ip, isHttp: false },
    log: `${log}/${name}.log`,
    pidFile: pidFile(name),
  };
}

/**
 * @param {LabState} lab
 * @param {import('./proxy-conf.mjs').Proxy} proxy
 */
function proxyServer(lab, { name }) {
  const { proxyConf, log, pidFile } = layout(lab.dir);
  return {
    name,
    ...swiftProgram(lab, 'swift-proxy-server', [proxyConf(name)]),
    ...{ ip: PROXY_IP, port: lab.ports[name], isHttp: true },
    log: `${log}/${name}.log`,
    pidFile: pidFile(name),
  };
}

/**
 * Ends TLS in front of the proxies for Ringway.
 *
 * @param {LabState} lab
 * @returns {Service}
 */
function haproxy(lab) {
  const { haproxyConf, log, pidFile } = layout(lab.dir);
  return {
    name: 'haproxy',
    command: programPath('haproxy'),
    // In the foreground.
    args: ['-db', '-f', haproxyConf],
    env: {},
    ...{ ip: PROXY_IP, port: lab.ports['tls-1'], isHttp: false },
    log: `${log}/haproxy.log`,
    pidFile: pidFile('haproxy'),
  };
}

/** @param {LabState} lab */
function memcached(lab) {
  const port = lab.ports.memcached;
  const { certKeyFile } = layout(lab.dir);
  const tls = lab.tls ? ['-Z', '-o', `ssl_chain_cert=${certKeyFile},ssl_key=${certKeyFile}`] : [];
  return {
    name: 'memcached',
    command: programPath('memcached'),
    // `-u` counts for root only, who is refused without; `-U 0`: no UDP.
    args: [
      ...['-u', 'root', '-l', PROXY_IP, '-p', String(port), '-U', '0', '-m', '64', '-c', '2048'],
      ...tls,
    ],
    env: {},
    ...{ ip: PROXY_IP, port, isHttp: false },
    log: `${layout(lab.dir).log}/memcached.log`,
    pidFile: layout(lab.dir).pidFile('memcached'),
  };
}

/**
 * @param {LabState} lab
 * @param {StorageNode} node
 */
function rsyncd(lab, node) {
  const { rsyncConf, log, pidFile } = layout(lab.dir);
  const name = `rsyncd.${node.name}`;
  return {
    name,
    command: programPath('rsync'),
    args: ['--daemon', '--no-detach', '--log-file=/dev/stderr', `--config=${rsyncConf(node)}`],
    env: {},
    ...{ ip: node.ip, port: lab.ports.rsync, isHttp: false },
    log: `${log}/${name}.log`,
    pidFile: pidFile(name),
  };
}
