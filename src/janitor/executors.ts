import type { Backend, CallContext, DeleteOutcome, ObjectRef } from '../backend/backend.js';
import { BackendError } from '../backend/errors.js';
import { ColdError } from '../cold/cold-error.js';
import { storedTags, SYSTEM_METADATA } from '../s3/object/attributes.js';
import { markerOf, type Upload } from '../s3/segments/names.js';
import { removeUnreferencedParts } from '../s3/segments/remove.js';
import { S3Error } from '../s3/errors.js';
import {
  type ActionOutcome,
  type ExpireAction,
  isVersionAction,
  type VersionBatch,
} from './actions.js';
import { removeExpired } from './expired-walk.js';
import { type ColdActions, isColdTierAction } from './cold-actions.js';
import { unlessGone } from './gone.js';
import type { Executor, Report } from './pass-context.js';
import type { RateLimitedBackend } from './rate-limit.js';
import type { Quarantine } from './quarantine.js';
import type { VersionActions } from './version-actions.js';

type SingleAction = Parameters<Executor['carryOut']>[0];

/** Reports actions without doing them. */
export class DryRun implements Executor {
  constructor(
    private readonly report: Report,
    private readonly versions: VersionActions,
  ) {}

  carryOut(action: SingleAction): Promise<void> {
    this.report(action, 'planned');
    return Promise.resolve();
  }

  async expireVersions(batch: VersionBatch): Promise<void> {
    const { outcomes } = await this.versions.plan(batch);
    for (const { action, outcome, error } of outcomes) this.report(action, outcome, error);
  }

  settle(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Does it. Each delete takes only what was looked at (ETag and time of modification, decided by the
 * store in the same instant), so that what was written since stays, and so that doing a part of a
 * pass twice does no harm.
 */
export class RealRun implements Executor {
  /** The uploads whose parts are in quarantine; bounded by the quarantine's size. */
  readonly #uploads = new Set<string>();

  constructor(
    private readonly backend: RateLimitedBackend,
    private readonly call: CallContext,
    private readonly quarantine: Quarantine,
    private readonly report: Report,
    private readonly cold: ColdActions,
    private readonly versions: VersionActions,
  ) {}

  async carryOut(action: SingleAction): Promise<void> {
    try {
      await this.#carryOut(action);
    } catch (error) {
      // A failure of one object is reported. Any other error, such as a lost lease, ends the pass.
      if (!isOfOneObject(error)) throw error;
      this.report(action, 'failed', error);
    }
  }

  async expireVersions(batch: VersionBatch): Promise<void> {
    try {
      const { outcomes, uploads } = await this.versions.expire(batch);
      for (const { action, outcome, error } of outcomes) this.report(action, outcome, error);
      for (const upload of uploads) await this.#removeParts(upload);
    } catch (error) {
      if (!isOfOneObject(error)) throw error;
      for (const action of batch.actions) this.report(action, 'failed', error);
    }
  }

  async settle(): Promise<void> {
    await this.quarantine.settle();
    await this.cold.cleanUp();
  }

  async #carryOut(action: SingleAction): Promise<void> {
    if (isVersionAction(action)) {
      const { outcome, uploads } = await this.versions.carryOut(action);
      this.report(action, outcome);
      for (const upload of uploads) await this.#removeParts(upload);
      return;
    }
    if (isColdTierAction(action)) {
      if (action.action === 'transition') await this.versions.beforeTransition(action);
      const { outcome, parts } = await this.cold.carryOut(action);
      if (outcome === 'done' && action.action === 'transition') await this.versions.moved(action);
      this.report(action, outcome);
      if (parts !== undefined) await this.#removeParts(parts.upload, undefined, parts.notAfter);
      return;
    }
    switch (action.action) {
      case 'expire': {
        const { account, bucket, key } = action;
        const deleted = await this.#expire({ account, container: bucket, object: key }, action);
        this.report(action, outcomeOf(deleted));
        const manifest = deleted?.outcome === 'deleted' ? deleted.removedManifest : undefined;
        const uploadId = manifest?.systemMetadata[SYSTEM_METADATA.uploadId];
        // A failure to remove its parts is the sweeper's: the object is gone.
        if (uploadId !== undefined) await this.#removeParts({ account, bucket, key, uploadId });
        return;
      }
      case 'remove': {
        const { outcome, upload } = await removeExpired(this.backend, this.call, action);
        this.report(action, outcome);
        if (upload !== undefined) await this.#removeParts(upload);
        return;
      }
      case 'abort': {
        const deleted = await this.#delete(markerOf(action), action);
        this.report(action, outcomeOf(deleted));
        if (deleted?.outcome === 'deleted') await this.#removeParts(action);
        return;
      }
      case 'sweep':
        // They go with the object that was expired, or the upload that was aborted, just now.
        if (this.#uploads.has(nameOf(action))) return;
        await this.#removeParts(
          action,
          (outcome, error) => {
            this.report(action, outcome, error);
          },
          action.lastModified,
        );
        return;
    }
  }

  /**
   * Tags can be changed without the ETag and the time: where they decide, they are read once more
   * right before the deletion, which waits for no turn of its own then.
   */
  #expire(ref: ObjectRef, action: ExpireAction): Promise<DeleteOutcome | undefined> {
    if (action.tags === undefined) return this.#delete(ref, action);
    return this.backend.together(2, async (backend) => {
      const head = await unlessGone(backend.headObject(this.call, ref));
      if (head === undefined) return undefined;
      if (storedTags(head) !== action.tags) return { outcome: 'precondition_failed' };
      return this.#delete(ref, action, backend);
    });
  }

  #delete(
    ref: ObjectRef,
    { etag, lastModified }: { readonly etag: string; readonly lastModified: number },
    backend: Backend = this.backend,
  ): Promise<DeleteOutcome | undefined> {
    return unlessGone(backend.deleteObject(this.call, ref, { etag, lastModified }));
  }

  /** Runs after the grace period, and then removes only unreferenced parts. */
  async #removeParts(
    { account, bucket, key, uploadId }: Upload,
    done: (outcome: ActionOutcome, error?: unknown) => void = () => undefined,
    notAfter?: number,
  ): Promise<void> {
    const upload = { account, bucket, key, uploadId };
    this.#uploads.add(nameOf(upload));
    await this.quarantine.add(async () => {
      this.#uploads.delete(nameOf(upload));
      try {
        const removal = await removeUnreferencedParts(this.backend, this.call, upload, notAfter);
        if (removal.outcome === 'open') done('changed');
        else done(removal.parts > 0 ? 'done' : 'gone');
      } catch (error) {
        if (!isOfOneObject(error)) throw error;
        done('failed', error);
      }
    });
  }
}

function isOfOneObject(error: unknown): boolean {
  return error instanceof BackendError || error instanceof ColdError || error instanceof S3Error;
}

function nameOf(upload: Upload): string {
  const { container, object } = markerOf(upload);
  return `${container}/${object}`;
}

function outcomeOf(deleted: DeleteOutcome | undefined): ActionOutcome {
  if (deleted === undefined) return 'gone';
  return deleted.outcome === 'deleted' ? 'done' : 'changed';
}
