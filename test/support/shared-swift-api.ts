import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_USER, startApi } from '../swift-api/support/api.js';
import { makeTempFolder, removeFolder } from './temp-folder.js';

/** One line without blanks, as the file of a secret has it. */
const SECRET = 'ringway-test-filter-secret';

interface SharedApi {
  /** The keys of a configuration for a gateway in front of it. */
  readonly gatewayKeys: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

let shared: Promise<SharedApi> | undefined;

/** Our own Swift API over an embedded store, of this run of mocha: a cluster without Swift. */
export function sharedSwiftApi(): Promise<SharedApi> {
  shared ??= open();
  return shared;
}

async function open(): Promise<SharedApi> {
  const folder = await makeTempFolder('swift-api');
  const api = await startApi({ gatewaySecrets: [SECRET] });
  const secret = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    gatewayKeys: {
      backend: 'swift',
      swift_endpoints: [api.origin],
      swift_user: SERVICE_USER.user,
      swift_key_file: await secret('key', SERVICE_USER.key),
      swift_filter_secret_file: await secret('secret', SECRET),
    },
    async close() {
      await api.close();
      await removeFolder(folder);
    },
  };
}

// A hook of the root suite, so it runs after the last test that may have used it.
after('take the Swift API down', async () => {
  await (await shared)?.close();
});
