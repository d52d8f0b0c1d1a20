import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith, program } from '../support/needs.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

const execute = promisify(execFile);

/** Runs a program of `ops/`. @returns what it wrote to stdout */
async function run(...args: readonly string[]): Promise<string> {
  const { stdout } = await execute(process.execPath, args, { maxBuffer: 64 << 20 });
  return stdout;
}

const NEEDS = [
  program('dpkg-deb'),
  program('mmdebstrap'),
  program('aws'),
  { name: 'root, to make a root', isMet: () => process.getuid?.() === 0 },
];

describeWith(NEEDS, 'packages', function () {
  this.timeout(15 * 60_000);
  let folder: string;

  before(async () => {
    folder = await makeTempFolder('packages');
  });
  after(() => removeFolder(folder));

  it('have equal bytes when they are built twice', async () => {
    const sums: string[][] = [];
    for (const more of [['--only', 'gateway'], []]) {
      const out = join(folder, more[1] ?? 'again');
      await run('ops/package/main.mjs', '--out', out, '--only', 'filter', '--only', 'npm', ...more);
      const lines = readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n');
      sums.push(lines.filter((line) => /-filter_.*_all\.deb$|\.tgz$/.test(line)));
    }
    expect(sums[0]).to.have.length(2).and.to.deep.equal(sums[1]);
  });

  it('install, serve, reload, are upgraded and leave the data on a clean Debian 13', async () => {
    const out = join(folder, 'gateway');
    const said = await run('ops/package/try.mjs', 'debian13', '--packages', out);
    expect(said)
      .to.match(/reads, none failed/)
      .and.include('all of it worked');
  });
});
