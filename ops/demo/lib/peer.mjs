import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { swiftCommand } from '../../swift-lab/lib/services.mjs';
import { ADDRESSES } from './cluster.mjs';

/** The peer of Shadow in the demo: a proxy of stock Swift over the same storage, with s3api. */

const [IP] = ADDRESSES;
const S3API = `
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
dns_compliant_bucket_names = true
check_bucket_owner = true
allow_multipart_uploads = true
`;

/** @param {import('./cluster.mjs').DemoPorts} ports */
export function peerOrigin({ peer }) {
  return `http://${IP}:${peer}`;
}

/**
 * The proxy has Deploy's file for the first node, with another port and another pipeline: without
 * Ringway's filters, with s3api, and with no timers of its own.
 *
 * @param {import('./cluster.mjs').Places} places
 * @param {import('./cluster.mjs').DemoPorts} ports
 * @returns {import('../../swift-lab/lib/services.mjs').Service}
 */
export function peerService({ node, peer: folder, log }, ports) {
  const conf = `${node('node1')}/etc/swift`;
  const file = `${folder}/proxy-server.conf`;
  const installed = readFileSync(`${conf}/proxy-server.conf`, 'utf8');
  const text = installed
    .replace(/^bind_port = .*$/m, `bind_port = ${ports.peer}`)
    .replace(/^log_statsd_.*\n/gm, '')
    .replace(/^pipeline = .*$/m, (line) =>
      line.replace(/ ringway(?:_guard)?(?= )/g, '').replace(' tempauth ', ' s3api tempauth '),
    );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, text + S3API, { mode: 0o600 });
  return {
    name: 'shadow-peer',
    ...swiftCommand(conf, 'swift-proxy-server', [file]),
    ...{ ip: IP, port: ports.peer, isHttp: true },
    log: `${log}/shadow-peer.log`,
  };
}
