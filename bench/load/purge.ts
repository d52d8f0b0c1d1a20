import type { DeletedKey, Dialect } from '../dialects/dialect.js';
import { exchangeAll, fetchBody, fetchReply } from './unmeasured.js';

const CONCURRENCY = 16;

/**
 * Deletes a bucket with all that is in it. A target without listings is skipped: it belongs to the
 * run, and its folder is deleted as a whole. A missing bucket is no error: a target with the same
 * store has deleted it.
 */
export async function purgeBucket(
  dialect: Dialect,
  bucket: string,
  versions: boolean,
): Promise<void> {
  if (!dialect.features.has('list')) return;
  for (;;) {
    const listing = dialect.list({ bucket, prefix: '', keysMax: 1000, versions }, () => undefined);
    const expect = { ...listing.expect, statuses: [200, 404] };
    const { status, body } = await fetchReply(dialect, { ...listing, expect });
    if (status === 404) return;
    const page = dialect.readPage(body);
    if (page.names.length === 0) break;
    const keys = page.names.map((key, i): DeletedKey => {
      const versionId = page.versionIds[i];
      return versionId === undefined ? { key } : { key, versionId };
    });
    if (dialect.features.has('multi-delete')) {
      await fetchBody(dialect, dialect.multiDelete(bucket, keys));
    } else {
      await exchangeAll(
        dialect,
        CONCURRENCY,
        keys.map(({ key }) => dialect.delete(bucket, key)),
      );
    }
  }
  await fetchBody(dialect, dialect.deleteBucket(bucket));
}
