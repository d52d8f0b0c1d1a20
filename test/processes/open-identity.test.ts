import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/load.js';
import { openIdentity } from '../../src/processes/open-identity.js';
import { StartError } from '../../src/processes/child.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { useTempFolder } from '../support/temp-folder.js';

describe('opening: Keystone', () => {
  const folder = useTempFolder('open-identity');

  it('says of a password that others can read that the configuration is at fault', async () => {
    await writeFile(join(folder(), 'password'), 'secret', { mode: 0o644 });
    const { options } = loadConfig({
      flags: {
        credentials_source: 'identity',
        identity_url: 'http://127.0.0.1:1',
        identity_user: 'ringway',
        identity_key_file: 'password',
      },
      cwd: folder(),
    });
    const log = createLogger({ level: 'silent', process: 'listener' });
    expect(() => openIdentity(options, log))
      .to.throw(StartError, /^identity_key_file .*expected mode 0600/)
      .with.property('failure', 'config');
  });
});
