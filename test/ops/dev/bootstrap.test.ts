import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { loadTool, toolPath } from './tools.js';

/** Runs the bootstrap as a Node of another version would, as far as it gets. */
function bootstrapOn(version: string) {
  const script = [
    `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`,
    `process.argv[2] = 'nonsense';`,
    `import(${JSON.stringify(toolPath('bootstrap.mjs'))});`,
  ];
  return spawnSync(process.execPath, ['-e', script.join('\n')], { encoding: 'utf8' });
}

describe('bootstrap: Node version', () => {
  for (const version of [
    '12.22.0',
    '18.20.8',
    '20.18.3',
    '21.7.3',
    '22.11.0',
    '23.1.0',
    '26.0.0',
  ]) {
    it(`refuses ${version} with exactly one line`, () => {
      const { status, stdout, stderr } = bootstrapOn(version);
      const line = `Ringway needs Node.js 20.19+, 22.12+, 24 or 25; this is ${version}.\n`;
      expect({ status, stdout, stderr }).to.deep.equal({ status: 1, stdout: '', stderr: line });
    });
  }

  for (const version of ['20.19.0', '20.20.2', '22.12.0', '22.20.0']) {
    it(`goes on with ${version}`, async () => {
      const { nodeVersionProblem } = await loadTool('node-version.mjs');
      expect(nodeVersionProblem(version, '2.27')).to.equal(null);
      expect(bootstrapOn(version).stderr).to.match(/^ringway: usage: /);
    });
  }
});

describe('bootstrap: glibc', () => {
  it('is to be that of the library for this Node, and what is not asked about will do', async () => {
    const { nodeVersionProblem } = await loadTool('node-version.mjs');
    expect(nodeVersionProblem('24.1.0', '2.36')).to.equal(
      'Ringway needs glibc 2.38 with Node.js 24 (Debian 13, Ubuntu 24.04); this host has 2.36: install Node.js 22.',
    );
    expect(nodeVersionProblem('20.19.0', '2.26')).to.contain('needs glibc 2.27');
    for (const glibc of ['2.38', '2.41', undefined]) {
      expect(nodeVersionProblem('24.1.0', glibc), glibc).to.equal(null);
    }
  });
});

const COMMIT = 'git+ssh://git@github.com/a/c.git#';

describe('bootstrap: what is installed', () => {
  const lock = (packages: object) => JSON.stringify({ packages: { '': {}, ...packages } });
  const wanted = lock({
    'node_modules/a': { version: '1.0.0', integrity: 'x' },
    'node_modules/b-win32': { version: '1.0.0', integrity: 'y', optional: true },
  });
  const cases: readonly (readonly [what: string, installed: string | null, enough: boolean])[] = [
    ['nothing', null, false],
    [
      'all but a package for another platform',
      lock({ 'node_modules/a': { version: '1.0.0', integrity: 'x' } }),
      true,
    ],
    ['another version', lock({ 'node_modules/a': { version: '1.0.1', integrity: 'x' } }), false],
    [
      'other content of the same version',
      lock({ 'node_modules/a': { version: '1.0.0', integrity: 'z' } }),
      false,
    ],
    ['a package too few', lock({}), false],
  ];
  for (const [what, commit, enough] of [
    ['the commit of a repository', '1', true],
    ['another commit of a repository, of the same version', '2', false],
  ] as const) {
    it(`${what}: ${enough ? 'enough' : 'not enough'}`, async () => {
      const { isInstalled } = await loadTool('lib/install.mjs');
      const at = (hash: string) =>
        lock({ 'node_modules/c': { version: '1.0.0', resolved: COMMIT + hash } });
      expect(isInstalled(at(commit), at('1'))).to.equal(enough);
    });
  }
  for (const [what, installed, enough] of cases) {
    it(`${what}: ${enough ? 'enough' : 'not enough'}`, async () => {
      const { isInstalled } = await loadTool('lib/install.mjs');
      expect(isInstalled(installed, wanted)).to.equal(enough);
    });
  }
});

function neverWaits(holder: number): void {
  throw new Error(`waited for ${holder}`);
}

describe('bootstrap: lock', () => {
  const folder = useTempFolder('lock');
  const path = useEach(() => join(folder(), 'below', 'lock'));

  it('lets one process work at a time, and tells the other which one works', async () => {
    const { withLock } = await loadTool('lib/lock.mjs');
    const gate = new EventEmitter();
    const mayEnd = once(gate, 'open');
    const steps: string[] = [];
    const first = withLock(
      path(),
      async () => {
        steps.push('first begins');
        await mayEnd;
        steps.push('first ends');
      },
      () => steps.push('first waits'),
    );
    const second = withLock(
      path(),
      () => Promise.resolve(steps.push('second')),
      (holder) => {
        expect(holder).to.equal(process.pid);
        steps.push('second waits');
        gate.emit('open');
      },
    );
    await Promise.all([first, second]);
    expect(steps).to.deep.equal(['first begins', 'second waits', 'first ends', 'second']);
    expect(existsSync(path())).to.equal(false);
  });

  it('lets go when the work fails', async () => {
    const { withLock } = await loadTool('lib/lock.mjs');
    const failed = withLock(path(), () => Promise.reject(new Error('broken')), neverWaits);
    expect(await failed.catch((error: unknown) => String(error))).to.equal('Error: broken');
    expect(existsSync(path())).to.equal(false);
  });

  it('takes over from a process that died', async () => {
    const dead = spawn(process.execPath, ['-e', '']);
    await once(dead, 'close');
    const { withLock } = await loadTool('lib/lock.mjs');
    await withLock(path(), () => Promise.resolve(), neverWaits);
    await writeFile(path(), String(dead.pid));
    expect(await withLock(path(), () => Promise.resolve('done'), neverWaits)).to.equal('done');
  });
});
