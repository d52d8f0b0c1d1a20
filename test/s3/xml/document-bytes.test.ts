import { expect } from 'chai';
import * as fc from 'fast-check';
import { DocumentBytes } from '../../../src/s3/xml/document-bytes.js';
import { element, xmlDocument } from '../../../src/s3/xml/escape.js';

function rendered(pieces: readonly string[], sizeHint = 16): string {
  const document = new DocumentBytes(sizeHint);
  for (const piece of pieces) document.add(piece);
  return document.take().toString();
}

describe('DocumentBytes', () => {
  it('makes the document that the strings would be, whatever the text and however long', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 5000 }),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
        const pieces = texts.map((piece) => element('k', piece));
        expect(rendered(pieces)).to.equal(xmlDocument(pieces.join('')));
      }),
    );
  });

  it('declares itself XML 1.1 for a character that 1.0 has not, in whatever block it is', () => {
    const plain = element('k', 'x'.repeat(3000));
    const control = element('k', '\u0001');
    for (const pieces of [
      [control, plain, plain],
      [plain, control, plain],
      [plain, plain, control],
    ]) {
      expect(rendered(pieces))
        .to.equal(xmlDocument(pieces.join('')))
        .and.contain('1.1');
    }
    expect(rendered([element('k', '&#x1;')])).to.contain('1.0');
  });

  it('has its head in front of the rest, whatever room there is for it', () => {
    const heads = ['', '<a>', element('k', 'ä\u0001'), `<a b="${'x'.repeat(9000)}">`];
    for (const head of heads) {
      for (const headRoom of [0, 1, 4096, 10_000]) {
        for (const pieces of [[], ['x'], Array<string>(50).fill(element('k', 'ö'.repeat(1000)))]) {
          const document = new DocumentBytes(16, headRoom);
          for (const piece of pieces) document.add(piece);
          expect(document.take(head).toString()).to.equal(xmlDocument(head + pieces.join('')));
        }
      }
    }
  });

  it('grows beyond the size that it was made for', () => {
    const piece = element('k', 'ä'.repeat(2000));
    for (const sizeHint of [0, 100_000]) {
      expect(rendered(Array<string>(30).fill(piece), sizeHint)).to.equal(
        xmlDocument(piece.repeat(30)),
      );
    }
  });
});
