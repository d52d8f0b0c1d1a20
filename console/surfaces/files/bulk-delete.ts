import type { SwiftAccount } from '../../swift/account.js';
import { UpstreamError } from '../../swift/errors.js';
import { swiftName } from '../../swift/path.js';

/** Names of a kilobyte, encoded: what a request of this many can be. */
export const BULK_NAMES_MAX = 1000;

const REPORT_BYTES_MAX = 8 * 1024 * 1024;
/** The store keeps the answer open with blanks while it works. */
const BULK_IDLE_MS = 5 * 60_000;

interface BulkOutcome {
  /** The number of deleted names, including those that were gone already. */
  readonly deleted: number;
  /** Names as they were sent, encoded, with the store's status for each. */
  readonly errors: readonly (readonly [string, string])[];
}

/**
 * Deletes plain objects many at a time; of manifests the manifest alone. Swift answers 200 always:
 * the verdict stands in the body (swift.common.middleware.bulk).
 * @throws UpstreamError for an answer that is no verdict; SwiftStatusError
 */
export async function bulkDelete(
  store: SwiftAccount,
  container: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<BulkOutcome> {
  const body = names.map((name) => swiftName(container, name)).join('\n');
  const { body: report } = await store.read(
    [200],
    'POST',
    {
      query: { 'bulk-delete': '' },
      headers: {
        'content-type': 'text/plain',
        accept: 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      },
      body,
      idleMs: BULK_IDLE_MS,
      signal,
    },
    REPORT_BYTES_MAX,
  );
  return outcomeOf(report.toString('utf8'));
}

function outcomeOf(text: string): BulkOutcome {
  let report: Readonly<Record<string, unknown>>;
  try {
    report = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new UpstreamError('invalid');
  }
  const errors = report.Errors;
  if (!Array.isArray(errors)) throw new UpstreamError('invalid');
  const counted = Number(report['Number Deleted']) + Number(report['Number Not Found']);
  if (!Number.isFinite(counted)) throw new UpstreamError('invalid');
  return { deleted: counted, errors: errors as [string, string][] };
}
