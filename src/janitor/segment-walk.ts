import type { ListedObject } from '../backend/backend.js';
import { mapLimited } from '../lib/promises.js';
import { S3Error } from '../s3/errors.js';
import { SYSTEM_METADATA } from '../s3/object/attributes.js';
import { abortOf, isDue } from '../s3/rules/lifecycle/evaluate.js';
import {
  markerOf,
  parseSegmentName,
  partsPrefix,
  segmentsContainer,
  targetOf,
  type SegmentName,
  type Upload,
} from '../s3/segments/names.js';
import { versionsOf } from '../s3/segments/parts.js';
import { areInForce, newestHead, type BucketRules } from './bucket-rules.js';
import { unlessOutOfReach } from './gone.js';
import { CONCURRENCY, type PassContext, walkListing } from './pass-context.js';

/** Facts about the bucket beside its parts. */
export interface BucketOfSegments {
  readonly bucket: string;
  readonly exists: boolean;
  readonly rules: BucketRules;
}

/** The parts of one upload, as far as they have been listed. */
interface Group {
  readonly upload: Upload;
  parts: number;
  /** Bytes of all of them. */
  size: number;
  /** The time of the youngest part. */
  lastModified: number;
}

/**
 * Finds, in the companion container of a bucket, uploads to be aborted and parts that belong to
 * nothing. Names that no gateway wrote are left alone. An upload's marker comes before its parts,
 * and these come together, so that one upload at a time is held in memory.
 */
export class SegmentWalk {
  #group: Group | undefined;
  /** The upload whose marker was listed last: it is open, or aborted, and its parts go with it. */
  #marked: Upload | undefined;

  constructor(
    private readonly pass: PassContext,
    private readonly about: BucketOfSegments,
  ) {}

  /** @param reached - told a name when all up to it is settled */
  async run(marker: string, reached: (name: string) => void): Promise<void> {
    const { account } = this.pass;
    const container = segmentsContainer(account, this.about.bucket);
    // For names that continue on the next page, a resumed pass sees only the rest.
    await walkListing(this.pass, container, marker, (object) => this.#look(object), reached);
    await this.#closeGroup();
  }

  async #look(object: ListedObject): Promise<void> {
    const name = parseSegmentName(object.name);
    if (name === undefined) return;
    const upload = this.#uploadOf(name);
    if (name.kind === 'marker') await this.#lookAtMarker(upload, object);
    else await this.#lookAtPart(upload, object);
  }

  async #lookAtMarker(upload: Upload, { etag, lastModified }: ListedObject): Promise<void> {
    this.#marked = upload;
    const { exists, rules } = this.about;
    const { configuration } = rules;
    const initiated = { key: upload.key, initiatedAt: lastModified };
    const due = configuration === undefined ? undefined : abortOf(configuration, initiated);
    const orphaned = !exists && this.#isOld(lastModified);
    if (!orphaned && !isDue(due, this.pass.now())) return;
    if (!orphaned && !(await this.#areInForce(rules))) return;
    const ruleId = orphaned ? undefined : due?.ruleId;
    await this.pass.executor.carryOut({ action: 'abort', ...upload, ruleId, etag, lastModified });
  }

  /** Looked up for each upload that is to be aborted, which are few: it takes as many calls as parts. */
  async #areInForce(rules: BucketRules): Promise<boolean> {
    const head = await newestHead(this.pass, this.about.bucket);
    return head !== undefined && areInForce(rules, head);
  }

  async #lookAtPart(upload: Upload, { size, lastModified }: ListedObject): Promise<void> {
    if (isSame(upload, this.#marked)) return;
    if (!isSame(upload, this.#group?.upload)) await this.#closeGroup();
    this.#group ??= { upload, parts: 0, size: 0, lastModified: 0 };
    this.#group.parts += 1;
    this.#group.size += size;
    this.#group.lastModified = Math.max(this.#group.lastModified, lastModified);
  }

  async #closeGroup(): Promise<void> {
    const group = this.#group;
    this.#group = undefined;
    if (group === undefined || !this.#isOld(group.lastModified)) return;
    const { upload, lastModified } = group;
    const orphans = await this.#orphansOf(group).catch((error: unknown) => {
      // Without a readable index, it is unknown which parts the versions of the key need.
      if (!(error instanceof S3Error)) throw error;
      this.pass.unreadable(`${upload.bucket}/${upload.key}`, error);
      return NONE;
    });
    if (orphans.parts === 0) return;
    await this.pass.executor.carryOut({ action: 'sweep', ...upload, ...orphans, lastModified });
  }

  /** One call for what is in use, as nearly all parts are; more only where something is wrong. */
  async #orphansOf({ upload, parts, size }: Group): Promise<{ parts: number; size: number }> {
    const { backend, call } = this.pass;
    const target = await unlessOutOfReach(backend.headObject(call, targetOf(upload)));
    const isOurs = target?.systemMetadata[SYSTEM_METADATA.uploadId] === upload.uploadId;
    if (isOurs && (target.segmentCount ?? 0) >= parts) return NONE;
    // The marker is read first: a completion writes the object before it removes the marker.
    const marker = await unlessOutOfReach(backend.headObject(call, markerOf(upload)));
    if (marker !== undefined) return NONE;
    const prefix = partsPrefix(upload);
    const objects = [targetOf(upload), ...(await versionsOf(backend, call, upload))];
    const segments = await mapLimited(objects, CONCURRENCY, async (ref) => {
      return (await unlessOutOfReach(backend.getSegments(call, ref))) ?? [];
    });
    const used = new Map(
      segments
        .flat()
        .filter(({ object }) => object.startsWith(prefix))
        .map((segment) => [segment.object, segment.size]),
    );
    if (used.size >= parts) return NONE;
    const usedSize = [...used.values()].reduce((sum, bytes) => sum + bytes, 0);
    return { parts: parts - used.size, size: size - usedSize };
  }

  #isOld(lastModified: number): boolean {
    return lastModified <= this.pass.now() - this.pass.settings.segmentSweepAgeMs;
  }

  #uploadOf({ key, uploadId }: SegmentName): Upload {
    return { account: this.pass.account, bucket: this.about.bucket, key, uploadId };
  }
}

const NONE = { parts: 0, size: 0 };

function isSame(a: Upload, b: Upload | undefined): boolean {
  return a.uploadId === b?.uploadId && a.key === b.key;
}
