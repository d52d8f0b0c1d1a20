import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
}

/** Licences of code that may be used and passed on with little more than a notice. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  'Apache-2.0',
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
]);

/** Of what only builds and tests, and is passed on to nobody. */
const FOR_TOOLS: ReadonlySet<string> = new Set(['PSF-2.0', '(MIT AND Zlib)', 'MPL-2.0']);

/** Packages whose licence is none that the project may have, with it. */
function unfit(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .filter(([, { license = 'none', dev = false }]) => {
      return !PERMISSIVE.has(license) && !(dev && FOR_TOOLS.has(license));
    })
    .map(([path, { license = 'none' }]) => `${path}: ${license}`);
}

describe('tidy: licences', () => {
  it('every dependency may be used and passed on', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, LockedPackage>;
    };
    expect(Object.keys(packages)).to.have.length.above(100);
    expect(unfit(packages)).to.deep.equal([]);
  });

  it('notices others, those without one, and those of tools that are shipped', () => {
    const found = unfit({
      '': {},
      a: { license: 'GPL-3.0-only' },
      b: {},
      c: { license: 'PSF-2.0' },
      d: { license: 'PSF-2.0', dev: true },
      e: { license: 'MIT' },
    });
    expect(found).to.deep.equal(['a: GPL-3.0-only', 'b: none', 'c: PSF-2.0']);
  });
});
