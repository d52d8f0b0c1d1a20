import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FLAGS } from '../../bench/options/flags.js';
import { readFlags } from '../../bench/options/read-flags.js';
import { CONSOLE_KEYS, ruleOf } from '../../console/config/schema.js';
import { parseCredentials } from '../../src/config/credentials.js';
import { CONFIG_KEYS, parseKey } from '../../src/config/schema.js';
import { deployKeys } from '../../src/deploy/service/config.js';
import { parseCommandLine, UsageError } from '../../supervisor/cli.js';

const PAGES = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

interface Fence {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

function fencesOf(page: string): Fence[] {
  const found = readFileSync(page, 'utf8').matchAll(
    /^( *)```(?<language>\w*)\n(?<text>[\s\S]*?)^\1```/gm,
  );
  return [...found].map(({ groups }) => ({
    page,
    language: groups?.language ?? '',
    text: groups?.text ?? '',
  }));
}

/** Command lines of a fence, without prompts, comments and what is assigned before them. */
function linesOf(text: string): string[] {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[$#] )?(?:\w+=\S* )*/, '').replace(/\s+#.*$/, ''))
    .flatMap((line) => line.split(/ (?:&&|\|\||\||;) /));
}

/** Commands in running text: what is quoted as one, unless a shell is to fill it in. */
function quotedIn(page: string): string[] {
  const prose = readFileSync(page, 'utf8').replace(/^( *)```[\s\S]*?^\1```/gm, '');
  return [...prose.matchAll(/`(?<command>(?:ringway|npm) [^`$]*)`/g)].map(
    ({ groups }) => groups?.command ?? '',
  );
}

/** The problems of a command of ours; others are not looked at. */
function problemsOf(line: string, isWhole: boolean): readonly string[] {
  const words = line.split(/\s+/).filter((word) => word !== '' && word !== '…');
  const [program, first, second = '', ...rest] = words;
  if (program === 'ringway') return usage(words.slice(1), isWhole);
  if (program === 'node' && first === 'dist/supervisor/main.js') {
    return usage(words.slice(2), isWhole);
  }
  if (program !== 'npm' || first === undefined) return [];
  const script = first === 'run' ? (second === '-s' ? (rest[0] ?? '') : second) : first;
  if (script === 'start') return usage(['start', ...behindDashes(words)], isWhole);
  if (first === 'run' && !Object.hasOwn(scripts, script)) return [`there is no script ${script}`];
  if (script !== 'bench' || behindDashes(words)[0] === 'scale') return [];
  return readFlags(behindDashes(words), FLAGS).problems;
}

function behindDashes(words: readonly string[]): string[] {
  const at = words.indexOf('--');
  return at === -1 ? [] : words.slice(at + 1);
}

/** With `--help`, a part of a command is looked at alone: its name, and whether it knows its flags. */
function usage(args: readonly string[], isWhole: boolean): readonly string[] {
  return thrown(() => parseCommandLine(isWhole ? args : [...args, '--help']));
}

function thrown(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    return error instanceof UsageError ? error.problems : [(error as Error).message];
  }
}

/** Which of our files an example is one of: the first that knows its keys; and what that says. */
function exampleProblems(text: string): readonly string[] {
  const example = JSON.parse(text) as Record<string, unknown>;
  const keys = Object.keys(example);
  const isOf = (known: readonly string[]): boolean => keys.every((key) => known.includes(key));
  if (keys.join() === 'credentials') return thrown(() => parseCredentials(text, 'example'));
  if (isOf(CONFIG_KEYS)) {
    return CONFIG_KEYS.filter((key) => key in example).flatMap((key) => {
      const result = parseKey(key, example[key]);
      return result.ok ? [] : [`${key}: expected ${result.expected}`];
    });
  }
  if (isOf(CONSOLE_KEYS)) {
    return CONSOLE_KEYS.filter((key) => key in example).flatMap((key) =>
      ruleOf(key).schema.safeParse(example[key]).success ? [] : [`${key}: another value`],
    );
  }
  return isOf(deployKeys().map(({ key }) => key)) ? [] : [`no file has the keys ${keys.join()}`];
}

describe('documentation: commands and examples', () => {
  it('has commands, scripts and flags that exist', () => {
    const wrong = PAGES.flatMap((page) => [
      ...fencesOf(page)
        .filter(({ language }) => language !== 'json')
        .flatMap(({ text }) => linesOf(text))
        .flatMap((line) => problemsOf(line, true).map((problem) => `${page}: ${line}: ${problem}`)),
      ...quotedIn(page).flatMap((line) =>
        problemsOf(line, false).map((problem) => `${page}: ${line}: ${problem}`),
      ),
    ]);
    expect(wrong).to.deep.equal([]);
  });

  it('has examples of files that are read without a mistake', () => {
    const examples = PAGES.flatMap(fencesOf).filter(({ language }) => language === 'json');
    expect(examples).to.have.length.above(10);
    const wrong = examples.flatMap(({ page, text }) =>
      exampleProblems(text).map((problem) => `${page}: ${problem}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('would see a mistake', () => {
    for (const line of [
      'ringway strat',
      'ringway repair --once',
      'npm run packages',
      'npm start -- --ports 1',
      'npm run bench -- --fast',
    ]) {
      expect(problemsOf(line, false), line).to.have.length.above(0);
    }
    expect(problemsOf('ringway janitor', true)).to.have.length(1);
    for (const text of ['{"regoin": "x"}', '{"listeners": "two"}', '{"lab_enabled": 1}']) {
      expect(exampleProblems(text), text).to.have.length.above(0);
    }
  });
});
