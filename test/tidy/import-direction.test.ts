import { expect } from 'chai';
import { importCycles } from './cycles.js';
import { IMPORT_RULES, importViolations, isCode } from './import-rules.js';
import { importsOf } from './imports.js';
import { projectFiles } from './project.js';

/** A sample that breaks each rule, in the order of the table. */
const BREACHES: readonly (readonly [path: string, text: string])[] = [
  ['src/s3/rules/acl.ts', `import { x } from '../operations/object/get-object.js';`],
  ['src/s3/object/put-object.ts', `import { x } from '../../http/server.js';`],
  ['src/s3/pipeline.ts', `import type { X } from '../backend/embedded/store.js';`],
  ['src/backend/embedded/store.ts', `export * from '../../s3/errors.js';`],
  ['src/lib/uri.ts', `import { BackendError } from '../backend/errors.js';`],
  ['src/ring/ring.ts', `import type { Backend } from '../backend/backend.js';`],
  ['src/swift-api/routes.ts', `import { S3Error } from '../s3/s3-error.js';`],
  ['src/http/server.ts', `import type { Backend } from '../backend/backend.js';`],
  ['supervisor/main.ts', `const s3 = await import('../src/s3/pipeline.js');`],
  [
    'console/surfaces/files/s3/gateway-rules.ts',
    `import { putObject } from '../../../../src/s3/object/put-object.js';`,
  ],
  ['src/processes/listener.ts', `import '../../supervisor/main.js';`],
  ['src/processes/listener.ts', `import { raw } from '../../test/support/raw-http.js';`],
  ['src/processes/listener.ts', `import uws from 'uWebSockets.js';`],
  ['console/surfaces/files/page/rows.ts', `import { x } from '../names.js';`],
  ['console/surfaces/files/names.ts', `import { x } from './page/rows.js';`],
  ['console/server/context.ts', `import type { X } from '../surfaces/lab/lab.js';`],
  ['console/ui/dom.ts', `import { x } from '../surfaces/files/page/state.js';`],
  ['console/surfaces/users/routes.ts', `import { x } from '../files/names.js';`],
  ['ops/dev/test.mjs', `import { x } from '../../src/lib/semaphore.js';`],
];

/** Folders whose files point one way, types included. */
const ONE_WAY = /^src\/(backend|s3\/versions)\/[^/]+\.ts$/;

describe('tidy: import direction', () => {
  it('holds for every file', () => {
    expect(importViolations(projectFiles())).to.deep.equal([]);
  });

  for (const [index, [path, text]] of BREACHES.entries()) {
    it(`notices: ${path} with ${text}`, () => {
      const violations = importViolations([{ path, text }]);
      expect(violations).to.have.length(1);
      expect(violations[0])
        .to.match(/:1 imports /)
        .and.to.contain(IMPORT_RULES[index]?.why);
    });
  }

  it('has no circles', () => {
    const files = projectFiles().filter(isCode);
    expect(files.length).to.be.above(1000);
    expect(importCycles(files)).to.deep.equal([]);
  });

  it('has no circles of types in the interface of stores and in the versions', () => {
    const files = projectFiles().filter(({ path }) => ONE_WAY.test(path));
    expect(files.length).to.be.above(40);
    expect(importCycles(files, true)).to.deep.equal([]);
  });

  it('notices a circle, and none where a type alone comes back', () => {
    const circle = [
      { path: 'ops/a.mjs', text: `import { b } from './lib/b.mjs';` },
      { path: 'ops/lib/b.mjs', text: `export * from './c.mjs';` },
      { path: 'ops/lib/c.mjs', text: `await import('../a.mjs');` },
    ];
    expect(importCycles(circle)).to.deep.equal([
      'ops/a.mjs → ops/lib/b.mjs → ops/lib/c.mjs → ops/a.mjs',
    ]);
    const types = [
      { path: 'src/a.ts', text: `import { b } from './b.js';` },
      { path: 'src/b.ts', text: `import type { A } from './a.js';` },
    ];
    expect(importCycles(types)).to.deep.equal([]);
    expect(importCycles(types, true)).to.deep.equal(['src/a.ts → src/b.ts → src/a.ts']);
  });

  it('has a sample for every rule', () => {
    expect(BREACHES).to.have.length(IMPORT_RULES.length);
  });

  it('lets pure rules use the types of others, also by `type` in braces', () => {
    const path = 'src/s3/rules/acl.ts';
    const text = `import type { P } from '../auth/principal.js'; import { type Q } from '../auth/q.js';`;
    expect(importViolations([{ path, text }])).to.deep.equal([]);
  });

  it('sees what `require` loads, where it is that of the module', () => {
    const calls = `require('a'); require.resolve('b');`;
    const text = `const require = createRequire(import.meta.url); ${calls}`;
    expect(importsOf({ path: 'src/x.ts', text }).map(({ target }) => target)).to.deep.equal([
      'a',
      'b',
    ]);
    const own = `function require(option: string) {} ${calls}`;
    expect(importsOf({ path: 'src/x.ts', text: own })).to.deep.equal([]);
  });

  it('sees every form of import, with its line', () => {
    const text = [
      `import a from 'a';`,
      `import { type B } from './b.js';`,
      `export { c } from '../c.js';`,
      `type D = import('./d.js').D;`,
      `await import('e');`,
      `import 'f';`,
      `createRequire(import.meta.url)('g');`,
      `createRequire(import.meta.url).resolve('h');`,
      `import.meta.resolve('i'); done.resolve('no import');`,
    ].join('\n');
    expect(importsOf({ path: 'src/s3/x.ts', text })).to.deep.equal([
      { target: 'a', typeOnly: false, line: 1 },
      { target: 'src/s3/b.ts', typeOnly: true, line: 2 },
      { target: 'src/c.ts', typeOnly: false, line: 3 },
      { target: 'src/s3/d.ts', typeOnly: true, line: 4 },
      { target: 'e', typeOnly: false, line: 5 },
      { target: 'f', typeOnly: false, line: 6 },
      { target: 'g', typeOnly: false, line: 7 },
      { target: 'h', typeOnly: false, line: 8 },
      { target: 'i', typeOnly: false, line: 9 },
    ]);
  });
});
