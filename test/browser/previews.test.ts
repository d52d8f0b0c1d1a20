import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { upload } from '../console/files/support.js';
import { startTestBed } from '../console/support/console.js';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { inspect } from './acts.js';

const CONTAINER = 'previews';

/** A tenth of a second of silence. */
function wav(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF\x24\x03\0\0WAVEfmt ', 0, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(800, 40);
  return Buffer.concat([head, Buffer.alloc(800, 0x80)]);
}

/** A frame of 32 by 32 pixels, in VP8. */
const WEBM = [
  'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZxAAAIcVSalmmirXsYMPQkBEiYhAWQAAAAAA',
  'AE2AgXhXQYF4FlSua5uumdeBAXPFgQGDgQGGhVZfVlA44IawgSC6gSAfQ7Z1w+eBAKO+gQAAgDADAJ0BKiAAIAA+',
  '0WKqT6glo6IoCAEAGgllAMkCgABAUFAA/uns//cHLlxBRl/62vbeGKNlhacAAAA=',
].join('');

/** A page with a word on it. */
function pdf(): string {
  const draws = 'BT /F1 48 Tf 20 80 Td (A page of PDF) Tj ET';
  return [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 360 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj',
    `4 0 obj<</Length ${draws.length}>>stream\n${draws}\nendstream endobj`,
    '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
    'trailer<</Root 1 0 R>>',
    '%%EOF',
  ].join('\n');
}

const SCRIPT = '<img src=x onerror="window.evil=1"><script>window.evil=1</script>';
const FILES: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  'sound.wav': ['audio/wav', wav()],
  'film.webm': ['video/webm', Buffer.from(WEBM, 'base64')],
  'page.pdf': ['application/pdf', pdf()],
  'table.csv': ['application/octet-stream', `name,size\n"${SCRIPT.replaceAll('"', '""')}",12\n`],
  'data.json': ['application/json', '{"big":12345678901234567890,"list":[1,2]}'],
  'read-me.md': [
    'text/markdown',
    `# Title\n\nSome **bold** text, [a link](https://example.com/x) and [another](javascript:evil).\n\n${SCRIPT}\n\n- one\n- two\n\n| Key | Value |\n|---|--:|\n| size | 12 |\n\n![no](https://example.com/track.png)`,
  ],
};

describeWith([program('chromium')], 'previews in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(startTestBed, 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');
  let page: Page;

  before(async () => {
    const client = await bed().login();
    await client.send('PUT', '/api/files/container', { body: { name: CONTAINER } });
    for (const [name, [type, body]] of Object.entries(FILES)) {
      await upload(client, CONTAINER, name, body, { type });
    }
    page = watched().page;
    await page.goto(`http://127.0.0.1:${bed().console.port}/buckets#${CONTAINER}/`);
  });

  afterEach(async () => {
    expect(watched().complaints).to.deep.equal([]);
    expect(await page.evaluate('window.evil')).to.equal(undefined);
  });

  const open = async (name: string) => {
    await page.locator('#rows').getByRole('button', { name, exact: true }).click();
    await page.locator('#drawer-title').getByText(name).waitFor();
    return page.locator('#drawer .preview');
  };

  it('play sound, part by part', async () => {
    const shown = await open('sound.wav');
    const seconds = () => page.evaluate<number>(`document.querySelector('audio').duration`);
    await shown.locator('audio').waitFor();
    await page.waitForFunction(`document.querySelector('audio').readyState >= 1`);
    expect(await seconds()).to.equal(0.1);
    await expectAccessible(page);
  });

  it('show films as large as they are', async () => {
    const shown = await open('film.webm');
    await shown.locator('video').waitFor();
    await page.waitForFunction(`document.querySelector('video').readyState >= 2`);
    const [width = 0, height = 0] = await page.evaluate<number[]>(
      `(({ offsetWidth, offsetHeight }) => [offsetWidth, offsetHeight])(document.querySelector('video'))`,
    );
    expect(width / height).to.be.closeTo(1, 0.05);
    await expectAccessible(page);
  });

  it('never show PDF, of which viewers run the scripts', async () => {
    const shown = await open('page.pdf');
    await shown.getByText('A PDF can run scripts, so it is not shown here.').waitFor();
    expect(await shown.locator('iframe, embed, object').count()).to.equal(0);
    await watched().shoot('preview-pdf');
  });

  it('show CSV as a table, and what is in it as text', async () => {
    const shown = await open('table.csv');
    await shown.getByRole('cell', { name: SCRIPT }).waitFor();
    await inspect(watched(), 'preview-csv', ALL_SIZES);
    await shown.getByRole('button', { name: 'Show as text' }).click();
    await shown.getByText('name,size').waitFor();
  });

  it('indent JSON, and round none of its numbers', async () => {
    const shown = await open('data.json');
    await shown.getByText('"big": 12345678901234567890,').waitFor();
    await expectAccessible(page);
  });

  it('show Markdown without its pictures, scripts and risky links', async () => {
    const shown = await open('read-me.md');
    await shown.getByRole('heading', { name: 'Title' }).waitFor();
    await shown.getByText('[picture: no]').waitFor();
    await shown.getByRole('row', { name: 'size 12' }).waitFor();
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('#drawer .preview a')].map(({ href }) => href)`,
    );
    expect(links).to.deep.equal(['https://example.com/x']);
    await inspect(watched(), 'preview-markdown', ALL_SIZES);
  });
});
