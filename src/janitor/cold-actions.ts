import type { Backend, CallContext, ObjectRef } from '../backend/backend.js';
import { ColdError } from '../cold/cold-error.js';
import { archiveObject, transitionObject } from '../s3/cold/archive.js';
import { headIfThere, type ColdTools } from '../s3/cold/cold-object.js';
import { releaseBody } from '../s3/cold/release.js';
import { SYSTEM_METADATA } from '../s3/object/attributes.js';
import { NO_COLD_CLASSES } from '../s3/rules/cold/classes.js';
import type { Upload } from '../s3/segments/names.js';
import { readParts } from '../s3/segments/parts.js';
import type {
  ActionOutcome,
  ColdAction,
  DiscardAction,
  JanitorAction,
  TransitionAction,
} from './actions.js';
import type { ColdSettings } from './cold-walk.js';

/** The parts of an object that was let go of. */
export interface ReleasedParts {
  readonly upload: Upload;
  /** Younger parts are those of a restore; milliseconds since the epoch. */
  readonly notAfter: number;
}

/** The outcome, and the parts that are left to be removed. */
export interface ColdResult {
  readonly outcome: ActionOutcome;
  readonly parts?: ReleasedParts | undefined;
}

export type ColdTierAction = TransitionAction | ColdAction | DiscardAction;

export function isColdTierAction(action: JanitorAction): action is ColdTierAction {
  return COLD_ACTIONS.has(action.action);
}

const COLD_ACTIONS: ReadonlySet<JanitorAction['action']> = new Set([
  'transition',
  'archive',
  'release',
  'discard',
]);

/** Carries out what the cold tier wants of a pass. */
export class ColdActions {
  constructor(
    private readonly backend: Backend,
    private readonly call: CallContext,
    private readonly now: () => number,
    private readonly cold: ColdSettings | undefined,
  ) {}

  /** @throws BackendError, ColdError; S3Error for a stamp that cannot be read */
  async carryOut(action: ColdTierAction): Promise<ColdResult> {
    const { backend, call, now, cold } = this;
    if (action.action === 'transition') {
      const { account, bucket, key, storageClass } = action;
      const ref = action.ref ?? { account, container: bucket, object: key };
      const tools = { backend, call, now, classes: cold?.classes ?? NO_COLD_CLASSES };
      return { outcome: await transitionObject(tools, ref, action, storageClass) };
    }
    if (cold === undefined) return { outcome: 'unsupported' };
    if (action.action === 'discard') {
      await cold.backend.delete(action.location);
      return { outcome: 'done' };
    }
    const { classes, digests } = cold;
    const tools = { backend, call, now, classes, digests, cold: cold.backend };
    if (action.action === 'archive') return { outcome: await archiveObject(tools, action.ref) };
    return release(tools, action);
  }

  /** Removes what archiving that ended with its process has left behind. Never fails: it is tried again. */
  async cleanUp(): Promise<void> {
    if (this.cold === undefined) return;
    const { backend, sweepAgeMs } = this.cold;
    await backend.cleanUp(this.now() - sweepAgeMs).catch((error: unknown) => {
      if (!(error instanceof ColdError)) throw error;
    });
  }
}

/** Parts are listed before the body goes: whatever is younger then belongs to a restore. */
async function release(tools: ColdTools, action: ColdAction): Promise<ColdResult> {
  const upload = await uploadOf(tools, action, action.ref);
  const listed = upload && (await readParts(tools.backend, tools.call, upload));
  const outcome = await releaseBody(tools, action.ref);
  if (upload === undefined || listed === undefined || outcome !== 'done') return { outcome };
  const notAfter = Math.max(...listed.map(({ lastModified }) => lastModified));
  return { outcome, parts: { upload, notAfter } };
}

async function uploadOf(
  tools: ColdTools,
  { account, bucket, key }: ColdAction,
  ref: ObjectRef,
): Promise<Upload | undefined> {
  const head = await headIfThere(tools, ref);
  const uploadId = head?.systemMetadata[SYSTEM_METADATA.uploadId];
  return uploadId === undefined ? undefined : { account, bucket, key, uploadId };
}
