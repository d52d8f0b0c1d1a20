import { expect } from 'chai';
import { CONSOLE_KEYS, ruleOf } from '../../console/config/schema.js';
import { parseCredentials } from '../../src/config/credentials.js';
import { CONFIG_KEYS, parseKey } from '../../src/config/schema.js';
import { deployKeys } from '../../src/deploy/service/config.js';
import { fencesOf, PAGES } from './fences.js';

/** Which of our files an example is one of: the first that knows its keys; and what that says. */
function problemsOf(text: string): readonly string[] {
  const example = JSON.parse(text) as Record<string, unknown>;
  const keys = Object.keys(example);
  const isOf = (known: readonly string[]): boolean => keys.every((key) => known.includes(key));
  if (keys.join() === 'credentials') return credentialProblems(text);
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

function credentialProblems(text: string): readonly string[] {
  try {
    parseCredentials(text, 'example');
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

describe('documentation: examples of files', () => {
  it('are read without a mistake', () => {
    const examples = PAGES.flatMap((page) => fencesOf(page)).filter(
      ({ language }) => language === 'json',
    );
    expect(examples).to.have.length.above(10);
    const wrong = examples.flatMap(({ page, text }) =>
      problemsOf(text).map((problem) => `${page}: ${problem}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('would be seen with a mistake', () => {
    for (const text of ['{"regoin": "x"}', '{"listeners": "two"}', '{"lab_enabled": 1}']) {
      expect(problemsOf(text), text).to.have.length.above(0);
    }
  });
});
