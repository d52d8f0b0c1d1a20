import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { indexViolations, linkViolations, mentionViolations } from './documents.js';
import { projectFiles } from './project.js';

describe('tidy: documents', () => {
  it('every link inside the project leads somewhere', () => {
    expect(linkViolations(projectFiles(), existsSync)).to.deep.equal([]);
  });

  it('every page that code names is there', () => {
    expect(mentionViolations(projectFiles(), existsSync)).to.deep.equal([]);
  });

  it('every page is in the index', () => {
    expect(indexViolations(projectFiles())).to.deep.equal([]);
  });

  it('notices links to missing files and headings, and no others', () => {
    const text = [
      '# Some `code` and, punctuation',
      '[here](#some-code-and-punctuation) [gone](#gone)',
      '[file](b.md) [file](missing.md) [heading](b.md#there) [heading](b.md#not-there)',
      '[elsewhere](https://example.org/x) `[code](missing.md)`',
    ].join('\n');
    const files = [
      { path: 'docs/a.md', text },
      { path: 'docs/b.md', text: '## There' },
    ];
    const exists = (path: string) => files.some((file) => file.path === path);
    expect(linkViolations(files, exists)).to.deep.equal([
      'docs/a.md links to #gone, which is not there',
      'docs/a.md links to missing.md, which is not there',
      'docs/a.md links to b.md#not-there, which is not there',
    ]);
  });

  it('notices a page that code names and that is not there', () => {
    const text = '/** See docs/a.md, (docs/c/b.md) and other/docs/c.md. */';
    const files = [
      { path: 'src/x.ts', text },
      { path: 'docs/a.md', text },
    ];
    expect(mentionViolations(files, (path) => path === 'docs/a.md')).to.deep.equal([
      'src/x.ts names docs/c/b.md, which is not there',
    ]);
  });

  it('notices a page that the index leaves out', () => {
    const files = [
      { path: 'docs/README.md', text: '[a](a.md)' },
      { path: 'docs/a.md', text: '' },
      { path: 'docs/b.md', text: '' },
    ];
    expect(indexViolations(files)).to.deep.equal(['docs/b.md is not in the index, docs/README.md']);
  });
});
