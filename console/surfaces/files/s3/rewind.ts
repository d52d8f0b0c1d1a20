import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../server/api-error.js';
import type { JobControl } from '../../../server/jobs.js';
import { onlyOver, type S3Bucket, type S3Version } from './s3-bucket.js';
import { overtaken } from './s3-objects.js';

/** The step for one object when its bucket is taken back to an earlier time. */
interface RewindStep {
  readonly name: string;
  /** `restore`: a copy of an older version becomes current. `delete`: a delete marker does. */
  readonly action: 'restore' | 'delete';
  /** The version that comes back; null for what is deleted. */
  readonly version_id: string | null;
  readonly bytes: number;
  /** The version that is current now; null where none is. */
  readonly current_id: string | null;
}

export interface RewindPlan {
  readonly id: string;
  readonly container: string;
  readonly prefix: string;
  readonly at_unix_ms: number;
  readonly restores: number;
  readonly deletes: number;
  readonly unchanged: number;
  /** The size of all versions that come back. */
  readonly bytes: number;
  readonly steps: readonly RewindStep[];
}

/** A thousand requests to S3. */
const VERSIONS_MAX = 200_000;
/** A plan stays in memory until it is carried out. */
const STEPS_MAX = 10_000;

/**
 * Plans the steps that bring the objects below a prefix back to their state at a time. Versions
 * that were deleted for good since then cannot come back, and are not seen.
 * @throws ApiError unprocessable where there are too many steps; the errors of listings
 */
export async function planRewind(
  bucket: S3Bucket,
  prefix: string,
  atMs: number,
  control: JobControl,
): Promise<RewindPlan> {
  const steps: RewindStep[] = [];
  let unchanged = 0;
  let read = 0;
  let current: S3Version | undefined;
  let target: S3Version | undefined;
  const close = () => {
    if (current === undefined) return;
    const step = stepOf(current, target);
    if (step === undefined) unchanged += 1;
    else if (steps.push(step) > STEPS_MAX)
      throw tooMuch(`More than ${STEPS_MAX} objects would change. Rewind one folder at a time.`);
  };
  for await (const version of bucket.versions(prefix, { signal: control.signal })) {
    if (version.name !== current?.name) {
      close();
      current = version;
      target = undefined;
    }
    if (target === undefined && Date.parse(version.last_modified) <= atMs) target = version;
    if (++read > VERSIONS_MAX)
      throw tooMuch(`The folder has more than ${VERSIONS_MAX} versions. Rewind a smaller folder.`);
    control.progress(read, null);
  }
  close();
  const restores = steps.filter(({ action }) => action === 'restore');
  return {
    ...{ id: randomUUID(), container: bucket.name, prefix, at_unix_ms: atMs },
    restores: restores.length,
    deletes: steps.length - restores.length,
    unchanged,
    bytes: restores.reduce((sum, { bytes }) => sum + bytes, 0),
    steps,
  };
}

function stepOf(current: S3Version, target: S3Version | undefined): RewindStep | undefined {
  const { name } = current;
  const currentId = current.deleted ? null : current.id;
  if (target === undefined || target.deleted) {
    if (currentId === null) return undefined;
    return { name, action: 'delete', version_id: null, bytes: 0, current_id: currentId };
  }
  if (target.id === current.id) return undefined;
  const { id, bytes } = target;
  return { name, action: 'restore', version_id: id, bytes, current_id: currentId };
}

/**
 * Carries out one step, unless the object has changed since the plan was made.
 * @throws ApiError conflict
 */
export async function takeStep(bucket: S3Bucket, step: RewindStep): Promise<void> {
  const { name, version_id: versionId } = step;
  const current = await bucket.current(name);
  if ((current?.id ?? null) !== step.current_id) {
    throw new ApiError('conflict', 'The object has changed since the preview and was skipped.');
  }
  const to = { container: bucket.name, object: name };
  const work =
    versionId !== null
      ? bucket.copyTo(to, { key: name, versionId }, onlyOver(current?.etag))
      : bucket.delete(name, current?.etag ?? '');
  await work.catch(overtaken);
}

function tooMuch(message: string): ApiError {
  return new ApiError('unprocessable', message);
}
