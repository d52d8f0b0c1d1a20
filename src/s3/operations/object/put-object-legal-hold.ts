import { requireObjectLock } from './bucket-locks.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { legalHoldPatch, storedLegalHold } from '../../rules/object-lock/stored.js';
import { parseVersionId } from '../../rules/version-id.js';
import { readDocument } from '../request-document.js';
import { keyOf } from './named-version.js';

/** PutObjectLegalHold. SPEC.md 3.2 */
export async function putObjectLegalHold(context: RequestContext): Promise<S3Response> {
  const { services, call, endpoint } = context;
  const versionId = parseVersionId(endpoint.query);
  await requireObjectLock(context);
  const legalHold = await readDocument(context, 'LegalHold');
  const entry = await services.versions.touchVersion(
    call,
    keyOf(context),
    versionId,
    ({ systemMetadata }) => {
      // What cannot be read is not written over: SPEC.md 3.2.
      storedLegalHold(systemMetadata);
      return legalHoldPatch(legalHold);
    },
  );
  return { status: 200, headers: [['x-amz-version-id', entry.id]], body: '' };
}
