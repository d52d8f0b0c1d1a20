import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import type { Backend } from '../../../src/backend/backend.js';
import type { Roster } from '../../../src/config/credentials.js';
import { serveHttp } from '../../../src/http/server.js';
import { TrustedProxies } from '../../../src/http/trusted-proxies.js';
import { SwiftApi, type SwiftApiOptions } from '../../../src/swift-api/swift-api.js';
import { nextRequestId } from '../../../src/telemetry/request-id.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

/** Users as those of Swift's own test configuration. */
export const ROSTER: Roster = [
  user('test:tester', 'testing', 'AUTH_test', 'owner'),
  user('test:tester2', 'testing2', 'AUTH_test', 'member'),
  user('test2:tester3', 'testing3', 'AUTH_test2', 'owner'),
];

function user(
  name: string,
  secretKey: string,
  account: string,
  role: 'owner' | 'member',
): Roster[number] {
  return { accessKey: name.replace(':', '.'), secretKey, account, role, user: name };
}

/** The secret that a gateway signs with, and whom it logs in as. */
export const GATEWAY_SECRET = 'a secret between store and gateway';
export const SERVICE_USER = { user: 'gateway:gw', key: 'gwkey-gwkey' };

export interface RunningApi {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly backend: Backend;
  /** The errors that nobody foresaw. */
  readonly errors: unknown[];
  close(): Promise<void>;
}

/** Swift's API over an embedded store in a directory of its own. */
export async function startApi(options: Partial<SwiftApiOptions> = {}): Promise<RunningApi> {
  const directory = await makeTempFolder('swift-api');
  const backend = await openEmbeddedStore({ directory: join(directory, 'store') });
  const errors: unknown[] = [];
  const note = (error: unknown): void => void errors.push(error);
  const api = new SwiftApi({
    backend,
    roster: ROSTER,
    proxies: new TrustedProxies([]),
    spoolDirectory: directory,
    version: '2.30.1',
    nextRequestId,
    gatewaySecrets: [GATEWAY_SECRET],
    serviceUsers: [SERVICE_USER],
    onError: note,
    ...options,
  });
  const server = await serveHttp(
    { host: '127.0.0.1', port: 0, limits: { receiveBufferBytes: 0 }, onHandlerError: note },
    api.handle,
  );
  return {
    origin: `http://127.0.0.1:${server.port}`,
    backend,
    errors,
    async close() {
      server.close();
      await backend.close();
      await removeFolder(directory);
    },
  };
}
