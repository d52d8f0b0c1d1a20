import type { ContainerHead } from '../backend/backend.js';
import { mapLimited } from '../lib/promises.js';
import { bucketVersioning } from '../s3/bucket/configuration.js';
import type { LifecycleConfiguration } from '../s3/rules/lifecycle/configuration.js';
import type { VersioningStatus } from '../s3/rules/versioning.js';
import { S3Error } from '../s3/errors.js';
import type { FoundKey } from '../s3/versions/listing/key-reader.js';
import {
  keysOf,
  stateOf,
  tellCurrent,
  tellKey,
  type KeyState,
} from '../s3/versions/listing/merge.js';
import { areInForce, newestHead, type BucketRules } from './bucket-rules.js';
import { withoutTags, wantsNoncurrent } from './rule-reach.js';
import { CONCURRENCY, type PassContext } from './pass-context.js';
import { VersionRules } from './version-rules.js';

/** Keys that are settled together: a resumed pass goes on behind the last of them. */
const KEYS_AT_ONCE = 256;
/**
 * The age at which a link should be in step: a writer that has just committed is about to update
 * it.
 */
const IN_STEP_AFTER_MS = 60_000;

/**
 * Goes through the keys of a bucket that keeps versions: carries out its rules on current and
 * noncurrent versions and on delete markers, and repairs links that lag behind their index. The
 * listings tell most of it; the index of a key is read only where they do not, one at a time for each
 * of some workers.
 *
 * @param rules - carried out as long as the bucket has them
 * @param marker - goes on behind this key
 * @param reached - told a key when all up to it is settled
 * @throws BackendError
 */
export async function walkVersions(
  pass: PassContext,
  bucket: string,
  rules: BucketRules,
  marker: string,
  reached: (key: string) => void,
): Promise<void> {
  const { backend, call, account, versions } = pass;
  const source = {
    backend,
    call,
    account,
    bucket,
    readIndex: versions.readIndex.bind(versions),
    repairLink: versions.repairLink.bind(versions),
  };
  let batch: FoundKey[] = [];
  const settle = async (): Promise<boolean> => {
    const last = batch.at(-1);
    if (last === undefined) return true;
    // Asked anew: a marker of a suspended bucket is another one than of an enabled one.
    const head = await newestHead(pass, bucket);
    const state = head && keptVersions(head);
    if (head === undefined || state === undefined) return false;
    const configuration = areInForce(rules, head) ? rules.configuration : undefined;
    const walk = new KeyWalk(pass, bucket, state, configuration);
    await mapLimited(batch, CONCURRENCY, (found) => walk.look(found));
    pass.looked(batch.length);
    reached(last.key);
    batch = [];
    return true;
  };
  for await (const found of keysOf(source, marker)) {
    batch.push(found);
    if (batch.length === KEYS_AT_ONCE && !(await settle())) return;
  }
  await settle();
}

/** How a bucket keeps versions; undefined when it does not. @throws S3Error `InternalError` */
export function keptVersions({ systemMetadata }: ContainerHead): VersioningStatus | undefined {
  const state = bucketVersioning(systemMetadata);
  return state === 'unversioned' ? undefined : state;
}

/** The work on one key after the other. */
class KeyWalk {
  readonly #rules: VersionRules | undefined;
  readonly #superset: LifecycleConfiguration;

  constructor(
    private readonly pass: PassContext,
    private readonly bucket: string,
    status: VersioningStatus,
    configuration: LifecycleConfiguration | undefined,
  ) {
    this.#superset = withoutTags(configuration ?? { rules: [] });
    if (configuration === undefined) return;
    this.#rules = new VersionRules(pass, bucket, status, configuration);
  }

  async look(found: FoundKey): Promise<void> {
    try {
      const told = await this.#stateOf(found);
      if (told.state === 'behind' && this.#isLate(found)) {
        const { account } = this.pass;
        const { lastModified } = found.index ?? { lastModified: 0 };
        const of = { account, bucket: this.bucket, key: found.key };
        await this.pass.executor.carryOut({ action: 'repair_link', ...of, lastModified });
      }
      await this.#rules?.apply(found, told);
    } catch (error) {
      // An index that cannot be read: other keys are not to suffer from it.
      if (!(error instanceof S3Error)) throw error;
      this.pass.unreadable(`${this.bucket}/${found.key}`, error);
    }
  }

  async #stateOf(found: FoundKey): Promise<KeyState> {
    const { versions, call, account } = this.pass;
    const { key, current, index } = found;
    if (versions.upkeep.isListingEnough || !found.isArchived) {
      const told = tellKey(found) ?? (this.#wantsAll(found) ? undefined : tellCurrent(found));
      if (told !== undefined) return told;
    }
    // Names of a key without an index: nothing that is a version.
    if (index === undefined && current === undefined && versions.upkeep.isListingEnough) {
      return { state: 'in_step', versions: [] };
    }
    const read = await versions.readIndex(call, { account, bucket: this.bucket, key });
    return stateOf(current, read);
  }

  #wantsAll({ key, index }: FoundKey): boolean {
    return wantsNoncurrent(this.#superset, key, index);
  }

  #isLate({ index }: FoundKey): boolean {
    return index !== undefined && index.lastModified <= this.pass.now() - IN_STEP_AFTER_MS;
  }
}
