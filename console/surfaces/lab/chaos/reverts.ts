import path from 'node:path';
import { presentDevices } from '../../../../src/ring/device.js';
import { PathHash } from '../../../../src/ring/path-hash.js';
import { readRingFile } from '../../../../src/ring/ring-file.js';
import { Ring } from '../../../../src/ring/ring.js';
import { readSwiftConf } from '../../../../src/ring/swift-conf.js';
import { Upstream } from '../../../swift/upstream.js';
import type { RevertKind } from '../net/fault.js';
import { lookup, rawPathOf } from '../rings/lookup.js';
import { putBack, restoreByte, type ChangedByte, type ReplicaPlace } from './replica-files.js';

/**
 * The step that takes back a fault of an object, as data: a dead-man can do it, without a session and
 * without the console. Each step may be done again.
 */
export type ObjectRevert =
  | { readonly do: 'restore_byte'; readonly byte: ChangedByte }
  | { readonly do: 'put_back'; readonly place: ReplicaPlace; readonly id: string }
  | {
      readonly do: 'clear_quota';
      readonly store_dir: string;
      readonly hash_conf: string;
      readonly account: string;
      readonly container: string;
    };

const TIMEOUT_MS = 5000;
const PUT_BACK = {
  back: 'The replica was restored.',
  replaced: 'Replicators had already created a new replica.',
  none: 'There was no replica to restore.',
} as const;

/** How each kind of fault of an object is taken back, for the net. */
export const CHAOS_REVERTS: Readonly<Record<string, RevertKind>> = {
  'chaos.object': async (params) => revertObject(params as unknown as ObjectRevert),
};

async function revertObject(step: ObjectRevert): Promise<string> {
  if (step.do === 'restore_byte') {
    const isRestored = await restoreByte(step.byte);
    return isRestored ? 'The byte was restored.' : 'The replica no longer has the corrupted byte.';
  }
  if (step.do === 'put_back') {
    return PUT_BACK[await putBack(step.place, step.id)];
  }
  return (await clearQuota(step)) ? 'The quota was removed.' : 'No quota was set.';
}

/**
 * Clears the limit of a container at its container servers themselves, which ask for no token: a
 * dead-man has none. Proxies remember the limit for a minute.
 */
async function clearQuota(
  step: Extract<ObjectRevert, { readonly do: 'clear_quota' }>,
): Promise<boolean> {
  const { store_dir: storeDir, hash_conf: hashConf, account, container } = step;
  const { data } = await readRingFile(path.join(storeDir, 'container.ring.gz'));
  const { salt } = await readSwiftConf(
    hashConf === '' ? path.join(storeDir, 'swift.conf') : hashConf,
  );
  const target = { account, container };
  const place = { ring: new Ring(data), hash: new PathHash(salt), ringName: 'container' };
  const found = lookup(place, target, 0);
  const devices = presentDevices(data.devices).filter(({ id }) =>
    found.primaries.some((primary) => primary.id === id),
  );
  const timestamp = (Date.now() / 1000).toFixed(5).padStart(16, '0');
  const answers = await Promise.all(
    devices.map(async ({ ip, port, device }) => {
      const server = new Upstream({ secure: false, host: ip, port, basePath: '' });
      try {
        const { status, body } = await server.send({
          method: 'POST',
          rawPath: `/${encodeURIComponent(device)}/${found.part}${rawPathOf(target)}`,
          headers: { 'x-timestamp': timestamp, 'x-container-meta-quota-bytes': '' },
          idleMs: TIMEOUT_MS,
        });
        body.resume();
        return status;
      } catch {
        return 0;
      } finally {
        server.close();
      }
    }),
  );
  // One that has no database of it (404) has no limit. One that took it tells the others.
  if (answers.every((status) => status !== 204 && status !== 404)) {
    throw new Error('No container server accepted the quota removal.');
  }
  return answers.includes(204);
}
