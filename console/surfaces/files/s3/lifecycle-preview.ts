import { children, keyIn, textIn } from '../../../s3/xml.js';
import type { JobControl } from '../../../server/jobs.js';
import {
  abortOf,
  deleteMarkerExpirationOf,
  dueAction,
  dueNoncurrentAction,
  expirationOf,
  isDue,
  tagsMatter,
  type LifecycleConfiguration,
} from './gateway-rules.js';
import { NULL_VERSION, S3Bucket, type S3Place, type S3Version } from './s3-bucket.js';
import { walkUploads } from './s3-uploads.js';
import { tagsOf } from './tags.js';

/** The effect of a rule on its matches. */
type LifecycleEffect =
  | 'expire'
  | 'transition'
  | 'expire_version'
  | 'transition_version'
  | 'remove_marker'
  | 'abort_upload';

/** One effect of one rule. */
interface RuleEffect {
  readonly rule_id: string;
  readonly effect: LifecycleEffect;
  /** How many it matches now, and how many later, as they are today. */
  readonly now: number;
  readonly later: number;
  /** The size of what it matches now. */
  readonly bytes: number;
  /** The first names that it matches now. */
  readonly examples: readonly string[];
}

export interface LifecyclePreview {
  readonly effects: readonly RuleEffect[];
  readonly scanned: number;
  /** The bucket has more than was looked at. */
  readonly truncated: boolean;
  /** Objects whose tags decide, and were not read, since there were too many. */
  readonly tags_unread: number;
}

/** 250 requests to S3. */
const ROWS_MAX = 50_000;
const UPLOADS_MAX = 10_000;
const TAGS_READ_MAX = 1000;
const EXAMPLES_MAX = 10;

/**
 * The effects of rules on the present content of a bucket, decided as the gateway's janitor
 * decides. Versions that Object Lock protects are counted, too: the janitor leaves them.
 * @throws S3StatusError; UpstreamError
 */
export async function previewLifecycle(
  place: S3Place,
  configuration: LifecycleConfiguration,
  nowMs: number,
  control: JobControl,
): Promise<LifecyclePreview> {
  const scan = new Scan(place, configuration, nowMs);
  for await (const version of rowsOf(place, control.signal)) {
    if (scan.scanned === ROWS_MAX) return scan.result(true);
    await scan.see(version);
    control.progress(scan.scanned, null);
  }
  if (configuration.rules.some(({ abortDaysAfterInitiation: days }) => days !== undefined)) {
    let uploads = 0;
    for await (const upload of walkUploads(place, '')) {
      if (++uploads > UPLOADS_MAX || control.signal.aborted) return scan.result(true);
      scan.seeUpload(upload.name, Date.parse(upload.started));
    }
  }
  return scan.result(false);
}

/** Versions of a bucket; where it keeps none, its objects as if they were their only versions. */
async function* rowsOf(place: S3Place, signal: AbortSignal): AsyncGenerator<S3Version> {
  const { s3, name: bucket, versioning } = place;
  if (versioning !== 'Off') {
    yield* new S3Bucket(s3, bucket, versioning).versions('', { signal });
    return;
  }
  let token: string | undefined;
  do {
    const query = { 'list-type': '2', 'encoding-type': 'url', 'continuation-token': token };
    const page = await s3.read('GET', { bucket, query, signal });
    for (const node of children(page, 'Contents')) {
      yield {
        ...{ name: keyIn(node, 'Key'), id: NULL_VERSION, is_latest: true, deleted: false },
        bytes: Number(textIn(node, 'Size')),
        ...{ etag: '', content_type: null, last_modified: textIn(node, 'LastModified') },
        storage_class: textIn(node, 'StorageClass') || null,
      };
    }
    const isTruncated = textIn(page, 'IsTruncated') === 'true';
    token = isTruncated ? textIn(page, 'NextContinuationToken') : undefined;
  } while (token !== undefined);
}

interface Count {
  now: number;
  later: number;
  bytes: number;
  readonly examples: string[];
}

/** Counts what rules do while versions go by, by key and of each the newest first. */
class Scan {
  scanned = 0;
  #tagsRead = 0;
  #tagsUnread = 0;
  readonly #counts = new Map<string, Count>();
  readonly #classes: readonly string[];
  /** The version before this one in the listing: the newer one of the same key. */
  #newer: S3Version | undefined;
  /** Noncurrent versions of the key so far: delete markers are none of those that rules keep. */
  #noncurrent = 0;
  /** A current delete marker behind which nothing was seen yet. */
  #marker: S3Version | undefined;

