import type { Backend } from '../../../src/backend/backend.js';
import { MemoryColdBackend } from '../../support/backend/memory-cold.js';
import { createDigestFactory } from '../../../src/digest/index.js';
import { archiveObject } from '../../../src/s3/cold/archive.js';
import { bodyRefOf } from '../../../src/s3/cold/cold-object.js';
import { releaseBody } from '../../../src/s3/cold/release.js';
import { Restorer } from '../../../src/s3/cold/restorer.js';

const CALL = { requestId: 'cold' };

/** One cold backend for all accounts. */
const TOOLS = {
  cold: new MemoryColdBackend(),
  digests: createDigestFactory({ lanes: 0 }),
  classes: new Map([['GLACIER', 1]]),
  now: () => Date.now(),
};

export const { digests: DIGESTS, classes: COLD_CLASSES } = TOOLS;

export function restorerOn(backend: Backend): Restorer {
  return new Restorer({ ...TOOLS, backend });
}

/** As the janitor does: from now on only the cold backend has the bytes of `bucket/key`. */
export async function coolDown(backend: Backend, account: string): Promise<void> {
  const ref = { account, container: 'bucket', object: 'key' };
  const body = bodyRefOf(ref, await backend.headObject(CALL, ref));
  if (body === undefined) throw new Error('a link of somebody else');
  const tools = { ...TOOLS, backend, call: CALL };
  const done = [await archiveObject(tools, body), await releaseBody(tools, body)];
  if (done.some((outcome) => outcome !== 'done')) throw new Error(done.join());
}
