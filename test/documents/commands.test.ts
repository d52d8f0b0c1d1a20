import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ELSEWHERE, elsewhereOf } from './elsewhere.js';
import { commandsOf, fencesOf, PAGES, proseOf, type Fence } from './fences.js';
import { problemsOf } from './ours.js';
import { isWalked, WALKS } from './walks.js';

const FENCES = PAGES.flatMap((page) => fencesOf(page));

/** What is wrong with a command between fences. */
function problemsIn({ page, heading }: Fence, command: string): readonly string[] {
  if (elsewhereOf(page, command) !== undefined) return [];
  const problems = command.split(/ (?:&&|\|\||\||;) /).map((part) => problemsOf(part, true));
  const known = problems.filter((found) => found !== undefined);
  if (known.length > 0 || isWalked(page, heading)) return known.flat();
  return ['nothing runs it: test/documents/walks.ts or elsewhere.ts has to name it'];
}

/** Commands of ours in running text: what is quoted as one, unless a shell is to fill it in. */
function quotedIn(page: string): string[] {
  const quoted = proseOf(page).matchAll(/`(?<command>(?:\w+=\S+ )*(?:ringway|npm|node) [^`$]*)`/g);
  return [...quoted].map(({ groups }) => groups?.command ?? '');
}

describe('documentation: commands', () => {
  it('are run, or known to their parser, or tried elsewhere, or have a reason why not', () => {
    const wrong = FENCES.flatMap((fence) =>
      commandsOf(fence).flatMap((command) =>
        problemsIn(fence, command).map((problem) => `${fence.page}: ${command}: ${problem}`),
      ),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('in running text have names and flags that exist', () => {
    const wrong = PAGES.flatMap((page) =>
      quotedIn(page).flatMap((line) =>
        (problemsOf(line, false) ?? []).map((problem) => `${page}: ${line}: ${problem}`),
      ),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('stand in fences that say so', () => {
    const unnamed = FENCES.filter(({ language }) => language === '');
    expect(unnamed.map(({ page, text }) => `${page}: ${text.split('\n')[0]}`)).to.deep.equal([]);
  });

  it('that are tried elsewhere are there, and so is what tries them', () => {
    const wrong = ELSEWHERE.flatMap(({ page, begin, tried, why }) => {
      const commands = FENCES.filter((fence) => fence.page === page).flatMap(commandsOf);
      const unused = begin.filter((text) => !commands.some((command) => command.startsWith(text)));
      const [file, text] = tried ?? [];
      const isTried = file !== undefined && readFileSync(file, 'utf8').includes(text ?? '');
      return [
        ...unused.map((text) => `${page} has no ${text}`),
        ...(isTried || why !== undefined ? [] : [`${file} has no ${text}`]),
      ];
    });
    expect(wrong).to.deep.equal([]);
  });

  it('are in each section that is walked', () => {
    const empty = WALKS.flatMap(({ page, headings }) =>
      headings
        .filter((heading) => {
          const fences = FENCES.filter((fence) => fence.page === page && fence.heading === heading);
          return fences.flatMap(commandsOf).length === 0;
        })
        .map((heading) => `${page}: ${heading}`),
    );
    expect(empty).to.deep.equal([]);
  });

  it('would be seen with a mistake', () => {
    for (const line of [
      'ringway strat',
      'ringway repair --once',
      'npm run packages',
      'npm start -- --ports 1',
      'npm run bench -- --fast',
      'npm run bench -- scale --only key',
      'npm test -- --gerp x',
      'npm test -- test/nowhere',
      'npm run swift:up -- --node 3',
      'node ops/dev/bare.mjs debian13 --nodes 24',
      'node ops/nowhere.mjs',
    ]) {
      expect(problemsOf(line, false), line).to.have.length.above(0);
    }
    expect(problemsOf('ringway janitor', true)).to.have.length(1);
    const [fence] = fencesOf(
      'README.md',
      '## Here\n\n```sh\naws s3 ls | \\\n  wc   # count\n```\n',
    );
    expect(fence && commandsOf(fence)).to.deep.equal(['aws s3 ls | wc']);
    expect(fence && problemsIn(fence, 'aws s3 ls | wc')).to.have.length(1);
  });
});
