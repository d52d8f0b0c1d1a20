import { requireObjectLock } from './bucket-locks.js';
import type { RequestContext, S3Response } from '../../operation.js';
import {
  decideRetention,
  governanceBypass,
  requireAllowed,
} from '../../rules/object-lock/decision.js';
import { parseBypassHeader } from '../../rules/object-lock/headers.js';
import { retentionPatch, storedRetention } from '../../rules/object-lock/stored.js';
import { parseVersionId } from '../../rules/version-id.js';
import { readDocument } from '../request-document.js';
import { keyOf } from './named-version.js';

/** PutObjectRetention: what may become of it is SPEC.md 3.3's table. */
export async function putObjectRetention(context: RequestContext): Promise<S3Response> {
  const { services, call, headers, principal, endpoint } = context;
  const versionId = parseVersionId(endpoint.query);
  const bypass = governanceBypass(parseBypassHeader(headers), principal.role === 'owner');
  await requireObjectLock(context);
  const { retention: requested } = await readDocument(context, 'Retention');
  const entry = await services.versions.touchVersion(
    call,
    keyOf(context),
    versionId,
    ({ systemMetadata }) => {
      const existing = storedRetention(systemMetadata);
      const clock = services.clock.state();
      const now = Date.now();
      requireAllowed(decideRetention({ existing, requested, bypass, now, clock }));
      return retentionPatch(requested);
    },
  );
  return { status: 200, headers: [['x-amz-version-id', entry.id]], body: '' };
}
