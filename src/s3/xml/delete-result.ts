import type { ErrorCode } from '../errors.js';
import { element, optionalElement, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';

export interface DeletedObject {
  readonly outcome: 'deleted';
  readonly key: string;
  /** The version id that the request named. */
  readonly versionId?: string | undefined;
  /** A delete marker was written, or was what the version id named. */
  readonly deleteMarker?: boolean | undefined;
  /** The version id of that delete marker. */
  readonly deleteMarkerVersionId?: string | undefined;
}

export interface FailedObject {
  readonly outcome: 'failed';
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly code: ErrorCode;
  readonly message: string;
}

export type DeleteOutcome = DeletedObject | FailedObject;

/** The answer of DeleteObjects, in the order of the outcomes; a quiet one shows failures only. */
export function renderDeleteResult(outcomes: readonly DeleteOutcome[], quiet: boolean): string {
  let entries = '';
  for (const outcome of outcomes) {
    if (outcome.outcome === 'failed') entries += renderFailed(outcome);
    else if (!quiet) entries += renderDeleted(outcome);
  }
  return xmlDocument(`<DeleteResult xmlns="${S3_NAMESPACE}">${entries}</DeleteResult>`);
}

function renderDeleted(deleted: DeletedObject): string {
  return (
    `<Deleted>${element('Key', deleted.key)}` +
    optionalElement('VersionId', deleted.versionId) +
    (deleted.deleteMarker === true ? '<DeleteMarker>true</DeleteMarker>' : '') +
    `${optionalElement('DeleteMarkerVersionId', deleted.deleteMarkerVersionId)}</Deleted>`
  );
}

function renderFailed(failed: FailedObject): string {
  return (
    `<Error>${element('Key', failed.key)}` +
    optionalElement('VersionId', failed.versionId) +
    `${element('Code', failed.code)}${element('Message', failed.message)}</Error>`
  );
}
