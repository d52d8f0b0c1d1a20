import { requireHeaderNames } from '../rules/cors/validate.js';
import { validateLifecycle } from '../rules/lifecycle/validate.js';
import { parseAccessControlPolicy } from '../xml/access-control-policy.js';
import type { RequestDocument } from '../xml/bounds.js';
import { parseCompleteMultipartUpload } from '../xml/complete-multipart-upload.js';
import { parseCorsConfiguration, renderCorsConfiguration } from '../xml/cors-configuration.js';
import { parseCreateBucketConfiguration } from '../xml/create-bucket-configuration.js';
import { parseDelete } from '../xml/delete.js';
import { parseLegalHold } from '../xml/legal-hold.js';
import {
  parseLifecycleConfiguration,
  renderLifecycleConfiguration,
} from '../xml/lifecycle-configuration.js';
import { parseObjectLockConfiguration } from '../xml/object-lock-configuration.js';
import { parseRestoreRequest } from '../xml/restore-request.js';
import { parseRetention } from '../xml/retention.js';
import { parseTagging } from '../xml/tagging.js';
import { parseVersioningConfiguration } from '../xml/versioning-configuration.js';

/** The settings that check lifecycle rules: the configured storage classes, warmer ones first. */
export interface LifecycleSettings {
  readonly storageClasses: readonly string[];
}

/**
 * Every document that a request can have as its body, and the one stored document that can be as
 * long: the event loop and the XML thread read them by the same table. Parsers return plain data
 * that JSON can carry. A configuration that may be long comes back as it is to be stored, so that
 * the loop neither checks nor renders it.
 */
export const DOCUMENT_PARSERS = {
  AccessControlPolicy: parseAccessControlPolicy,
  BucketTagging: (body: Buffer) => parseTagging(body, 'bucket'),
  CompleteMultipartUpload: parseCompleteMultipartUpload,
  CORSConfiguration: (body: Buffer) => {
    const configuration = parseCorsConfiguration(body);
    requireHeaderNames(configuration);
    return renderCorsConfiguration(configuration);
  },
  CreateBucketConfiguration: parseCreateBucketConfiguration,
  Delete: parseDelete,
  LegalHold: parseLegalHold,
  LifecycleConfiguration: (body: Buffer, { storageClasses }: LifecycleSettings) => {
    const configuration = parseLifecycleConfiguration(body);
    validateLifecycle(configuration, storageClasses);
    return renderLifecycleConfiguration(configuration);
  },
  ObjectLockConfiguration: parseObjectLockConfiguration,
  ObjectTagging: (body: Buffer) => parseTagging(body, 'object'),
  RestoreRequest: parseRestoreRequest,
  /** Nothing in it where a retention is to be removed. */
  Retention: (body: Buffer) => ({ retention: parseRetention(body, Date.now()) }),
  StoredLifecycle: (body: Buffer) => parseLifecycleConfiguration(body),
  VersioningConfiguration: parseVersioningConfiguration,
} as const satisfies Readonly<Record<RequestDocument, unknown>> & Readonly<Record<string, unknown>>;

type Parsers = typeof DOCUMENT_PARSERS;

export type DocumentName = keyof Parsers;

/** The result of the parser of that name. */
export type ParsedDocument<Name extends DocumentName> = ReturnType<Parsers[Name]>;

/** The settings that the parser of that name needs besides the body: none, for most. */
export type DocumentSettings<Name extends DocumentName> =
  Parameters<Parsers[Name]> extends [Buffer, infer Settings] ? [settings: Settings] : [];

/** How documents are read, wherever that happens. */
export interface DocumentParser {
  /**
   * @param body verified; not changed, and not needed any more once the promise has settled
   * @throws S3Error as the document's parser; `ServiceUnavailable` when too many documents wait;
   *   `InternalError` when the thread that read this one was lost
   */
  parse<Name extends DocumentName>(
    name: Name,
    body: Buffer,
    ...settings: DocumentSettings<Name>
  ): Promise<ParsedDocument<Name>>;
}

/** Reads a document here and now. @throws S3Error as its parser */
export function parseDocument<Name extends DocumentName>(
  name: Name,
  body: Buffer,
  settings: readonly unknown[],
): ParsedDocument<Name> {
  const parser = DOCUMENT_PARSERS[name] as (
    body: Buffer,
    ...settings: readonly unknown[]
  ) => ParsedDocument<Name>;
  return parser(body, ...settings);
}
