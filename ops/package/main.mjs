/**
 * Builds what is installed on other hosts, into `dist-packages/`:
 *
 *     npm run package                      all of it, for Linux on x64
 *     npm run package -- --out DIR         into another folder
 *     npm run package -- --only gateway    one of gateway, node, filter, npm
 *     npm run package -- --quick           larger packages, in seconds: for trials
 *
 * Two builds of one commit have equal bytes: all times in them are those of the commit
 * (`SOURCE_DATE_EPOCH` is another one). It needs the registry of npm, and for the Debian packages
 * `dpkg-deb`, which every Debian and Ubuntu has. A package that outgrows its bound fails the build, unless
 * it is a quick one.
 */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from '../dev/lib/build.mjs';
import { messageOf } from '../dev/lib/errors.mjs';
import { ROOT } from '../dev/lib/paths.mjs';
import { filterPackage } from './filter.mjs';
import { gatewayPackage } from './gateway.mjs';
import { nodePackages } from './node.mjs';
import { npmTarball } from './npm.mjs';
import { productTree, writeSbom } from './product.mjs';
import { commandOutput } from './tree.mjs';

/** Bounds in bytes of what is published: nothing creeps in unnoticed. */
const BOUNDS = [
  { name: /^ringway_/, bytes: 12_000_000 },
  { name: /^ringway-node_/, bytes: 40_000_000 },
  { name: /^ringway-swift-filter_/, bytes: 150_000 },
  { name: /^ringway-\d/, bytes: 5_000_000 },
];

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
  },
});

try {
  await main();
} catch (error) {
  console.error(`package: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function main() {
  const wanted = new Set(values.only ?? ['gateway', 'node', 'filter', 'npm']);
  const out = path.resolve(values.out ?? `${ROOT}/dist-packages`);
  const work = mkdtempSync(`${tmpdir()}/ringway-package-`);
  const compression = values.quick ? 'gzip' : 'xz';
  process.env.SOURCE_DATE_EPOCH ??= commandOutput('git', ['-C', ROOT, 'log', '-1', '--format=%ct']);
  try {
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    if (wanted.has('filter')) filterPackage(work, out);
    if (wanted.has('node')) nodePackages(work, out, compression);
    if (wanted.has('gateway') || wanted.has('npm')) {
      await build('product');
      const product = productTree(work);
      if (wanted.has('npm')) npmTarball(product, work, out);
      if (wanted.has('gateway')) {
        writeSbom(product, `${out}/ringway.cdx.json`);
        gatewayPackage(product, work, out, compression);
      }
    }
    writeSums(out);
    report(out);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} out */
function writeSums(out) {
  const lines = readdirSync(out)
    .sort()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(`${out}/${name}`));
      return `${hash.digest('hex')}  ${name}\n`;
    });
  writeFileSync(`${out}/SHA256SUMS`, lines.join(''));
}

/** @param {string} out @throws {Error} for a package that is larger than its bound */
function report(out) {
  for (const name of readdirSync(out).sort()) {
    const { size } = statSync(`${out}/${name}`);
    const bound = BOUNDS.find((one) => one.name.test(name))?.bytes;
    console.log(`${(size / 1e6).toFixed(2).padStart(8)} MB  ${name}`);
    if (bound !== undefined && size > bound && !values.quick) {
      throw new Error(`${name} has ${size} bytes, and may have ${bound}: see BOUNDS`);
    }
  }
}
