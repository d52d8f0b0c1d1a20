/** What a janitor does, or would do. */

interface Target {
  readonly account: string;
  readonly bucket: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

/** Deletes an object that a rule's Expiration is due for. */
export interface ExpireAction extends Target {
  readonly action: 'expire';
  readonly ruleId: string;
  /** Unquoted, as it was when it was looked at. */
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
}

/** Moves an object to another storage class: not until there is a cold tier. */
export interface TransitionAction extends Target {
  readonly action: 'transition';
  readonly ruleId: string;
  readonly size: number;
  readonly storageClass: string;
}

/** Ends an upload that AbortIncompleteMultipartUpload is due for, or whose bucket is gone. */
export interface AbortAction extends Target {
  readonly action: 'abort';
  /** Undefined when the bucket is gone. */
  readonly ruleId: string | undefined;
  readonly uploadId: string;
  /** Of the marker. */
  readonly etag: string;
}

/** Deletes the parts of an upload that belong to no open upload and no object. */
export interface SweepAction extends Target {
  readonly action: 'sweep';
  readonly uploadId: string;
  readonly parts: number;
  /** Bytes of all of them. */
  readonly size: number;
}

export type JanitorAction = ExpireAction | TransitionAction | AbortAction | SweepAction;

export type ActionName = JanitorAction['action'];

export const ACTION_NAMES = ['expire', 'transition', 'abort', 'sweep'] as const;

/**
 * `done`; `changed`: it is not any more what was looked at, and was left alone; `gone`: somebody
 * else deleted it; `unsupported`: this release cannot; `failed`: the store could not, and the next
 * pass tries again; `planned`: a dry run.
 */
export type ActionOutcome = 'done' | 'changed' | 'gone' | 'unsupported' | 'failed' | 'planned';

/** One line of `ringway janitor`: JSON without a line end. */
export function renderAction(action: JanitorAction, outcome: ActionOutcome): string {
  return JSON.stringify({
    action: action.action,
    outcome,
    account: action.account,
    bucket: action.bucket,
    key: action.key,
    rule_id: 'ruleId' in action ? action.ruleId : undefined,
    storage_class: 'storageClass' in action ? action.storageClass : undefined,
    upload_id: 'uploadId' in action ? action.uploadId : undefined,
    parts: 'parts' in action ? action.parts : undefined,
    size: 'size' in action ? action.size : undefined,
    last_modified: new Date(action.lastModified).toISOString(),
  });
}
