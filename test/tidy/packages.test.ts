import { expect } from 'chai';
import {
  explanationViolations,
  manifestViolations,
  versionViolations,
  type Manifest,
} from './packages.js';
import { projectFiles, readProjectFile } from './project.js';

/** A package that not every host can load is loaded at run time nevertheless. */
function readManifest(): Manifest {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readProjectFile('package.json'),
  ) as Manifest & { readonly optionalDependencies: Manifest['dependencies'] };
  return { dependencies: { ...dependencies, ...optionalDependencies }, devDependencies };
}

describe('tidy: packages', () => {
  const manifest = readManifest();

  it('have exact versions', () => {
    expect(versionViolations(manifest)).to.deep.equal([]);
  });

  it('are dependencies where the product loads them, and for development otherwise', () => {
    expect(manifestViolations(projectFiles(), manifest)).to.deep.equal([]);
  });

  it('are explained as what they are', () => {
    const document = readProjectFile('docs/dependencies.md');
    expect(explanationViolations(manifest, document)).to.deep.equal([]);
  });

  it('names versions that are ranges or can be moved', () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const dependencies = {
      good: '1.2.3',
      alias: 'npm:@a/other@1.2.3-beta.1',
      commit: `github:a/b.js#${commit}`,
      range: '^1.2.3',
      tag: 'github:a/b.js#v1.2.3',
    };
    expect(versionViolations({ dependencies, devDependencies: {} })).to.deep.equal([
      'range ^1.2.3 is not an exact version',
      'tag github:a/b.js#v1.2.3 is not an exact version',
    ]);
  });

  it('names packages in the wrong place, missing ones and unused ones', () => {
    const files = [
      { path: 'src/a.ts', text: `import { b } from './b.js'; import x from 'loaded/part.js';` },
      { path: 'src/b.ts', text: `import fs from 'node:fs'; import y from 'dev-only';` },
      {
        path: 'src/c.ts',
        text: `import type { T } from 'types-only'; await import('@a/missing');`,
      },
      { path: 'console/ui/d.ts', text: `import plot from '/vendor/plot.js';` },
      { path: 'console/server/e.ts', text: `createRequire(import.meta.url).resolve('resolved');` },
      { path: 'test/f.ts', text: `import 'loaded'; import 'checker'; import '../src/a.js';` },
      { path: 'bench/g.ts', text: `import 'absent';` },
      { path: 'ops/h.mjs', text: `import 'process'; run(packageFile('@b/started/bin.js'));` },
    ];
    const dependencies = { loaded: '1', plot: '1', resolved: '1', 'types-only': '1', checker: '1' };
    const devDependencies = { 'dev-only': '1', '@b/started': '1', '@types/x': '1', unused: '1' };
    expect(manifestViolations(files, { dependencies, devDependencies })).to.deep.equal([
      'src/b.ts loads dev-only, which is not in dependencies',
      'src/c.ts loads @a/missing, which is not in dependencies',
      'types-only is in dependencies, but nothing loads it at run time',
      'checker is in dependencies, but nothing loads it at run time',
      'test/f.ts loads checker, which is not in devDependencies',
      'bench/g.ts loads absent, which is not in devDependencies',
      'unused is in devDependencies, but nothing uses it',
    ]);
  });

  it('names what is explained in the wrong section, not at all, or no longer there', () => {
    const document = [
      '## At run time\n\n- `served`: x\n- `gone`: x\n',
      '## For development\n\n- `misplaced`: x\n- `tool`: x\n',
      '## Held back\n\n- `other`: x\n',
    ].join('\n');
    const found = explanationViolations(
      {
        dependencies: { served: '1', misplaced: '1' },
        devDependencies: { tool: '1', unexplained: '1' },
      },
      document,
    );
    expect(found).to.deep.equal([
      'misplaced has no line under "At run time" in docs/dependencies.md',
      'docs/dependencies.md speaks of gone under "At run time": it is none',
      'unexplained has no line under "For development" in docs/dependencies.md',
      'docs/dependencies.md speaks of misplaced under "For development": it is none',
    ]);
  });
});
