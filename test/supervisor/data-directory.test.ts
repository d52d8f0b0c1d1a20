import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { directoryFailure, prepareDataDirectory } from '../../supervisor/data-directory.js';
import { Failure } from '../../supervisor/exit-codes.js';
import { useTempFolder } from '../support/temp-folder.js';

describe('supervisor: data directory', () => {
  const folder = useTempFolder('data');

  it('is created for its owner alone, and left empty', async () => {
    const dataDir = join(folder(), 'a', 'b');
    prepareDataDirectory(dataDir);
    prepareDataDirectory(dataDir);
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o700);
    expect(await readdir(dataDir)).to.deep.equal([]);
  });

  it('may be behind a link, and is not created behind one that leads nowhere', async () => {
    await symlink(folder(), join(folder(), 'here'));
    prepareDataDirectory(join(folder(), 'here', 'data'));
    expect(await readdir(folder())).to.include('data');
    await symlink(join(folder(), 'nowhere'), join(folder(), 'lost'));
    for (const dataDir of [join(folder(), 'lost'), join(folder(), 'lost', 'data')]) {
      expect(() => void prepareDataDirectory(dataDir)).to.throw(
        Failure,
        `the data directory ${dataDir} cannot be used: `,
      );
    }
  });

  for (const dataDir of ['/proc/ringway', '/proc/ringway/deep/data']) {
    it(`is refused where nothing can be created: ${dataDir}`, () => {
      expect(() => void prepareDataDirectory(dataDir))
        .to.throw(
          Failure,
          `the data directory ${dataDir} cannot be used: nothing can be created in /proc`,
        )
        .with.property('reason', 'dataDirectory');
    });
  }

  it('is tried without writing through a link', async () => {
    const dataDir = join(folder(), 'data');
    await mkdir(dataDir);
    await writeFile(join(folder(), 'victim'), 'precious');
    await symlink(join(folder(), 'victim'), join(dataDir, '.ringway-probe'));
    prepareDataDirectory(dataDir);
    expect(await readFile(join(folder(), 'victim'), 'utf8')).to.equal('precious');
    expect(await readdir(dataDir)).to.deep.equal([]);
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
