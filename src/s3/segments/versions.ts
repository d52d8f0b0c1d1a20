import type { Backend, CallContext, ObjectRef } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { SYSTEM_METADATA } from '../object-attributes.js';
import { archiveContainer, hexKey } from '../versions/names.js';
import type { Upload } from './names.js';

const PAGE = 1000;

/**
 * The versions of the upload's key that are made of its parts, as the archive lists them: also one
 * that no index names yet, since whoever completed the upload may be about to commit it.
 */
export async function versionsOf(
  backend: Backend,
  call: CallContext,
  { account, bucket, key, uploadId }: Upload,
): Promise<ObjectRef[]> {
  const container = archiveContainer(account, bucket);
  const prefix = `${hexKey(key)}/`;
  const found: ObjectRef[] = [];
  let marker: string | undefined;
  try {
    for (let more = true; more;) {
      const page = await backend.listObjects(call, container, { prefix, marker, limit: PAGE });
      for (const entry of page.entries) {
        if (entry.kind !== 'object') continue;
        const { name, attributes } = entry.object;
        if (attributes[SYSTEM_METADATA.uploadId] === uploadId) {
          found.push({ ...container, object: name });
        }
        marker = name;
      }
      more = page.truncated;
    }
  } catch (error) {
    // A bucket without versions has no archive.
    if (!(error instanceof BackendError && error.code === 'NoSuchContainer')) throw error;
  }
  return found;
}
