import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startConsoleChild } from '../../console/console-service.js';
import { generateCredential } from '../../src/config/credentials.js';
import { loadConfig } from '../../src/config/load.js';
import { StartError } from '../../src/processes/child.js';
import { useTempFolder } from '../support/temp-folder.js';

describe('console: as a child of the service', () => {
  const folder = useTempFolder('console-service');

  async function failureOf(keys: Readonly<Record<string, unknown>>): Promise<StartError> {
    const { options } = loadConfig({ flags: keys, cwd: folder() });
    try {
      const credentials = [generateCredential()];
      const consoleConfig = undefined;
      const service = await startConsoleChild({
        ...{ type: 'init', worker: 0, options, credentials, consoleConfig },
      });
      await service.close();
    } catch (error) {
      if (error instanceof StartError) return error;
      throw error;
    }
    throw new Error('it started');
  }

  it('tells a configuration that cannot be used from a store that cannot', async () => {
    await writeFile(join(folder(), 'no-certificate'), 'x');
    const pem = 'no-certificate';
    const config = await failureOf({ admin_tls_cert_file: pem, admin_tls_key_file: pem });
    expect(config.failure).to.equal('config');
    expect(config.message).to.include('console: admin_cert_file');
    const store = await failureOf({ data_dir: 'no-certificate' });
    expect(store.failure).to.equal('store');
  });
});
