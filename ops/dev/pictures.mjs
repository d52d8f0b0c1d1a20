#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/**
 * Makes the pictures of the documentation out of the screenshots that the browser tests took:
 * `node ops/dev/pictures.mjs [name …]`, after `RINGWAY_PICTURES=1 npm test -- test/browser`. A picture
 * is named as the screenshot that it is made of, without its size and theme; without names, all that
 * are listed here and have a screenshot are made. Each is smaller than {@link BYTES_MAX}.
 */

const ROOT = join(import.meta.dirname, '..', '..');
const SHOTS = join(ROOT, 'artifacts', 'console');
const PICTURES = join(ROOT, 'docs', 'pictures');
const WIDTH_PX = 960;
const BYTES_MAX = 100_000;
const QUALITIES = [85, 70, 50, 30];

/** The pages in pictures of the documentation: `docs/pictures/<name>.webp`. */
const NAMES = [
  ...['lab-rings', 'lab-rings-lookup', 'lab-rings-map', 'lab-rings-whatif', 'lab-policies'],
  ...['lab-capsule', 'lab-tombstones', 'lab-genome', 'lab-node', 'lab-chaos-score', 'lab-debt'],
  ...['lab-profilemap', 'lab-expired', 'lab-shadow', 'benchmarks'],
  ...['deploy-spec', 'deploy-plan', 'deploy-run', 'deploy-status', 'deploy-history'],
];

const given = process.argv.slice(2);
const wanted = given.length > 0 ? given : NAMES;
await mkdir(PICTURES, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage();
  for (const name of wanted) {
    const shot = join(SHOTS, `${name}-desk-light.png`);
    if (!existsSync(shot)) {
      console.log(`${name}: no screenshot`);
      if (given.length > 0) process.exitCode = 1;
      continue;
    }
    const bytes = await shrink(page, await readFile(shot));
    await writeFile(join(PICTURES, `${name}.webp`), bytes);
    console.log(`${name}: ${bytes.length} bytes`);
  }
} finally {
  await browser.close();
}

/**
 * @param {import('playwright-core').Page} page that draws it
 * @param {Buffer} png
 * @returns {Promise<Buffer>} WebP, of the best quality that is small enough
 */
async function shrink(page, png) {
  const source = `data:image/png;base64,${png.toString('base64')}`;
  // A PNG says its size in its first chunk.
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  await page.setViewportSize({ width: WIDTH_PX, height: Math.round((height * WIDTH_PX) / width) });
  const style = 'position: absolute; inset: 0; width: 100vw';
  await page.setContent(`<img src="${source}" style="${style}">`);
  const client = await page.context().newCDPSession(page);
  for (const quality of QUALITIES) {
    const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length < BYTES_MAX) return bytes;
  }
  throw new Error('the picture does not become small enough');
}
