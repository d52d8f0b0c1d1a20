import { expect } from 'chai';
import { loadTool } from '../ops/dev/tools.js';
import { shownTexts, textViolations, type ShownText } from './texts.js';

describe('tidy: texts of the console', () => {
  it('follow the rules of wording', () => {
    const texts = shownTexts();
    expect(texts.length).to.be.above(1000);
    expect(textViolations(texts)).to.deep.equal([]);
  });

  it('notices each rule that is broken', () => {
    const broken: readonly (readonly [ShownText['kind'], string])[] = [
      ['button', 'show companions'],
      ['button', 'Create Container'],
      ['button', 'Delete.'],
      ['heading', ' Alerts'],
      ['text', 'Loading...'],
      ['text', 'Two  blanks'],
      ['text', 'An "object"'],
      ['text', 'One , two'],
      ['text', 'Another run is under way.'],
    ];
    for (const [kind, text] of broken) {
      expect(textViolations([{ kind, text, places: ['x.js:1'] }]), text).to.not.be.empty;
    }
    const fine = { kind: 'button', text: 'Download ZIP', places: [] } as const;
    expect(textViolations([fine])).to.deep.equal([]);
  });

  it('are collected from what is shown, and from nothing else', async () => {
    const { textsIn } = await loadTool('lib/texts.mjs');
    const page = [
      "import { el } from './dom.js';",
      "const KIND = 'folder';",
      "el('button', { className: 'primary', textContent: 'Create', type: 'submit' });",
      "el('p', {}, isOne ? 'one' : `${count} of ${all.length}`);",
      "node.setAttribute('aria-label', 'Select all');",
      "node.setAttribute('role', 'row');",
      "await ask('New folder', [], 'Make it');",
      "await call('GET', '/api/files');",
      "if (kind === 'Some words') throw new Error('It failed.');",
    ].join('\n');
    expect(textsIn('ui/x.ts', page)).to.deep.equal([
      { text: 'Create', kind: 'button', line: 3 },
      { text: 'one', kind: 'text', line: 4 },
      { text: '{count} of {length}', kind: 'text', line: 4 },
      { text: 'Select all', kind: 'text', line: 5 },
      { text: 'New folder', kind: 'heading', line: 7 },
      { text: 'Make it', kind: 'button', line: 7 },
      { text: 'It failed.', kind: 'text', line: 9 },
    ]);
    const html = '<p>\n  <button aria-label="Close it">Close</button>\n  <!-- no text -->\n</p>';
    expect(textsIn('ui/x.html', html)).to.deep.equal([
      { text: 'Close', kind: 'button', line: 2 },
      { text: 'Close it', kind: 'text', line: 2 },
    ]);
    const server = "logger.warn('It is Late'); throw new ApiError('exists', 'It exists.');";
    expect(textsIn('server/x.ts', server)).to.deep.equal([
      { text: 'It exists.', kind: 'text', line: 1 },
    ]);
  });
});
