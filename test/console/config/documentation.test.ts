import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CONSOLE_KEYS, ruleOf, type ConsoleKey } from '../../../console/config/schema.js';
import { formatAddress, type ListenAddress } from '../../../src/config/options.js';

/** The row that a key should have. */
function rowOf(key: ConsoleKey): string {
  const { schema, doc, defaultText } = ruleOf(key);
  // Nothing is a symbol: the answer is what would be right.
  const wrong = schema.safeParse(Symbol());
  const expected = wrong.error?.issues[0]?.message ?? 'anything';
  const given = defaultText ?? `\`${JSON.stringify(toFileValue(schema.parse(undefined)))}\``;
  return `| \`${key}\` | ${given} | ${expected} | ${doc} |`;
}

function toFileValue(value: unknown): unknown {
  const isAddress = typeof value === 'object' && value !== null && 'port' in value;
  return isAddress ? formatAddress(value as ListenAddress) : value;
}

describe('console config: documentation', () => {
  it('has every key with its default, expectation and meaning, and no other', () => {
    const document = readFileSync('docs/console-configuration.md', 'utf8');
    const rows = document.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).to.deep.equal(CONSOLE_KEYS.map(rowOf));
  });
});
