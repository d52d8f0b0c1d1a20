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
 * A service of the lab, with its log and the file of its pid.
 *
 * @param {LabState} lab
 * @param {string} name
 * @param {Pick<Service, 'command' | 'args' | 'env'>} program
 * @param {Pick<Service, 'ip' | 'port' | 'isHttp'>} place
 * @returns {Service}
 */
function service({ dir }, name, program, place) {
  const { log, pidFile } = layout(dir);
  return { name, ...program, ...place, log: `${log}/${name}.log`, pidFile: pidFile(name) };
}

/**
 * @param {LabState} lab
 * @param {import('./layout.mjs').StorageType} type
 * @param {StorageNode} node
 */
function storageServer(lab, type, node) {
  const conf = layout(lab.dir).storageConf(type, node);
  const program = swiftProgram(lab, `swift-${type}-server`, [conf]);
  const place = { ip: node.ip, port: lab.ports[type], isHttp: true };
  return service(lab, `${type}-server.${node.name}`, program, place);
}

/**
 * Runs all the time what `swift:once` runs for one pass.
 *
 * @param {LabState} lab
 * @param {import('./layout.mjs').StorageType} type
 * @param {'sharder' | 'updater'} kind
 * @param {StorageNode} node
 */
function daemon(lab, type, kind, node) {
  const conf = layout(lab.dir).storageConf(type, node);
  const program = swiftProgram(lab, `swift-${type}-${kind}`, [conf]);
  return service(lab, `${type}-${kind}.${node.name}`, program, { ip: node.ip, isHttp: false });
}

/**
 * @param {LabState} lab
 * @param {import('./proxy-conf.mjs').Proxy} proxy
 */
function proxyServer(lab, { name }) {
  const program = swiftProgram(lab, 'swift-proxy-server', [layout(lab.dir).proxyConf(name)]);
  return service(lab, name, program, { ip: PROXY_IP, port: lab.ports[name], isHttp: true });
}

/**
 * Ends TLS in front of the proxies for Ringway.
 *
 * @param {LabState} lab
 */
function haproxy(lab) {
  // In the foreground.
  const args = ['-db', '-f', layout(lab.dir).haproxyConf];
  const program = { command: programPath('haproxy'), args, env: {} };
  return service(lab, 'haproxy', program, {
    ip: PROXY_IP,
    port: lab.ports['tls-1'],
    isHttp: false,
  });
}

/** @param {LabState} lab */
function memcached(lab) {
  const port = lab.ports.memcached;
  const { certKeyFile } = layout(lab.dir);
  const tls = lab.tls ? ['-Z', '-o', `ssl_chain_cert=${certKeyFile},ssl_key=${certKeyFile}`] : [];
  // `-u` counts for root only, who is refused without; `-U 0`: no UDP.
  const args = [
    ...['-u', 'root', '-l', PROXY_IP, '-p', String(port), '-U', '0', '-m', '64', '-c', '2048'],
    ...tls,
  ];
  const program = { command: programPath('memcached'), args, env: {} };
  return service(lab, 'memcached', program, { ip: PROXY_IP, port, isHttp: false });
}

/**
 * @param {LabState} lab
 * @param {StorageNode} node
 */
function rsyncd(lab, node) {
  const conf = layout(lab.dir).rsyncConf(node);
  const args = ['--daemon', '--no-detach', '--log-file=/dev/stderr', `--config=${conf}`];
  const program = { command: programPath('rsync'), args, env: {} };
  const place = { ip: node.ip, port: lab.ports.rsync, isHttp: false };
  return service(lab, `rsyncd.${node.name}`, program, place);
}
