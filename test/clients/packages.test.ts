import { expect } from 'chai';
import { execFile, type ExecFileException } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith, program } from '../support/needs.js';
import { loadTool } from '../ops/dev/tools.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

const execute = promisify(execFile);

/**
 * Runs a program of `ops/`.
 * @returns what it wrote to stdout
 * @throws Error which begins with the end of that
 */
async function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...process.env, ...more };
  try {
    return (await execute(process.execPath, args, { maxBuffer: 64 << 20, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as ExecFileException & { stdout: string; stderr: string };
    const end = stdout.trimEnd().split('\n').slice(-LINES_SHOWN).join('\n');
    throw new Error(`${args.join(' ')} failed: ${end}\n${stderr}`, { cause: error });
  }
}

/** As many as the summary of a run shows. */
const LINES_SHOWN = 3;

const NEEDS = [
  program('dpkg-deb'),
  program('mmdebstrap'),
  program('aws'),
  { name: 'root, to make a root', isMet: () => process.getuid?.() === 0 },
];

describeWith(NEEDS, 'packages', function () {
  this.timeout(15 * 60_000);
  const folder = useTempFolderOnce('packages');
  /** Of a smallest Debian 13, for all that are made here. */
  let roots: NodeJS.ProcessEnv;

  before(async () => {
    const { makeRoot } = await loadTool('lib/roots.mjs');
    roots = { RINGWAY_ROOT_trixie: join(folder(), 'trixie') };
    makeRoot('trixie', join(folder(), 'trixie'), ['ca-certificates']);
  });

  it('are not needed on a bare Debian 13, where a checkout starts and passes its tests with Node 24', async () => {
    const tests = ['--until', 'test:unit', 'test/http', 'test/integration/objects.test.ts'];
    const said = await run(
      ['ops/dev/bare.mjs', 'debian13', '--node', '24', '--built', ...tests],
      roots,
    );
    expect(said).to.match(/^bare: \S+ has stored an object, and read it$/m);
    expect(said).to.match(/^bare: \S+ has logged in$/m);
    const counted = [...said.matchAll(/^(\d+) passed, 0 failed, \d+ skipped$/gm)];
    expect(counted).to.have.length(2);
    for (const [, passed] of counted) expect(Number(passed)).to.be.greaterThan(300);
  });

  it('have equal bytes when they are built twice', async () => {
    const sums: string[][] = [];
    for (const more of [['gateway', 'node'], []]) {
      const out = join(folder(), more[0] ?? 'again');
      const only = ['filter', 'npm', ...more].flatMap((name) => ['--only', name]);
      await run(['ops/package/main.mjs', '--quick', '--out', out, ...only]);
      const lines = readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n');
      sums.push(lines.filter((line) => /-filter_.*_all\.deb$|\.tgz$/.test(line)));
    }
    expect(sums[0]).to.have.length(2).and.to.deep.equal(sums[1]);
  });

  it('install, serve, reload, are upgraded and leave the data on a clean Debian 13', async () => {
    const out = join(folder(), 'gateway');
    const said = await run(['ops/package/try.mjs', 'debian13', '--packages', out], roots);
    expect(said.match(/reads, none failed$/gm)).to.have.length(4);
    expect(said)
      .to.match(/^try: ringway .*Node\.js 24\./m)
      .and.include('all of it worked');
  });

  it("have a filter that Debian 13's proxy of Swift takes, gives back, and keeps nothing of", async () => {
    const out = join(folder(), 'gateway');
    const said = await run(['ops/package/try.mjs', 'filter13', '--packages', out], roots);
    expect(said)
      .to.match(/^try: \/info has \{.*"hop_rights":true/m)
      .and.include('all of it worked');
  });

  it('have a tarball that npm installs, which serves, and that npm removes', async () => {
    const said = await run(['ops/package/try.mjs', 'npm', '--packages', join(folder(), 'gateway')]);
    expect(said).to.include('all of it worked');
  });
});
