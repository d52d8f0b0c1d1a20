import { statfsSync } from 'node:fs';
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { copyPath } from '../../src/cold/directory/layout.js';
import { DirectoryColdBackend } from '../../src/cold/directory/directory-backend.js';
import { mountTmpfs } from '../backend/embedded/tmpfs.js';
import { patternBytes, reusedChunks } from '../contract/fixture.js';
import { makeTempFolder } from '../support/temp-folder.js';
import {
  ACCOUNT,
  bytesOf,
  coldContract,
  coldFailure,
  copyOf,
  idOf,
  listed,
} from './cold-contract.js';
import { skipBecause } from '../support/skip.js';

const folders: string[] = [];

async function freshFolder(): Promise<string> {
  const folder = await makeTempFolder('cold');
  folders.push(folder);
  return folder;
}

after(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

coldContract('directory', async () => new DirectoryColdBackend(await freshFolder()));

describe('cold directory', () => {
  let folder: string;
  let cold: DirectoryColdBackend;
  const size = 1_000_000;
  const bytes = patternBytes(size);
  const copy = copyOf(1, size);

  beforeEach(async () => {
    folder = await freshFolder();
    cold = new DirectoryColdBackend(folder);
    await cold.put(copy, bytes);
  });

  it('keeps a copy in one file, which says what it is', async () => {
    const path = join(folder, 'policy-1', `account-${ACCOUNT}`, '00', idOf(1));
    const file = await readFile(path);
    const [first, second = ''] = file.subarray(0, 1000).toString('latin1').split('\n');
    expect(first).to.match(/^ringway-cold 1 \d{10}$/);
    expect(JSON.parse(Buffer.from(second, 'latin1').toString())).to.deep.equal(copy);
    expect(file.subarray(-size).equals(bytes)).to.be.true;
    expect(await readdir(join(folder, 'policy-1', 'tmp'))).to.deep.equal([]);
  });

  for (const [what, damage] of [
    ['ends early', (path: string) => truncate(path, size)],
    ['ends within its header', (path: string) => truncate(path, 100)],
    ['is empty', (path: string) => truncate(path, 0)],
    ['goes on', (path: string) => writeFile(path, 'x', { flag: 'a' })],
    ['is something else', (path: string) => writeFile(path, 'x'.repeat(1000))],
    [
      'lies elsewhere',
      async (path: string) => {
        await cold.put(copyOf(2, size), bytes);
        await rename(copyPath(folder, copyOf(2, size)), path);
      },
    ],
  ] as const) {
    it(`finds a copy Corrupt that ${what}`, async () => {
      await damage(copyPath(folder, copy));
      expect(await coldFailure(cold.find(copy))).to.equal('Corrupt');
      expect(await coldFailure(cold.get(copy))).to.equal('Corrupt');
      expect((await listed(cold)).map(({ location }) => location.id)).to.deep.equal([idOf(1)]);
      await cold.delete(copy);
      expect(await listed(cold)).to.deep.equal([]);
    });
  }

  it('tells a reader when the copy is cut short or gone under it', async () => {
    const cut = await cold.get(copy);
    const gone = await cold.get(copy);
    if (cut === undefined || gone === undefined) throw new Error('it is not there');
    const reading = cut.body[Symbol.asyncIterator]();
    await reading.next();
    await truncate(copyPath(folder, copy), size / 2);
    expect(await coldFailure(readOn(reading))).to.equal('Corrupt');
    await cold.delete(copy);
    expect(await coldFailure(bytesOf(gone.body))).to.equal('Corrupt');
  });

  it('is Unavailable, never empty, while its folder is not there', async () => {
    await rename(folder, `${folder}-away`);
    try {
      expect(await coldFailure(cold.find(copy))).to.equal('Unavailable');
      expect(await coldFailure(cold.put(copyOf(2, 1), Buffer.from('x')))).to.equal('Unavailable');
      expect(await coldFailure(listed(cold))).to.equal('Unavailable');
    } finally {
      await rename(`${folder}-away`, folder);
    }
    expect(await cold.find(copy)).to.deep.equal(copy);
  });

  it('leaves foreign files alone', async () => {
    await writeFile(join(folder, 'README'), 'x');
    await writeFile(join(folder, 'policy-1', `account-${ACCOUNT}`, '00', 'note'), 'x');
    expect(await listed(cold)).to.have.length(1);
    await cold.cleanUp(Date.now() + 1000);
    expect(await readdir(folder)).to.have.members(['README', 'policy-1']);
  });

  it('removes what a crash left half written, once it is old', async () => {
    const name = `${idOf(7)}.0123456789abcdef`;
    await writeFile(join(folder, 'policy-1', 'tmp', name), 'half');
    expect(await listed(cold)).to.have.length(1);
    await cold.cleanUp(Date.now() - 60_000);
    expect(await readdir(join(folder, 'policy-1', 'tmp'))).to.deep.equal([name]);
    await cold.cleanUp(Date.now() + 60_000);
    expect(await readdir(join(folder, 'policy-1', 'tmp'))).to.deep.equal([]);
    expect(await cold.find(copy)).to.deep.equal(copy);
  });
});

async function readOn(reading: AsyncIterator<Buffer>): Promise<void> {
  while ((await reading.next()).done !== true);
}

describe('cold directory on a full device', () => {
  it('keeps what it has, takes nothing by halves, and goes on when there is room', async function () {
    const folder = await freshFolder();
    const mount = mountTmpfs(folder, 'size=4m');
    if (mount === undefined) {
      skipBecause(this, 'a full device needs a tmpfs of its own, and this process cannot mount');
    }
    try {
      const cold = new DirectoryColdBackend(folder);
      const size = 700_000;
      let kept = 0;
      for (let full = false; !full;) {
        const put = cold.put(copyOf(kept, size), reusedChunks(patternBytes(size, kept), 65_536));
        full = await put.then(
          () => false,
          (error: unknown) => {
            expect(error).to.have.property('code', 'Full');
            return true;
          },
        );
        if (!full) kept += 1;
      }
      expect(kept).to.be.within(3, 6);
      expect(await listed(cold)).to.have.length(kept);
      expect(await readdir(join(folder, 'policy-1', 'tmp'))).to.deep.equal([]);
      const { bavail, bsize } = statfsSync(folder);
      expect(bavail * bsize, 'the half is gone').to.be.above(400_000);
      await cold.delete(copyOf(0, size));
      await cold.put(copyOf(99, size), patternBytes(size, 99));
      for (const number of [...Array.from({ length: kept - 1 }, (_, i) => i + 1), 99]) {
        const got = await cold.get(copyOf(number, size));
        expect(got && (await bytesOf(got.body)).equals(patternBytes(size, number))).to.be.true;
      }
    } finally {
      mount.unmount();
    }
  });
});
