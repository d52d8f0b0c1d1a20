import { ROOT } from '../dev/lib/paths.mjs';
import { buildDeb } from './deb.mjs';
import { productVersion, put } from './tree.mjs';

/**
 * `ringway-swift-filter_<version>_all.deb`: the filters for Swift's proxies, and the command that
 * puts them into a pipeline.
 *
 * @param {string} work
 * @param {string} out
 */
export function filterPackage(work, out) {
  const tree = `${work}/ringway-swift-filter`;
  put(
    `${ROOT}/ops/swift/ringway_filter`,
    `${tree}/usr/lib/python3/dist-packages/ringway_filter`,
    (source) => !source.includes('__pycache__'),
  );
  put(`${ROOT}/ops/swift/ringway-filter`, `${tree}/usr/sbin/ringway-filter`);
  put(`${ROOT}/docs/swift.md`, `${tree}/usr/share/doc/ringway-swift-filter/swift.md`);
  put(`${ROOT}/LICENSE`, `${tree}/usr/share/doc/ringway-swift-filter/copyright`);
  buildDeb(
    {
      name: 'ringway-swift-filter',
      version: productVersion(),
      architecture: 'all',
      depends: 'python3 (>= 3.9), python3-swift (>= 2.30)',
      description: [
        'Filters of Ringway for the proxies of OpenStack Swift',
        'Versions, Object Lock, tags and ACLs of S3 objects need two filters in the pipeline of\n' +
          'each proxy. "ringway-filter enable --dry-run" shows the change; nothing is restarted.',
      ],
      programs: ['/usr/sbin/ringway-filter'],
      section: 'python',
    },
    tree,
    out,
  );
}
