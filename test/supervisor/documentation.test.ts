import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { EXIT_CODES } from '../../supervisor/exit-codes.js';

describe('supervisor: documentation', () => {
  it('has every exit code with its meaning, and no other', () => {
    const document = readFileSync('docs/operations.md', 'utf8');
    const rows = document.split('\n').filter((line) => /^\| \d+ \|/.test(line));
    const expected = Object.values(EXIT_CODES).map(
      ({ code, meaning }) => `| ${code} | ${meaning} |`,
    );
    expect(rows).to.deep.equal(expected);
  });

  it('has no exit code for two reasons', () => {
    const codes = Object.values(EXIT_CODES).map(({ code }) => code);
    expect(new Set(codes).size).to.equal(codes.length);
  });
});
