import { expect } from 'chai';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeDurably, writeDurablySync } from '../../src/lib/durable-file.js';
import { watchSyncs } from '../support/file-syncs.js';
import { useEach } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';

describe('files that are put in place', () => {
  const folder = useTempFolder('durable-file');
  const file = useEach(() => join(folder(), 'a.json'));

  it('are whole on the disk before they have their name, and their folder is after it', async () => {
    await writeFile(file(), 'former');
    const seen: object[] = [];
    const onSync = async ({ path, size }: { path: string; size: number }): Promise<void> => {
      const text = await readFile(file(), 'utf8');
      seen.push(path === folder() ? { folder: text } : { size, text });
    };
    await watchSyncs(onSync, () => writeDurably(file(), [Buffer.from('pie'), Buffer.from('ces')]));
    expect(seen).to.deep.equal([{ size: 6, text: 'former' }, { folder: 'pieces' }]);
    expect((await stat(file())).mode & 0o777).to.equal(0o600);
  });

  it('leave the former one and nothing else where they cannot be written', async () => {
    await writeFile(file(), 'former');
    const isFull = (): never => {
      throw new Error('ENOSPC');
    };
    const failure = await watchSyncs(isFull, () => writeDurably(file(), 'new')).catch(String);
    expect(failure).to.equal('Error: ENOSPC');
    expect(await readdir(folder())).to.deep.equal(['a.json']);
    expect(await readFile(file(), 'utf8')).to.equal('former');
  });

  it('are written at the same time without one in the way of another', async () => {
    const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(1000));
    await Promise.all(texts.map((text) => writeDurably(file(), text)));
    expect(texts).to.include(await readFile(file(), 'utf8'));
    expect(await readdir(folder())).to.deep.equal(['a.json']);
  });

  it('are the same from a thread of its own', async () => {
    writeDurablySync(file(), 'text');
    expect(await readFile(file(), 'utf8')).to.equal('text');
    await mkdir(join(folder(), 'b'));
    expect(() => {
      writeDurablySync(join(folder(), 'b'), 'text');
    }).to.throw(/EISDIR|ENOTEMPTY|EEXIST/);
    expect((await readdir(folder())).sort()).to.deep.equal(['a.json', 'b']);
  });

  it('lie in folders that are durable as well', async () => {
    const synced: string[] = [];
    const make = (): Promise<void> => makeFolder(join(folder(), 'x', 'y'));
    await watchSyncs(({ path }) => void synced.push(path), make);
    expect(synced).to.deep.equal([join(folder(), 'x'), folder()]);
    await watchSyncs(() => expect.fail(), make);
  });
});
