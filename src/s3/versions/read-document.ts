import type { Backend, CallContext, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import type { ByteSource } from '../../lib/cancellation.js';
import { S3Error } from '../errors.js';

/** The largest document that is read into memory, whatever the limit for writes. */
const READ_BYTES_MAX = 64 * 1024 * 1024;

/** The limit of attempts to read a document whose body breaks off. */
const ATTEMPTS_MAX = 6;

/** An object in the place of an index or of a fence. */
export interface FoundDocument {
  readonly bytes: Buffer;
  readonly head: ObjectHead;
}

/**
 * Reads the newest copy of a small object whole.
 * @returns undefined where there is none
 * @throws S3Error `InternalError` when it is too large; BackendError
 */
export async function readDocument(
  backend: Backend,
  call: CallContext,
  ref: ObjectRef,
): Promise<FoundDocument | undefined> {
  try {
    for (let attempt = 1; ; attempt++) {
      const { head, body } = await backend.getObject(call, ref, undefined, { newest: true });
      if (head.size > READ_BYTES_MAX) {
        body.cancel();
        throw tooLarge(ref, head.size);
      }
      const bytes = await collect(body.source).catch((error: unknown) => {
        if (attempt === ATTEMPTS_MAX || !isCode(error, 'Unavailable')) throw error;
        return undefined;
      });
      if (bytes !== undefined) return { bytes, head };
    }
  } catch (error) {
    // A name that is too long for the store has no object.
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer', 'NameTooLong')) return undefined;
    throw error;
  }
}

/** Looks at the newest copy of an object. @returns undefined where there is none @throws BackendError */
export async function headNewest(
  backend: Backend,
  call: CallContext,
  ref: ObjectRef,
): Promise<ObjectHead | undefined> {
  try {
    return await backend.headObject(call, ref, { newest: true });
  } catch (error) {
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return undefined;
    throw error;
  }
}

/** The bytes of a source as one buffer. */
export async function collect(source: Buffer | ByteSource): Promise<Buffer> {
  if (Buffer.isBuffer(source)) return source;
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function tooLarge({ container, object }: ObjectRef, size: number): S3Error {
  const cause = new Error(`${container}/${object} is of ${size} bytes, which is no index of ours`);
  return new S3Error('InternalError', undefined, {}, { cause });
}
