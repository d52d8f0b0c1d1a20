/**
 * `npm run -s texts`: all texts that the console shows, one a line: what shows it, the text, and
 * where it stands. `npm run -s texts -- WORD` prints those that contain a word.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { TEXTS_FILE, writeTexts } from './lib/texts-file.mjs';

await writeTexts();
const wanted = process.argv.slice(2).join(' ').toLowerCase();
/** @type {import('./lib/texts-file.mjs').Text[]} */
const texts = JSON.parse(readFileSync(TEXTS_FILE, 'utf8'));
for (const { text, kind, places } of texts) {
  if (!text.toLowerCase().includes(wanted)) continue;
  console.log(`${kind}\t${text.replaceAll('\n', '\\n')}\t${places.join(' ')}`);
}
