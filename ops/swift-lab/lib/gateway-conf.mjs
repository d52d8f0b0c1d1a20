import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { layout, NODES } from './layout.mjs';
import { SERVICE_USER } from './users.mjs';

/** A Debian package has it; the Lab compares its own lookups with what it says. */
const GET_NODES = '/usr/bin/swift-get-nodes';

/**
 * Configurations of Ringway for the lab, with the files that they name: through proxies, with
 * direct reads, and with the console's Lab. That for benchmarks has one proxy, as plain Swift and
 * s3api have: two proxies, each half as busy, take more CPU for the same requests, and the gateway
 * would be charged with it.
 *
 * @param {import('./state.mjs').LabState} lab
 * @returns {Record<string, string>} texts by path
 */
export function gatewayConf(lab) {
  const paths = layout(lab.dir);
  const { account, user, key } = SERVICE_USER;
  const config = {
    backend: 'swift',
    swift_endpoints: lab.endpoints,
    swift_auth_url: lab.authUrl,
    swift_user: `${account}:${user}`,
    swift_key_file: paths.keyFile,
    ...(lab.filter ? { swift_filter_secret_file: paths.secretFile } : {}),
    credentials_source: 'tempauth',
    tempauth_conf: paths.proxyConf('proxy-1'),
    data_dir: dataDir(paths),
  };
  return {
    [paths.gatewayConfig]: `${JSON.stringify(config, null, 2)}\n`,
    [paths.benchConfig]: `${JSON.stringify({ ...config, swift_endpoints: lab.endpoints.slice(0, 1) }, null, 2)}\n`,
    [paths.directConfig]: `${JSON.stringify({ ...config, swift_rings_dir: paths.conf }, null, 2)}\n`,
    [paths.labConfig]: `${JSON.stringify({ ...config, console_config: paths.labConsoleConfig }, null, 2)}\n`,
    [paths.labConsoleConfig]: `${JSON.stringify(labConsole(paths), null, 2)}\n`,
    [paths.keyFile]: `${key}\n`,
    // The proxies read it when they start: a lab keeps its secret.
    [paths.secretFile]: existsSync(paths.secretFile)
      ? readFileSync(paths.secretFile, 'utf8')
      : `${randomBytes(32).toString('hex')}\n`,
  };
}

/**
 * The console's own configuration: the Lab is on, for an operator.
 *
 * @param {ReturnType<typeof layout>} paths
 */
function labConsole(paths) {
  return {
    accounts: [{ account: 'test', user: 'tester', role: 'operator' }],
    lab_enabled: true,
    store_dir: paths.conf,
    ...(existsSync(GET_NODES) ? { getnodes_bin: GET_NODES } : {}),
    cluster_nodes: NODES.map(({ name, ip, devices }) => ({ name, storage_ip: ip, devices })),
  };
}

/** @param {ReturnType<typeof layout>} paths */
function dataDir({ gateway }) {
  const dir = `${gateway}/data`;
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
  return dir;
}
