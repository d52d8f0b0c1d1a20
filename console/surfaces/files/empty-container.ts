import type { JobControl } from '../../server/jobs.js';
import type { ApiError } from '../../server/api-error.js';
import type { ManyResult } from '../../server/audited-job.js';
import type { SwiftAccount } from '../../swift/account.js';
import { SwiftStatusError } from '../../swift/errors.js';
import { bulkDelete, BULK_NAMES_MAX } from './bulk-delete.js';
import { Tally } from './many.js';
import { versionsOf } from './names.js';
import { keptByS3 } from './object-info.js';
import { purge } from './purge.js';
import type { SegmentCleanup } from './segment-cleanup.js';
import type { S3Bucket } from './s3/s3-bucket.js';
import { deleteS3Version } from './s3/s3-objects.js';
import { abortUpload, walkUploads } from './s3/s3-uploads.js';
import { walkObjects } from './swift-listing.js';
import { orMissing } from './translate.js';
import { versioningOf } from './versioning.js';
import { walkVersions } from './versions.js';

interface EmptyOptions {
  /** How many names the store deletes at once; zero where it takes them one by one. */
  readonly bulkDeletesMax: number;
  readonly describe: (error: unknown) => ApiError;
  readonly control: JobControl;
  readonly cleanup: SegmentCleanup;
  /** The total for the progress: objects as the store counts them. */
  readonly total: number | null;
}

/** Deletes what is in containers, for good, and counts. */
export class Emptying {
  readonly #tally: Tally;

  constructor(
    private readonly store: SwiftAccount,
    private readonly options: EmptyOptions,
  ) {
    this.#tally = new Tally(options.control, options.describe, options.total);
  }

  get result(): ManyResult {
    return this.#tally.result;
  }

  /** Cleans up when all containers are empty, also where the job was cancelled. */
  async end(): Promise<void> {
    const { name, work } = this.options.cleanup.end;
    await work().catch((error: unknown) => {
      this.#tally.fail(name, error);
    });
  }

  /** All objects, and all their versions where the container keeps them. @throws SwiftStatusError */
  async empty(container: string): Promise<void> {
    const { headers } = await this.store.do([200, 204], 'HEAD', { container });
    const hasVersions = versioningOf(headers).mode === 'stack';
    // Only S3 knows which versions there are: without it nothing may go.
    const versions = { container: versionsOf(container) };
    const isKeptByS3 =
      !hasVersions && (await this.store.do([200, 204, 403, 404], 'HEAD', versions));
    if (isKeptByS3 && isKeptByS3.status < 300) throw keptByS3();
    let batch: string[] = [];
    const size = Math.min(BULK_NAMES_MAX, this.options.bulkDeletesMax);
    for await (const { name, slo_etag: slo } of walkObjects(this.store, container, '')) {
      if (this.options.control.signal.aborted) return;
      // Versions keep the manifest. They are deleted without their segments, which others may share.
      if (size < 2 || (slo !== undefined && !hasVersions)) {
        await this.#one(name, () => purge(this.store, container, name, this.options.cleanup));
        continue;
      }
      batch.push(name);
      if (batch.length < size) continue;
      await this.#many(container, batch);
      batch = [];
    }
    if (batch.length > 0) await this.#many(container, batch);
    if (hasVersions) await this.#versions(container);
  }

  /** All versions and delete markers, and uploads that were never finished. @throws S3StatusError */
  async emptyBucket(bucket: S3Bucket): Promise<void> {
    for await (const { name, id } of bucket.versions('')) {
      if (this.options.control.signal.aborted) return;
      await this.#one(name, () => deleteS3Version(bucket, name, id));
    }
    for await (const { name, upload_id: id } of walkUploads(bucket, '')) {
      if (this.options.control.signal.aborted) return;
      await this.#one(name, () => abortUpload(bucket, name, id));
    }
  }

  async #versions(container: string): Promise<void> {
    for await (const { name: object, version_id: id } of walkVersions(this.store, container, '')) {
      if (this.options.control.signal.aborted) return;
      const query = { 'version-id': id };
      await this.#one(object, () =>
        this.store.do([204, 404], 'DELETE', { container, object, query }),
      );
    }
  }

  async #many(container: string, names: readonly string[]): Promise<void> {
    const { deleted, errors } = await bulkDelete(
      this.store,
      container,
      names,
      this.options.control.signal,
    );
    this.#tally.succeed(deleted);
    for (const [name, status] of errors) {
      this.#tally.fail(decoded(name, container), errorOf(status));
    }
  }

  async #one(name: string, work: () => Promise<unknown>): Promise<void> {
    // Another client may have been faster.
    await this.#tally.attempt(name, () => work().catch(orMissing));
  }
}

/** @param status as a report of the store has it: `404 Not Found` */
function errorOf(status: string): SwiftStatusError {
  return new SwiftStatusError(Number.parseInt(status, 10), '');
}

/** The object's name of `/container/object`, encoded. */
function decoded(encoded: string, container: string): string {
  try {
    return decodeURIComponent(encoded).slice(container.length + 2);
  } catch {
    return encoded;
  }
}
