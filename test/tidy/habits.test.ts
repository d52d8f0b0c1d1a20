import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import {
  citationViolations,
  focusViolations,
  hostlessViolations,
  inlineParserViolations,
  lengthViolations,
  machinePathViolations,
  unclearedMemoryViolations,
  renameViolations,
  secondHeaderViolations,
} from './habits.js';
import { projectFiles, type ProjectFile } from './project.js';

/** Samples are put together here, so that this file does not break the rules it tests. */
const FOCUSED = ['it', 'only("x", () => {});'].join('.');
const MACHINE_PATH = ['const folder = "', 'home', 'someone', 'data";'].join('/');

describe('tidy: habits', () => {
  const files = useOnce(projectFiles);

  it('sees the project', () => {
    const paths = files().map((file) => file.path);
    expect(paths).to.include.members(['package.json', 'ops/dev/test.mjs', 'test/tidy/habits.ts']);
    expect(paths.filter((path) => /node_modules|^dist\//.test(path))).to.deep.equal([]);
  });

  it('no file is too long', () => {
    expect(lengthViolations(files())).to.deep.equal([]);
  });

  it('no test is focused', () => {
    expect(focusViolations(files())).to.deep.equal([]);
  });

  it('no file names a folder of one machine', () => {
    expect(machinePathViolations(files())).to.deep.equal([]);
  });

  it('memory that is not cleared is taken by files that were read for it alone', () => {
    expect(unclearedMemoryViolations(files())).to.deep.equal([]);
    const another = { path: 'src/x.ts', text: 'const bytes = Buffer.allocUnsafe(size);' };
    expect(unclearedMemoryViolations([another])).to.have.length(1);
  });

  it('comments cite files that are there', () => {
    expect(citationViolations(files())).to.deep.equal([]);
    const sample = { path: 'src/a/b.ts', text: '/** See b.ts, a/b.ts, c/b.ts and b.d.ts. */' };
    expect(citationViolations([sample]).map((line) => line.split(' ')[2])).to.deep.equal([
      'c/b.ts,',
      'b.d.ts,',
    ]);
  });

  it('no file has a second header in its middle', () => {
    expect(secondHeaderViolations(files())).to.deep.equal([]);
    const header = '/** What this is. */\n\n';
    const sample = (text: string) => secondHeaderViolations([{ path: 'src/x.ts', text }]).length;
    expect([sample(`${header}const A = 1;\n`), sample(`const A = 1;\n\n${header}`)]).to.deep.equal([
      0, 1,
    ]);
  });

  it('nothing connects to a port of no host', () => {
    expect(hostlessViolations(files())).to.deep.equal([]);
    const sample = (options: string): ProjectFile => ({
      path: 'test/x.ts',
      text: ['const a = 1;\nconst b = request', `{ ${options} });`].join('('),
    });
    const found = ["port: 1, path: '/'", "host: 'a', port: 1", "path: '/'"].map(
      (options) => hostlessViolations([sample(options)]).length,
    );
    expect(found).to.deep.equal([1, 0, 0]);
  });

  it('no operation parses a document by itself', () => {
    expect(inlineParserViolations(files())).to.deep.equal([]);
  });

  it('no file is put in place by hand', () => {
    expect(renameViolations(files())).to.deep.equal([]);
    const byHand = [{ path: 'src/x.ts', text: 'await rename(half, file);\n' }];
    expect(renameViolations(byHand)).to.have.length(1);
  });

  it('notices an operation that parses a document by itself', () => {
    const sample = (path: string, names: string): ProjectFile => ({
      path,
      text: `import x from 'y';\nimport { ${names} } from '../../xml/tagging.js';\n`,
    });
    const operation = 'src/s3/object/x.ts';
    expect(
      inlineParserViolations([sample(operation, 'renderTagging, parseTagging')]),
    ).to.deep.equal([`${operation} parses a document by itself`]);
    const others = [sample(operation, 'renderTagging'), sample('src/s3/x.ts', 'parseTagging')];
    expect(inlineParserViolations(others)).to.deep.equal([]);
  });

  it('notices a file that is one line too long without its comments, and only then', () => {
    const sample = (path: string, lines: number): ProjectFile => ({
      path,
      text: `${'// A note.\n'.repeat(9)}${'x();\n'.repeat(lines)}`,
    });
    const longest = [sample('src/x.ts', 350), sample('test/x.test.ts', 500)];
    expect(lengthViolations(longest)).to.deep.equal([]);
    const longer = [sample('src/x.ts', 351), sample('test/x.test.ts', 501)];
    expect(lengthViolations(longer)).to.deep.equal([
      'src/x.ts has 351 lines of code, more than 350',
      'test/x.test.ts has 501 lines of code, more than 500',
    ]);
  });

  it('notices a focused test', () => {
    expect(focusViolations([{ path: 'test/x.test.ts', text: FOCUSED }])).to.have.length(1);
  });

  it('notices a path of one machine, with its line', () => {
    expect(machinePathViolations([{ path: 'docs/x.md', text: `\n${MACHINE_PATH}` }])).to.deep.equal(
      ['docs/x.md:2 names a folder of one machine'],
    );
  });
});
