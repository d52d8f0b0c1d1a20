import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { layout, PROXY_IP } from './layout.mjs';
import { TLS_PORTS } from './ports.mjs';
import { programPath } from './programs.mjs';

/** @typedef {import('./state.mjs').LabState} LabState */

const DAYS = '3650';

/**
 * HAProxy in front of the proxies for Ringway, as operators have it. Its defaults are kept but for
 * room for heads: the gateway takes 128 KiB, and the suites shall not meet a limit of HAProxy's.
 *
 * @param {LabState} lab
 * @returns {Record<string, string>} texts by path; none without TLS
 */
export function tlsConf(lab) {
  if (!lab.tls) return {};
  const { haproxyConf, certKeyFile } = layout(lab.dir);
  const general = [
    ...['global', '  maxconn 2048', '  tune.bufsize 131072', '  tune.http.maxhdr 512', ''],
    ...['defaults', '  mode http', '  timeout connect 5s', '  timeout client 10m'],
    ...['  timeout server 10m', ''],
  ];
  const proxies = TLS_PORTS.flatMap((name) => {
    const proxy = /** @type {const} */ ({ 'tls-1': 'proxy-1', 'tls-2': 'proxy-2' })[name];
    return [
      ...[`frontend ${name}`, `  bind ${PROXY_IP}:${lab.ports[name]} ssl crt ${certKeyFile}`],
      ...[`  default_backend ${proxy}`, ''],
      ...[`backend ${proxy}`, `  server ${proxy} ${PROXY_IP}:${lab.ports[proxy]}`, ''],
    ];
  });
  return { [haproxyConf]: [...general, ...proxies].join('\n') };
}

/**
 * One certificate for HAProxy and memcached, which is its own root. A lab keeps it.
 *
 * @param {LabState} lab
 */
export function makeCertificate(lab) {
  const { certFile, certKeyFile } = layout(lab.dir);
  if (existsSync(certKeyFile)) return;
  const { status, stderr } = spawnSync(
    programPath('openssl'),
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', DAYS, '-subj', '/CN=Swift lab', '-keyout', certKeyFile, '-out', certFile],
      ...['-addext', `subjectAltName=IP:${PROXY_IP},DNS:localhost`],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`no certificate could be made:\n${stderr}`);
  // HAProxy reads both of one file.
  writeFileSync(certKeyFile, readFileSync(certFile), { flag: 'a' });
  chmodSync(certKeyFile, 0o600);
}
