import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { directoryFailure, prepareDataDirectory } from '../../supervisor/data-directory.js';
import { Failure } from '../../supervisor/exit-codes.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

describe('supervisor: data directory', () => {
  it('is created for its owner alone, and left empty', async () => {
    const folder = await makeTempFolder('data');
    const dataDir = join(folder, 'a', 'b');
    prepareDataDirectory(dataDir);
    prepareDataDirectory(dataDir);
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o700);
    expect(await readdir(dataDir)).to.deep.equal([]);
    await removeFolder(folder);
  });

  for (const [code, reason] of [
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EACCES', 'dataDirectory'],
    ['EROFS', 'dataDirectory'],
  ] as const) {
    it(`${code} is the exit reason ${reason}`, () => {
      const failure = directoryFailure('d', Object.assign(new Error(`${code}: why`), { code }));
      expect(failure).to.be.instanceOf(Failure).and.to.include({ reason });
      expect(failure.message).to.include(`data directory d`).and.to.include('why');
    });
  }
});
