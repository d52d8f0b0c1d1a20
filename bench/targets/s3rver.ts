import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.js';
import { makeTempFolder, removeFolder } from '../../test/support/temp-folder.js';
import { ChildServer } from './child-server.js';
import type { Target } from './target.js';

const VERSION = '3.7.1';

/**
 * s3rver, a widespread fake of S3 on node:http, fetched by npx at this version: it is no dependency
 * of the project. It verifies no signature and never syncs.
 */
export async function startS3rver(): Promise<Target> {
  const folder = await makeTempFolder('bench-s3rver');
  const port = await freePort();
  const server = new ChildServer(
    'npx',
    [
      ...['--yes', `s3rver@${VERSION}`, '--silent'],
      ...['--directory', join(folder, 'data'), '--address', '127.0.0.1', '--port', String(port)],
    ],
    folder,
    // Pages that go on are named with Blowfish, which OpenSSL 3 has among its legacy ciphers only.
    { NODE_OPTIONS: '--openssl-legacy-provider' },
  );
  await server.accepts(port);
  return {
    name: 's3rver',
    description: `s3rver ${VERSION}, signatures not verified, nothing synced`,
    dialect: {
      kind: 's3',
      endpoint: `http://127.0.0.1:${port}`,
      accessKey: 'S3RVER',
      secretKey: 'S3RVER',
      region: 'us-east-1',
      // Deleting several keys of one folder at once, it answers 500: each removes the folder.
      lacks: ['versions', 'multi-delete'],
    },
    groups: [{ name: 's3rver', pids: [server.pid] }],
    keepsData: false,
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}
