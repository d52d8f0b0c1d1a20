import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { layout, nodesOf, PROXY_IP } from './layout.mjs';
import { BENCHMARKS, helperPrograms } from './programs.mjs';
import { labRoster } from './roster.mjs';
import { SERVICE_USER } from './users.mjs';

/**
 * Configurations of Ringway for the lab, with the files that they name: through proxies, with
 * direct reads, and with the console's Lab. Those for benchmarks have one proxy, as plain Swift and
 * s3api have: two proxies, each half as busy, take more CPU for the same requests, and the gateway
 * would be charged with it.
 *
 * @param {import('./state.mjs').LabState} lab
 * @returns {Record<string, string>} texts by path
 */
export function gatewayConf(lab) {
  const paths = layout(lab.dir);
  const { account, user, key } = SERVICE_USER;
  const endpoints = lab.tls ? lab.tlsEndpoints : lab.endpoints;
  const config = {
    backend: 'swift',
    swift_endpoints: endpoints,
    swift_auth_url: `${endpoints[0]}/auth/v1.0`,
    swift_user: `${account}:${user}`,
    swift_key_file: paths.keyFile,
    ...(lab.filter ? { swift_filter_secret_file: paths.secretFile } : {}),
    credentials_source: 'tempauth',
    tempauth_conf: paths.proxyConf('proxy-1'),
    data_dir: dataDir(paths),
  };
  const oneProxy = { swift_endpoints: endpoints.slice(0, 1) };
  const direct = { swift_rings_dir: paths.conf };
  return {
    [paths.gatewayConfig]: json(config),
    [paths.benchConfig]: json({ ...config, ...oneProxy }),
    [paths.benchDirectConfig]: json({ ...config, ...oneProxy, ...direct }),
    [paths.directConfig]: json({ ...config, ...direct }),
    [paths.labConfig]: json({ ...config, console_config: paths.labConsoleConfig }),
    [paths.labConsoleConfig]: json(labConsole(lab)),
    [paths.keyFile]: `${key}\n`,
    // The proxies read it when they start: a lab keeps its secret.
    [paths.secretFile]: existsSync(paths.secretFile)
      ? readFileSync(paths.secretFile, 'utf8')
      : `${randomBytes(32).toString('hex')}\n`,
  };
}

/** @param {object} value */
function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * The console's own configuration: all of the Lab is on, and benchmarks, for an operator. Shadow
 * compares with the proxy that has s3api: over the same storage, and with the same users.
 *
 * @param {import('./state.mjs').LabState} lab
 */
function labConsole(lab) {
  const paths = layout(lab.dir);
  return {
    cluster_name: 'Swift lab',
    accounts: [{ account: 'test', user: 'tester', role: 'operator' }],
    lab_enabled: true,
    lab_mutations: true,
    store_dir: paths.conf,
    node_root: paths.nodes,
    ...helperPrograms(),
    node_driver: 'local-procs',
    cluster_nodes: nodesOf(lab).map(({ name, ip, devices }) => ({
      ...{ name, storage_ip: ip, devices },
      services: labRoster(lab, name),
    })),
    shadow_root: paths.shadow,
    shadow_peer_base: lab.s3api,
    shadow_peer_auth: `${lab.s3api}/auth/v1.0`,
    shadow_peer_label: 's3api',
    ...(lab.statsd ? { statsd_listen: `${PROXY_IP}:${lab.ports.statsd}` } : {}),
    ...BENCHMARKS,
  };
}

/** @param {ReturnType<typeof layout>} paths */
function dataDir({ gateway }) {
  const dir = `${gateway}/data`;
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
  return dir;
}
