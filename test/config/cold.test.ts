import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/load.js';
import { renderConfig } from '../../src/config/print.js';
import type { ConfigError } from '../../src/config/problem.js';
import { openColdBackend } from '../../src/processes/open-cold.js';
import { StartError } from '../../src/processes/child.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

describe('config: cold tier', () => {
  const folder = useTempFolderOnce('config-cold');

  async function load(config: object) {
    const file = join(folder(), 'ringway.json');
    await writeFile(file, JSON.stringify(config));
    return loadConfig({ file, flags: { data_dir: join(folder(), 'data') }, cwd: folder() }).options;
  }

  async function problemKeys(config: object): Promise<string[]> {
    try {
      await load(config);
    } catch (error) {
      return (error as ConfigError).problems.map(({ key }) => key);
    }
    return [];
  }

  it('accepts the classes of the map as storage classes, behind the others', async () => {
    const options = await load({
      storage_classes: ['STANDARD', 'WARM', 'GLACIER'],
      cold_storage_classes: ['GLACIER:1', 'DEEP_ARCHIVE:0'],
      cold_backend: 'directory',
    });
    expect(options.storageClasses).to.deep.equal(['STANDARD', 'WARM', 'GLACIER', 'DEEP_ARCHIVE']);
    const printed = JSON.parse(renderConfig(options)) as object;
    expect(await load(printed), 'what is printed says the same').to.deep.equal(options);
  });

  for (const entry of [
    'GLACIER',
    'GLACIER:',
    'GLACIER:-1',
    'GLACIER:01',
    'glacier:1',
    'STANDARD:1',
  ]) {
    it(`refuses ${entry}`, async () => {
      const config = { cold_storage_classes: [entry], cold_backend: 'directory' };
      expect(await problemKeys(config)).to.deep.equal(['cold_storage_classes']);
    });
  }

  it('refuses a class twice, and classes that nothing could be restored from', async () => {
    const twice = { cold_storage_classes: ['A:1', 'A:2'], cold_backend: 'directory' };
    expect(await problemKeys(twice)).to.deep.equal(['cold_storage_classes']);
    expect(await problemKeys({ cold_storage_classes: ['A:1'] })).to.deep.equal(['cold_backend']);
    expect(await problemKeys({ cold_backend: 'memory' })).to.deep.equal(['cold_backend']);
    expect(await problemKeys({ delete_hot: 'yes' })).to.deep.equal(['delete_hot']);
  });

  it('opens a directory that is there, and makes none but its own', async () => {
    expect(openColdBackend(await load({}))).to.equal(undefined);
    const own = await load({ cold_backend: 'directory' });
    expect(own.coldDir).to.equal(join(folder(), 'data', 'cold'));
    expect(
      await openColdBackend(own)?.find({ policy: 1, account: 'a', id: 'a'.repeat(64) }),
    ).to.equal(undefined);
    const named = await load({ cold_backend: 'directory', cold_dir: 'elsewhere' });
    expect(named.coldDir).to.equal(join(folder(), 'elsewhere'));
    expect(() => openColdBackend(named)).to.throw(StartError, /cold_dir .*elsewhere/);
    await writeFile(named.coldDir, 'a file');
    expect(() => openColdBackend(named)).to.throw(StartError, /not a directory/);
    await rm(named.coldDir);
    await mkdir(named.coldDir);
    expect(openColdBackend(named)).to.not.equal(undefined);
  });
});
