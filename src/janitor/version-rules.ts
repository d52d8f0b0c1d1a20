import type { ObjectHead } from '../backend/backend.js';
import { mapLimited } from '../lib/promises.js';
import { lifecycleObjectOf } from '../s3/bucket/lifecycles.js';
import { storedTags } from '../s3/object/attributes.js';
import type { LifecycleConfiguration } from '../s3/rules/lifecycle/configuration.js';
import { tagsMatter } from '../s3/rules/lifecycle/filter.js';
import {
  dueOfVersions,
  type DueVersion,
  type VersionDetails,
} from '../s3/rules/lifecycle/versions.js';
import { DEFAULT_STORAGE_CLASS } from '../s3/rules/storage-class.js';
import type { VersioningStatus } from '../s3/rules/versioning.js';
import type { SummaryEntry } from '../s3/versions/listing/index-summary.js';
import type { FoundKey } from '../s3/versions/listing/key-reader.js';
import type { KeyState } from '../s3/versions/listing/merge.js';
import { currentRef, versionRef, type VersionedKey } from '../s3/versions/names.js';
import { PRUNE_MAX } from '../s3/versions/upkeep/version-upkeep.js';
import type { TransitionAction, ExpireVersionAction } from './actions.js';
import { withoutTags } from './rule-reach.js';
import { unlessOutOfReach } from './gone.js';
import { CONCURRENCY, type PassContext } from './pass-context.js';

type Due = DueVersion<SummaryEntry>;

/** Heads of versions, with more than listings tell, by the names of their entries. */
type Heads = ReadonlyMap<string, ObjectHead | undefined>;

/** Carries out the rules of a bucket that keeps versions on one key after the other. */
export class VersionRules {
  /** The same rules for whatever tags: what they do not want is not worth looking at. */
  readonly #superset: LifecycleConfiguration;

  constructor(
    private readonly pass: PassContext,
    private readonly bucket: string,
    private readonly status: VersioningStatus,
    private readonly configuration: LifecycleConfiguration,
  ) {
    this.#superset = withoutTags(configuration);
  }

  /** @throws BackendError */
  async apply({ key, current }: FoundKey, { versions }: KeyState): Promise<void> {
    const of = { account: this.pass.account, bucket: this.bucket, key };
    const now = this.pass.now();
    const candidates = this.#due(this.#superset, key, versions, now);
    if (candidates.length === 0) return;
    const heads = await this.#headsOf(of, candidates);
    const detailsOf = this.#detailsFrom(key, heads);
    const due = this.#due(this.configuration, key, versions, now, detailsOf);
    const late = candidates.flatMap((one) => lateTransition(one, detailsOf, due) ?? []);
    await this.#expireVersions(of, due, now, heads);
    for (const one of [...due, ...late]) {
      const { version } = one;
      if (one.due.action === 'expire_current') await this.#expireCurrent(of, one);
      if (one.due.action !== 'transition') continue;
      // The fields that listings show of it are the link's, or the object's without an index.
      const seen = version === versions[0] ? current : heads.get(version.name);
      if (seen !== undefined) await this.#transition(of, one, seen, version === versions[0]);
    }
  }

