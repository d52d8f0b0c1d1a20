import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../dev/lib/paths.mjs';
import { buildDeb } from './deb.mjs';
import { licences } from './product.mjs';
import { FILES, productVersion, put, putText } from './tree.mjs';

/** Examples for operators; not below `/usr/share/doc`, which images of Debian leave out. */
const EXAMPLES = ['examples', 'docker', 'prometheus', 'grafana'];

/**
 * `ringway_<version>_amd64.deb`: gateway, console and control service.
 *
 * @param {string} product
 * @param {string} work
 * @param {string} out
 * @param {'xz' | 'gzip'} compression
 */
export function gatewayPackage(product, work, out, compression) {
  const tree = `${work}/ringway`;
  const doc = `${tree}/usr/share/doc/ringway`;
  put(
    product,
    `${tree}/usr/lib/ringway`,
    (source) =>
      !/\/(?:package-lock\.json|LICENSE)$/.test(source) || source.includes('/node_modules/'),
  );
  put(`${FILES}/ringway.sh`, `${tree}/usr/bin/ringway`);
  for (const unit of ['ringway.service', 'ringway-deploy.service']) {
    put(`${ROOT}/ops/systemd/${unit}`, `${tree}/usr/lib/systemd/system/${unit}`);
  }
  put(`${FILES}/ringway.sysusers`, `${tree}/usr/lib/sysusers.d/ringway.conf`);
  put(`${FILES}/ringway.tmpfiles`, `${tree}/usr/lib/tmpfiles.d/ringway.conf`);
  put(`${FILES}/ringway.json`, `${tree}/etc/ringway/ringway.json`);
  put(`${ROOT}/ops/logrotate/ringway`, `${tree}/etc/logrotate.d/ringway`);
  put(`${ROOT}/docs`, `${doc}/docs`, (source) => !source.endsWith('/pictures'));
  put(`${ROOT}/README.md`, `${doc}/README.md`);
  for (const name of EXAMPLES) put(`${ROOT}/ops/${name}`, `${tree}/usr/share/ringway/${name}`);
  putText(`${doc}/copyright`, licences(product));
  writeFileSync(
    `${doc}/changelog.gz`,
    gzipSync(readFileSync(`${ROOT}/CHANGELOG.md`), { level: 9 }),
  );
  put(`${out}/ringway.cdx.json`, `${doc}/ringway.cdx.json`);
  buildDeb(
    {
      name: 'ringway',
      version: productVersion(),
      architecture: 'amd64',
      depends:
        'libc6 (>= 2.31), libstdc++6, ringway-node | nodejs (>= 20.19), ' +
        'systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles',
      description: [
        'S3 gateway and operator console for OpenStack Swift',
        'Serves S3 from a Swift cluster, or from an embedded store on one host, with a web\n' +
          'console for its users and operators, and a service that plans and installs rings.',
      ],
      conffiles: ['/etc/ringway/ringway.json', '/etc/logrotate.d/ringway'],
      programs: ['/usr/bin/ringway'],
      compression,
    },
    tree,
    out,
  );
}