  constructor(
    private readonly place: S3Place,
    private readonly configuration: LifecycleConfiguration,
    private readonly nowMs: number,
  ) {
    // Rules name no others; what is moved goes to a colder one, as the rules list them.
    const named = configuration.rules.flatMap((rule) =>
      [...rule.transitions, ...rule.noncurrentVersionTransitions].map((one) => one.storageClass),
    );
    this.#classes = [...new Set(['STANDARD', ...named])];
  }

  async see(version: S3Version): Promise<void> {
    this.scanned += 1;
    const isSameKey = this.#newer?.name === version.name;
    if (isSameKey) this.#marker = undefined;
    else {
      this.#closeKey();
      this.#noncurrent = 0;
    }
    if (!version.is_latest) {
      await this.#seeNoncurrent(version, this.#newer);
      if (!version.deleted) this.#noncurrent += 1;
    } else if (version.deleted) this.#marker = version;
    else await this.#seeCurrent(version);
    this.#newer = version;
  }

  seeUpload(key: string, initiatedAt: number): void {
    const due = abortOf(this.configuration, { key, initiatedAt });
    if (due !== undefined) this.#add(due.ruleId, 'abort_upload', isDue(due, this.nowMs), key, 0);
  }

  result(truncated: boolean): LifecyclePreview {
    if (!truncated) this.#closeKey();
    const effects = [...this.#counts].map(([place, count]) => {
      const [effect = '', ...id] = place.split(' ');
      return { rule_id: id.join(' '), effect: effect as LifecycleEffect, ...count };
    });
    return { effects, scanned: this.scanned, truncated, tags_unread: this.#tagsUnread };
  }

  /** Whether nothing is behind a delete marker is known when the next key begins. */
  #closeKey(): void {
    const marker = this.#marker;
    this.#marker = undefined;
    if (marker === undefined) return;
    const lastModified = Date.parse(marker.last_modified);
    const found = { key: marker.name, lastModified, noncurrentVersions: 0 };
    const due = deleteMarkerExpirationOf(this.configuration, found);
    if (due === undefined) return;
    this.#add(due.ruleId, 'remove_marker', isDue(due, this.nowMs), marker.name, 0);
  }

  async #seeCurrent(version: S3Version): Promise<void> {
    const object = await this.#objectOf(version);
    const { name, bytes } = version;
    const action = dueAction(this.configuration, object, this.nowMs, this.#classes);
    if (action !== undefined) {
      const { ruleId, action: effect } = action;
      this.#add(ruleId, effect, true, name, bytes);
      return;
    }
    const later = expirationOf(this.configuration, object);
    if (later !== undefined) this.#add(later.ruleId, 'expire', false, name, bytes);
  }

  /** A noncurrent delete marker goes like a version, and moves to no other storage class. */
  async #seeNoncurrent(version: S3Version, newer: S3Version | undefined): Promise<void> {
    const object = {
      ...(await this.#objectOf(version)),
      noncurrentSince: Date.parse(newer?.last_modified ?? version.last_modified),
      newerNoncurrentVersions: this.#noncurrent,
    };
    const action = dueNoncurrentAction(this.configuration, object, this.nowMs, this.#classes);
    if (action === undefined || (version.deleted && action.action !== 'expire')) return;
    const effect = action.action === 'expire' ? 'expire_version' : 'transition_version';
    this.#add(action.ruleId, effect, true, version.name, version.bytes);
  }

  async #objectOf({ name: key, id, deleted, bytes: size, ...version }: S3Version) {
    const { last_modified: time, storage_class: kind } = version;
    const tags = new Map<string, string>();
    if (!deleted && tagsMatter(this.configuration, { key, size })) {
      if (this.#tagsRead === TAGS_READ_MAX) this.#tagsUnread += 1;
      else {
        this.#tagsRead += 1;
        const versionId = this.place.versioning === 'Off' ? undefined : id;
        for (const tag of await tagsOf(this.place, { key, versionId }))
          tags.set(tag.key, tag.value);
      }
    }
    return { key, size, lastModified: Date.parse(time), tags, storageClass: kind ?? 'STANDARD' };
  }

  #add(ruleId: string, effect: LifecycleEffect, isNow: boolean, name: string, bytes: number): void {
    const place = `${effect} ${ruleId}`;
    const count = this.#counts.get(place) ?? { now: 0, later: 0, bytes: 0, examples: [] };
    this.#counts.set(place, count);
    if (!isNow) {
      count.later += 1;
      return;
    }
    count.now += 1;
    count.bytes += bytes;
    if (count.examples.length < EXAMPLES_MAX) count.examples.push(name);
  }
}
