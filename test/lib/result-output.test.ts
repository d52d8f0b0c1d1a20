import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useTempFolderOnce } from '../support/temp-folder.js';

const program = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const RINGWAY = program('supervisor/main.js');

const CONSOLE = {
  store_base: 'http://127.0.0.1:1',
  auth_url: 'http://127.0.0.1:1/auth/v1.0',
  accounts: [{ account: 'test', user: 'tester', role: 'operator' }],
  state_dir: 'state',
};

/** A result that is not where it was sent must not look like one that is. */
describe('result on stdout', () => {
  const folder = useTempFolderOnce('result');

  before(async () => {
    await mkdir(join(folder(), 'data', 'store'), { recursive: true });
    await mkdir(join(folder(), 'state'));
    await writeFile(join(folder(), 'console.json'), JSON.stringify(CONSOLE));
    await writeFile(join(folder(), 'state', 'audit.jsonl'), '');
  });

  /** @returns exit code and what stderr says */
  async function onto(stdout: number, args: readonly string[]) {
    const child = spawn(process.execPath, args, {
      cwd: folder(),
      env: { ...process.env, RINGWAY_ACCESS_KEY: 'OPERATOR', RINGWAY_SECRET_KEY: 'hush-hush-hush' },
      stdio: ['ignore', stdout, 'pipe'],
    });
    if (child.stderr === null) throw new Error('no stderr');
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stderr };
  }

  for (const args of [
    [RINGWAY, 'check'],
    [RINGWAY, 'check', '--print'],
    [RINGWAY, 'version'],
    [RINGWAY, 'help'],
    [RINGWAY, 'janitor', '--dry-run'],
    [program('console/main.js'), 'console.json', '--verify-audit'],
    [program('bench/main.js'), '--help'],
    [program('bench/main.js'), 'scale', '--help'],
  ]) {
    const [path = '', ...words] = args;
    it(`fails on a full device: ${path.split('/').slice(-2).join('/')} ${words.join(' ')}`, async () => {
      const full = openSync('/dev/full', 'w');
      try {
        const { code, stderr } = await onto(full, args);
        expect(stderr).to.match(
          /^(ringway|console|bench): the result cannot be written to stdout: .*ENOSPC.*\n$/,
        );
        expect(code).to.equal(80);
      } finally {
        closeSync(full);
      }
    });
  }

  it('fails on a file that takes a part of it', async () => {
    // The shell's unit is 512 bytes: fewer than there are keys.
    const line = `ulimit -f 1; exec "$0" "$@" > part.json`;
    const args = ['-c', line, process.execPath, RINGWAY, 'check', '--print'];
    const { status, stderr } = spawnSync('sh', args, { cwd: folder(), encoding: 'utf8' });
    expect((await readFile(join(folder(), 'part.json'))).length).to.be.within(1, 1024);
    expect(stderr).to.include('the result cannot be written to stdout: EFBIG');
    expect(status).to.equal(80);
  });

  it('is whole in a file, and behind what is there already', async () => {
    const file = join(folder(), 'whole.json');
    await writeFile(file, '\n');
    const fd = openSync(file, 'a');
    try {
      expect(await onto(fd, [RINGWAY, 'check', '--print'])).to.deep.equal({ code: 0, stderr: '' });
    } finally {
      closeSync(fd);
    }
    const written = await readFile(file, 'utf8');
    expect(written).to.match(/^\n\{/);
    expect(JSON.parse(written)).to.include({ region: 'us-east-1' });
  });

  it('fails when its reader has gone', async () => {
    const child = spawn(
      'sh',
      ['-c', 'read go; exec "$0" "$@"', process.execPath, RINGWAY, 'help'],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.end('go\n');
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(stderr).to.include('the result cannot be written to stdout: ');
    expect(child.exitCode).to.equal(80);
  });
});
