import { expect } from 'chai';
import { readXml } from '../../support/s3-client.js';
import { loadTool } from './tools.js';

describe('the answers of the HTTP library', () => {
  let tool: Awaited<ReturnType<typeof loadTool<'lib/http-library.mjs'>>>;

  before(async () => {
    tool = await loadTool('lib/http-library.mjs');
  });

  it('are errors of S3 that fit into the places of its own', () => {
    for (const { theirs, ours } of tool.ANSWERS) {
      expect(ours.length).to.be.at.most(theirs.length);
      const [head = '', document = ''] = ours.split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 \r\nConnection: close\r\nContent-Type: ?\w+\/xml$/);
      const { Error: error } = readXml(document) as { Error: Record<string, string> };
      expect(error.Code).to.be.oneOf(['BadRequest', 'RequestHeaderSectionTooLarge']);
    }
  });

  it('change nothing else of the binary', () => {
    const parts = tool.ANSWERS.map(({ theirs }, index) => `\0code ${index}\0${theirs}`);
    const binary = Buffer.from(`ELF${parts.join('')}\0the end`, 'latin1');
    const changed = tool.withAnswers(binary)!;
    expect(changed).to.have.length(binary.length);
    let text = changed.toString('latin1');
    for (const { theirs, ours } of tool.ANSWERS) {
      expect(text).to.contain(ours);
      text = text.replace(ours.padEnd(theirs.length), theirs);
    }
    expect(text).to.equal(binary.toString('latin1'));
  });

  it('are left alone in a binary that does not have each of them once', () => {
    const texts = tool.ANSWERS.map(({ theirs }) => theirs);
    for (const others of [[], texts.slice(1), [...texts, texts[0]!]]) {
      expect(tool.withAnswers(Buffer.from(others.join('\0'), 'latin1'))).to.equal(null);
    }
  });
});