  #due(
    configuration: LifecycleConfiguration,
    key: string,
    versions: readonly SummaryEntry[],
    now: number,
    detailsOf?: (version: SummaryEntry) => VersionDetails | undefined,
  ): Due[] {
    const { storageClasses } = this.pass.settings;
    return dueOfVersions(configuration, { key, versions, detailsOf }, now, storageClasses);
  }

  /** The oldest first: of what is left, none becomes younger by it. Some at a time, see PRUNE_MAX. */
  async #expireVersions(
    key: VersionedKey,
    due: readonly Due[],
    now: number,
    heads: Heads,
  ): Promise<void> {
    const detailsOf = this.#detailsFrom(key.key, heads);
    const actions = due.flatMap((one) => expirationOf(key, one) ?? []).reverse();
    for (let at = 0; at < actions.length; at += PRUNE_MAX) {
      const batch = actions.slice(at, at + PRUNE_MAX);
      const names = new Set(batch.map(({ entry }) => entry.name));
      await this.pass.executor.expireVersions({
        key: key,
        actions: batch,
        choose: ({ entries }) => {
          const still = this.#due(this.configuration, key.key, entries, now, detailsOf);
          const going = new Set(still.filter(isExpiration).map(({ version }) => version.name));
          return entries.filter(({ name }) => names.has(name) && going.has(name));
        },
        hasSameTags: (head, { name }) => {
          const seen = heads.get(name);
          return seen === undefined || storedTags(seen) === storedTags(head);
        },
      });
    }
  }

  async #expireCurrent(key: VersionedKey, { version, due }: Due): Promise<void> {
    const { id, etag, size, lastModified } = version;
    await this.pass.executor.carryOut({
      action: 'expire_current',
      ...key,
      ruleId: due.ruleId,
      version: id,
      etag,
      size,
      lastModified,
      nullVersion: this.status === 'Suspended',
    });
  }

  async #transition(
    key: VersionedKey,
    { version, due }: Due,
    { etag, lastModified }: Pick<ObjectHead, 'etag' | 'lastModified'>,
    isCurrent: boolean,
  ): Promise<void> {
    if (due.action !== 'transition') return;
    const { ruleId, storageClass } = due;
    const action: TransitionAction = {
      action: 'transition',
      ...key,
      ruleId,
      storageClass,
      version: version.id,
      size: version.size,
      etag,
      lastModified,
      ref: isCurrent ? currentRef(key) : versionRef(key, version.name),
    };
    await this.pass.executor.carryOut(action);
  }

  /** Reads the heads of versions whose tags decide, or that may have been moved already. */
  async #headsOf(key: VersionedKey, candidates: readonly Due[]): Promise<Heads> {
    const heads = new Map<string, ObjectHead | undefined>();
    const asked = candidates.filter(
      ({ version, due }) =>
        version.kind === 'version' &&
        (due.action === 'transition' ||
          tagsMatter(this.configuration, { key: key.key, size: version.size })),
    );
    await mapLimited(asked, CONCURRENCY, async ({ version }) => {
      heads.set(version.name, await this.#headOf(key, version));
    });
    return heads;
  }

  async #headOf(key: VersionedKey, { name }: SummaryEntry): Promise<ObjectHead | undefined> {
    const { backend, call, versions } = this.pass;
    // Without a name it is the current object, or the target of the current link.
    return unlessOutOfReach(
      name === ''
        ? backend.headObject(call, currentRef(key))
        : versions.upkeep.head(call, key, { name }),
    );
  }

  #detailsFrom(key: string, heads: Heads): (version: SummaryEntry) => VersionDetails | undefined {
    return ({ name }) => {
      const head = heads.get(name);
      return head && lifecycleObjectOf(key, head);
    };
  }
}

/** A transition that happened but is missing in the index: its writer stopped in between. */
function lateTransition(
  { version, due }: Due,
  detailsOf: (version: SummaryEntry) => VersionDetails | undefined,
  found: readonly Due[],
): Due | undefined {
  const storageClass = detailsOf(version)?.storageClass ?? DEFAULT_STORAGE_CLASS;
  if (due.action !== 'transition' || detailsOf(version) === undefined) return undefined;
  if (storageClass === (version.storageClass ?? DEFAULT_STORAGE_CLASS)) return undefined;
  if (found.some((one) => one.version === version)) return undefined;
  return { version, due: { ...due, storageClass } };
}

function isExpiration({ due }: Due): boolean {
  return due.action === 'expire_noncurrent' || due.action === 'expire_marker';
}

function expirationOf(key: VersionedKey, { version, due }: Due): ExpireVersionAction | undefined {
  if (due.action !== 'expire_noncurrent' && due.action !== 'expire_marker') return undefined;
  const { id, size, lastModified } = version;
  const { action, ruleId } = due;
  return { action, ...key, ruleId, version: id, entry: version, size, lastModified };
}
