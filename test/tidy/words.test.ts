import { expect } from 'chai';
import { projectFiles } from './project.js';
import { PLAIN_FOLDERS, titleViolations, wordViolations } from './words.js';

describe('tidy: words', () => {
  const advices = (text: string): string[] =>
    wordViolations([{ path: 'src/lib/x.ts', text }]).map((line) => line.replace(/ has .*/s, ''));

  it('comments have a subject', () => {
    const files = projectFiles();
    expect(files.filter(({ path }) => path.startsWith(PLAIN_FOLDERS[0] ?? '-'))).to.not.be.empty;
    expect(wordViolations(files)).to.deep.equal([]);
  });

  it('notices unnamed persons anywhere in a comment, and not in code', () => {
    const text =
      "// One.\n// For nobody.\nconst a = 'nobody';\n/**\n * A.\n * Whoever asks.\n */\n";
    expect(advices(text)).to.deep.equal(['src/lib/x.ts:2', 'src/lib/x.ts:6']);
  });

  it('notices a missing subject at the start of a comment only', () => {
    const headless = [
      '/** Of all. */',
      '/**\n * Who asks.\n */',
      'f();\n  // It may be either.',
      '// What is left.',
    ];
    for (const text of headless) expect(advices(text), text).to.have.length(1);
    const fine = ['/** The size\n * Of all. */', '// The one\n// Of them.', '/* It waits. */'];
    for (const text of fine) expect(advices(text), text).to.deep.equal([]);
  });

  it('titles of tests have a subject', () => {
    expect(titleViolations(projectFiles())).to.deep.equal([]);
  });

  it('notices unnamed persons in a title, and not in its code or beside it', () => {
    const person = 'nobody';
    const text = [
      `describe('what ${person} reads', () => {`,
      `  it('lets ${person} in', check);`,
      `  it(\`lets $\{whom ?? '${person}'} in\`, check);`,
      `  expect('${person}').to.equal(text);`,
    ].join('\n');
    const found = titleViolations([{ path: 'test/s3/x.test.ts', text }]);
    expect(found.map((line) => line.split(' ')[0])).to.deep.equal([
      'test/s3/x.test.ts:1',
      'test/s3/x.test.ts:2',
    ]);
  });
});
