import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { isPath, optionalPath, optionalUrl, path, text } from '../../src/config/keys.js';
import { loadConfig } from '../../src/config/load.js';
import type { FilledOptions } from '../../src/config/options.js';
import { renderConfig } from '../../src/config/print.js';
import { CONFIG_KEYS, parseKey } from '../../src/config/schema.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

describe('config: paths', () => {
  const folder = useTempFolderOnce('config-paths');

  async function load(config: object, flags: object = {}): Promise<FilledOptions> {
    const file = join(folder(), 'ringway.json');
    await writeFile(file, JSON.stringify(config));
    return loadConfig({ file, flags, cwd: '/cwd' }).options;
  }

  it('of the file are relative to it, and those of flags and defaults to the working directory', async () => {
    const inFile = await load({ data_dir: 'd', credentials_file: 'c.json' });
    expect(inFile.dataDir).to.equal(join(folder(), 'd'));
    expect(inFile.credentialsFile).to.equal(join(folder(), 'c.json'));
    const flag = await load({ data_dir: 'd', credentials_file: '/abs/c.json' }, { data_dir: 'e' });
    expect(flag.dataDir).to.equal('/cwd/e');
    expect(flag.credentialsFile).to.equal('/abs/c.json');
    expect((await load({})).dataDir).to.equal('/cwd/data');
  });

  it('are absolute in the options, whichever key of the schema holds them', async () => {
    const keys = CONFIG_KEYS.filter((key) => {
      const wrong = parseKey(key, Symbol());
      return !wrong.ok && /^a path(?:, or an empty text)?$/.test(wrong.expected);
    });
    expect(keys).to.include.members(['data_dir', 'cold_dir', 'tls_key_file']);
    const options = await load(Object.fromEntries(keys.map((key) => [key, `./${key}`])));
    const loaded = JSON.parse(renderConfig(options)) as Record<string, unknown>;
    for (const key of keys) expect(loaded[key], key).to.equal(join(folder(), key));
  });

  it('are known by their schema, whatever their default is', () => {
    const schemas = [
      path(),
      path().default('./data'),
      path().prefault('./data'),
      path().optional(),
      path().optional().default('./data'),
      optionalPath(),
    ];
    for (const schema of schemas) expect(isPath(schema)).to.be.true;
    for (const schema of [text(/^.*$/, 'a text'), optionalUrl('http://example.com')]) {
      expect(isPath(schema)).to.be.false;
    }
  });
});
