/**
 * Tries the packages of `dist-packages/` as an operator uses them:
 *
 *     npm run package && node ops/package/try.mjs TRIAL [--packages DIR]
 *
 *     debian12, debian13   a clean Debian: installs, starts by the unit's own command lines, stores and
 *                          reads by S3, logs in to the console, reloads, upgrades and goes back while
 *                          clients read, removes, purges
 *     filter12, filter13   the filter's package beside Debian's proxy of Swift: enables, disables
 *     npm                  the tarball, in a prefix of its own on this host
 *
 * All but `npm` need root, mmdebstrap and dpkg-deb; all but the filter's need the aws cli. The exit
 * code is 0 when all of it worked.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { messageOf } from '../dev/lib/errors.mjs';
import { ROOT } from '../dev/lib/paths.mjs';
import { SUITES } from '../dev/lib/roots.mjs';
import { tryDebian } from './trials/debian.mjs';
import { tryFilter } from './trials/filter.mjs';
import { tryNpm } from './trials/npm.mjs';

/** @type {Readonly<Record<string, (packages: string) => Promise<void>>>} */
const TRIALS = {
  debian12: (packages) => tryDebian(SUITES.debian12, packages),
  debian13: (packages) => tryDebian(SUITES.debian13, packages),
  filter12: (packages) => tryFilter(SUITES.debian12, packages),
  filter13: (packages) => tryFilter(SUITES.debian13, packages),
  npm: tryNpm,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { packages: { type: 'string', default: `${ROOT}/dist-packages` } },
});

try {
  const trial = TRIALS[positionals[0] ?? ''];
  if (trial === undefined) {
    throw new Error(`usage: node ops/package/try.mjs ${Object.keys(TRIALS).join('|')}`);
  }
  await trial(values.packages);
  console.log('try: all of it worked');
} catch (error) {
  console.error(`try: ${messageOf(error)}`);
  process.exitCode = 1;
}
