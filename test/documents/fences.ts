import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Code between fences in the documentation, and the commands in it. */

export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

export interface Fence {
  readonly page: string;
  /** The last heading before it, of whatever level. */
  readonly heading: string;
  /** `sh` has commands alone; `console` has commands behind a prompt, and what they print. */
  readonly language: string;
  readonly text: string;
}

const PART = /^(?:#{1,6} +(?<heading>.+?)|( *)```(?<language>\w*)\n(?<text>[\s\S]*?)^\2```) *$/gm;

export function fencesOf(page: string, source = readFileSync(page, 'utf8')): Fence[] {
  let heading = '';
  const fences: Fence[] = [];
  for (const { groups = {} } of source.matchAll(PART)) {
    const { language, text = '' } = groups;
    if (language === undefined) heading = groups.heading ?? '';
    else fences.push({ page, heading, language, text });
  }
  return fences;
}

/** The shell's text of a fence: lines behind a prompt, without it, where there are prompts. */
export function scriptOf({ language, text }: Fence): string {
  if (language === 'sh') return text;
  if (language !== 'console') return '';
  const lines = text.split('\n').filter((line) => /^[$#] /.test(line));
  return lines.map((line) => `${line.slice(2)}\n`).join('');
}

/** Command lines of a fence, each on one line, without comments. */
export function commandsOf(fence: Fence): string[] {
  return scriptOf(fence)
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#\s.*$/, '').trim())
    .filter((line) => line !== '');
}

/** Text of a page outside of its fences. */
export function proseOf(page: string): string {
  return readFileSync(page, 'utf8').replace(/^( *)```[\s\S]*?^\1```/gm, '');
}
