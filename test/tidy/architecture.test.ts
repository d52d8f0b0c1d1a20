import { expect } from 'chai';
import { architectureViolations } from './architecture.js';
import { projectFiles, readProjectFile } from './project.js';

describe('tidy: the architecture page', () => {
  it('has the folders that there are, and what each imports', () => {
    const page = readProjectFile('docs/architecture.md');
    expect(architectureViolations(projectFiles(), page)).to.deep.equal([]);
  });

  it('notices a missing folder, one that is gone, and another import', () => {
    const page = [
      '| `src/a/` | the first | `b` |',
      '| `src/gone/` | no more | |',
      ...['workers', 'supervisor', 'bench', 'test'].map((name) => `| \`${name}/\` | there | |`),
    ].join('\n');
    const files = [
      { path: 'src/a/x.ts', text: `import { y } from '../b/y.js'; import { z } from '../c/z.js';` },
      { path: 'src/b/y.ts', text: `import { own } from './own.js';` },
    ];
    expect(architectureViolations(files, page)).to.deep.equal([
      'docs/architecture.md has no row for src/b/',
      'docs/architecture.md has a row for src/gone/, which is not there',
      'docs/architecture.md: src/a/ imports `b`, `c`, and not `b`',
    ]);
  });
});
