import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ERROR_CODES, errorEntry } from '../../src/s3/errors.js';

/** Codes of SPEC.md 7.2 that no operation answers yet. One that comes into use leaves the list. */
const NAMED_BY_CONTRACT = ['NotS3Request'];

/** Statuses that SPEC.md 7.2 fixes. */
const CONTRACT_STATUS: Readonly<Record<string, number>> = {
  InvalidArgument: 400,
  InvalidStorageClass: 400,
  RequestTimeTooSkewed: 403,
  AccessDenied: 403,
  InvalidRequest: 400,
  ObjectLockConfigurationNotFoundError: 404,
  InvalidObjectState: 400,
  MethodNotAllowed: 405,
  NotImplemented: 501,
  NotS3Request: 412,
};

describe('s3 errors', () => {
  it('are the ones that docs/s3-errors.md lists, with their statuses', () => {
    const document = readFileSync('docs/s3-errors.md', 'utf8');
    const rows = [...document.matchAll(/^\| `(\w+)` \| (\d{3}) \| \S.*\|$/gm)];
    const documented = rows.map((row) => `${row[1] ?? ''} ${row[2] ?? ''}`);
    const table = ERROR_CODES.map((code) => `${code} ${errorEntry(code).status}`);
    expect(documented).to.deep.equal(table);
  });

  it('stand in alphabetical order', () => {
    expect(ERROR_CODES).to.deep.equal([...ERROR_CODES].sort());
  });

  it('have a status of an error and a message', () => {
    for (const code of ERROR_CODES) {
      const { status, message } = errorEntry(code);
      expect(status, code).to.be.within(400, 599);
      expect(message, code).to.match(/^[A-Z].{9,}/);
    }
  });

  it('have the statuses of the contract', () => {
    for (const [code, status] of Object.entries(CONTRACT_STATUS)) {
      expect(ERROR_CODES, code).to.include(code);
      expect(errorEntry(code as (typeof ERROR_CODES)[number]).status, code).to.equal(status);
    }
  });

  it('are all answered somewhere, but for those that the contract names ahead', () => {
    const source = sources('src')
      .filter((path) => path !== join('src', 's3', 'errors.ts'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const unused = ERROR_CODES.filter((code) => !source.includes(`'${code}'`));
    expect(unused).to.deep.equal(NAMED_BY_CONTRACT);
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}
