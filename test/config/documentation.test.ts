import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { FLAG_OF_KEY } from '../../src/config/load.js';
import { formatAddress, type ListenAddress } from '../../src/config/options.js';
import { CONFIG_KEYS, keyRule, parseKey, type ConfigKey } from '../../src/config/schema.js';

const DOCUMENT = readFileSync('docs/configuration.md', 'utf8');

/** The row that a key should have. */
function rowOf(key: ConfigKey): string {
  const { doc, defaultText } = keyRule(key);
  // Nothing is a symbol: the answer is what would be right.
  const wrong = parseKey(key, Symbol());
  if (wrong.ok) throw new Error(`${key} takes anything`);
  const given = defaultText ?? `\`${JSON.stringify(toFileValue(defaultOf(key)))}\``;
  return `| \`${key}\` | ${given} | ${wrong.expected} | ${doc} |`;
}

function defaultOf(key: ConfigKey): unknown {
  const result = parseKey(key, undefined);
  if (!result.ok) throw new Error(`${key} has no default`);
  return result.value;
}

function toFileValue(value: unknown): unknown {
  const isAddress = typeof value === 'object' && value !== null && 'port' in value;
  return isAddress ? formatAddress(value as ListenAddress) : value;
}

describe('config: documentation', () => {
  it('has every key with its default, expectation and meaning, and no other', () => {
    const keys = DOCUMENT.slice(DOCUMENT.indexOf('## Keys'), DOCUMENT.indexOf('## Credentials'));
    const rows = keys.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).to.deep.equal(CONFIG_KEYS.map(rowOf));
  });

  it('has every flag', () => {
    const flags = DOCUMENT.slice(DOCUMENT.indexOf('## Flags'), DOCUMENT.indexOf('## Keys'));
    const rows = [...flags.matchAll(/^\| `(--\w+) [^|]*\| `(\w+)` \|$/gm)];
    const found = new Map(rows.map(([, flag, key]) => [key, flag]));
    expect(found).to.deep.equal(new Map(Object.entries(FLAG_OF_KEY)));
  });
});
