import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseCredentials, type Roster } from '../../src/config/credentials.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { RosterWatch } from '../../supervisor/roster-watch.js';
import { useTempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';

const KEY = { secret_key: 'hush-hush-hush', account: 'AUTH_main', role: 'owner' };

describe('supervisor: the watch over credentials', () => {
  const folder = useTempFolder('roster');

  it('takes one out of force when it expires, though the file stays as it is', async () => {
    const file = join(folder(), 'credentials.json');
    const expires = new Date(Date.now() + 1000).toISOString();
    const credentials = [
      { ...KEY, access_key: 'STAYS' },
      { ...KEY, access_key: 'GOES', expires },
    ];
    const text = JSON.stringify({ credentials });
    await writeFile(file, text, { mode: 0o600 });
    const told: Roster[] = [];
    const watch = new RosterWatch(
      {
        options: {
          ...{ credentialsSource: 'file', credentialsFile: file, tempauthConf: '' },
          ...{ identityUser: '', identityKeyFile: '' },
        },
        log: createLogger({ level: 'silent', process: 'supervisor' }),
        onChange: (roster) => told.push(roster),
      },
      // As it was when the service started.
      parseCredentials(text, file, 0),
    );
    watch.start();
    try {
      await until(() => told.length > 0);
      expect(Date.now()).to.be.at.least(Date.parse(expires));
      expect(told.at(-1)?.map(({ accessKey }) => accessKey)).to.deep.equal(['STAYS']);
    } finally {
      watch.close();
    }
  });
});
