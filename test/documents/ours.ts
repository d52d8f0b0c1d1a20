import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FLAGS } from '../../bench/options/flags.js';
import { readFlags } from '../../bench/options/read-flags.js';
import { parseScaleOptions } from '../../bench/scale/options.js';
import { parseCommandLine } from '../../supervisor/cli.js';
import { loadLabTool } from '../ops/swift-lab/tools.js';
import { projectFiles } from '../tidy/project.js';

/** What is wrong with a command line of the project's own, by the parser that will read it. */

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};
const lab = await loadLabTool('options.mjs');
const paths = projectFiles().map(({ path }) => path);

type Parser = (args: readonly string[], isWhole: boolean) => readonly string[];

const PARSERS: Readonly<Record<string, Parser>> = {
  'dist/supervisor/main.js': (args, isWhole) =>
    // With `--help`, a part of a command is looked at alone: its name, and whether it knows its flags.
    thrown(() => parseCommandLine(isWhole ? args : [...args, '--help'])),
  'dist/bench/main.js': ([first = '', ...rest]) =>
    first === 'scale'
      ? thrown(() => parseScaleOptions(rest, 1))
      : readFlags(
          [first, ...rest].filter((arg) => arg !== ''),
          FLAGS,
        ).problems,
  'ops/swift-lab/main.mjs': (args, isWhole) =>
    thrown(() => {
      const { command } = lab.parseOptions(args);
      const isKnown = new RegExp(`(?:^|\\|)${command}\\b`, 'm').test(lab.USAGE);
      if (isWhole && !isKnown) throw new Error(`got ${command}, which the lab does not know`);
    }),
};

/** @returns undefined where the command is none of ours */
export function problemsOf(line: string, isWhole: boolean): readonly string[] | undefined {
  const words = line
    .replace(/^(?:\w+=\S* )+/, '')
    .split(/\s+/)
    .map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    .filter((word) => word !== '' && word !== '…');
  const [program = '', first, ...rest] = words;
  if (program === '.ci/run') return existsSync(program) ? [] : ['it is not there'];
  if (program === 'ringway') return ofProgram('dist/supervisor/main.js', words.slice(1), isWhole);
  if (program === 'node' && first !== undefined) return ofProgram(first, rest, isWhole);
  if (program !== 'npm' || first === undefined) return undefined;
  if (!['run', 'start', 'test'].includes(first)) return undefined;
  const [script = ''] = first === 'run' ? rest.filter((word) => word !== '-s') : [first];
  if (!Object.hasOwn(scripts, script)) return [`there is no script ${script}`];
  const own = /^(?:exec )?node (?<words>\S+.*)$/.exec(scripts[script] ?? '')?.groups?.words;
  if (own === undefined) return [];
  const [file = '', ...ownArgs] = own.split(' ');
  const dashes = words.indexOf('--');
  const given = dashes === -1 ? [] : words.slice(dashes + 1);
  return ofProgram(file, [...ownArgs, ...given], isWhole);
}

function ofProgram(file: string, args: readonly string[], isWhole: boolean): readonly string[] {
  const source = file.replace(/^dist\/(.*)\.js$/, '$1.ts');
  if (!existsSync(source)) return [`there is no ${file}`];
  const parser = PARSERS[file];
  return parser === undefined ? unknownIn(textWithImports(source), args) : parser(args, isWhole);
}

/** Flags that a program has no option for, and paths of tests that lead to none. */
function unknownIn(text: string, args: readonly string[]): string[] {
  return args.filter((arg) => {
    if (arg.startsWith('--')) {
      const name = arg.slice(2);
      return !new RegExp(`['\\s]${name}'?: \\{|'--${name}'`).test(text);
    }
    if (arg.startsWith('-')) return !text.includes(`short: '${arg.slice(1)}'`);
    return arg.startsWith('test/') && !paths.some((path) => path.startsWith(arg));
  });
}

/** With the files beside it that it imports. */
function textWithImports(file: string): string {
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/ from '(?<path>\.\/[^']+\.mjs)'/g)];
  return [
    text,
    ...imported.map(({ groups }) => readFileSync(join(dirname(file), groups?.path ?? ''), 'utf8')),
  ].join('\n');
}

function thrown(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
