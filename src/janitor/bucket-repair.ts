import type { Backend, CallContext, ContainerHead } from '../backend/backend.js';
import { BackendError } from '../backend/errors.js';
import { mapLimited } from '../lib/promises.js';
import { bucketVersioning } from '../s3/bucket/configuration.js';
import { S3Error } from '../s3/errors.js';
import { keysOf } from '../s3/versions/listing/merge.js';
import { isPlain, type FoundKey } from '../s3/versions/listing/key-reader.js';
import type { KeyFinding } from '../s3/versions/upkeep/repair.js';
import type { VersionedKeys } from '../s3/versions/versioned-keys.js';

/**
 * The findings of `ringway repair` in a bucket: faults of its keys, and before those Swift's own
 * versioning of its container, with which nothing stays mended.
 */
export type BucketFinding = KeyFinding | { readonly action: 'end_store_versioning' };

export type RepairOutcome = 'planned' | 'done' | 'failed';

export interface BucketRepair {
  readonly backend: Backend;
  readonly call: CallContext;
  readonly versions: VersionedKeys;
  readonly account: string;
  readonly bucket: string;
  /** Undefined: all. */
  readonly key: string | undefined;
  /** False: only look. */
  readonly mend: boolean;
  /** @param key - undefined of the bucket itself */
  readonly report: (
    outcome: RepairOutcome,
    key: string | undefined,
    finding: BucketFinding | undefined,
    error?: unknown,
  ) => void;
  /** Called with the number of keys that were looked at. */
  readonly looked: (keys: number) => void;
}

const KEYS_AT_ONCE = 64;
const CONCURRENCY = 8;

/**
 * Goes through the keys of a bucket, or looks at one. A key that cannot be mended is reported, and
 * the others are mended.
 *
 * @returns `unversioned` for a bucket that keeps no versions and never did: there is nothing to mend
 * @throws BackendError NoSuchContainer without the bucket, and when its listings cannot be read
 */
export async function repairBucket(repair: BucketRepair): Promise<'looked' | 'unversioned'> {
  const { backend, call, account, bucket, key } = repair;
  const ref = { account, container: bucket };
  const head = await backend.headContainer(call, ref, { newest: true });
  if (bucketVersioning(head.systemMetadata) === 'unversioned') return 'unversioned';
  if (!(await endStoreVersioning(repair, head))) return 'looked';
  if (key !== undefined) {
    await repairOne(repair, key);
    repair.looked(1);
    return 'looked';
  }
  let batch: string[] = [];
  const settle = async (): Promise<void> => {
    await mapLimited(batch, CONCURRENCY, (each) => repairOne(repair, each));
    repair.looked(batch.length);
    batch = [];
  };
  const { versions } = repair;
  const source = {
    backend,
    call,
    account,
    bucket,
    readIndex: versions.readIndex.bind(versions),
    repairLink: versions.repairLink.bind(versions),
  };
  for await (const found of keysOf(source, '')) {
    if (!mayHaveVersions(found)) continue;
    batch.push(found.key);
    if (batch.length === KEYS_AT_ONCE) await settle();
  }
  await settle();
  return 'looked';
}

/** @returns false when it could not be ended */
async function endStoreVersioning(
  { backend, call, account, bucket, mend, report }: BucketRepair,
  { storeVersioning = false }: ContainerHead,
): Promise<boolean> {
  if (!storeVersioning) return true;
  const finding = { action: 'end_store_versioning' } as const;
  const ref = { account, container: bucket };
  try {
    if (mend) await backend.updateContainer(call, ref, { storeVersioning: false });
    report(mend ? 'done' : 'planned', undefined, finding);
    return true;
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    report('failed', undefined, finding, error);
    return false;
  }
}

/** An object by itself, of which the archive has nothing, is the one version that it is. */
function mayHaveVersions({ current, isArchived }: FoundKey): boolean {
  return isArchived || (current !== undefined && !isPlain(current));
}

async function repairOne(repair: BucketRepair, key: string): Promise<void> {
  const { versions, call, account, bucket, mend, report } = repair;
  try {
    await versions.upkeep.repair(call, { account, bucket, key }, mend, (finding) => {
      report(mend ? 'done' : 'planned', key, finding);
    });
  } catch (error) {
    if (!(error instanceof S3Error) && !(error instanceof BackendError)) throw error;
    report('failed', key, undefined, error);
  }
}
