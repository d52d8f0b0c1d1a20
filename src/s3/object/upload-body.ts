import type { Capabilities } from '../../backend/backend.js';
import type { ByteSource } from '../../lib/cancellation.js';
import type { Payload } from '../auth/payload-plan.js';
import { S3Error } from '../errors.js';

/** AWS's limit for one PUT, of an object or of a part, and Swift's default for one object. */
export const BODY_BYTES_MAX = 5 * 1024 ** 3;
/** Bodies up to this size are taken whole: one write, no stream machinery. */
const SMALL_BODY_BYTES_MAX = 65_536;

/** The body of an upload on its way to the backend. */
export interface UploadBody {
  /** As announced; undefined where the client sends it in chunks, and knows no length itself. */
  readonly size: number | undefined;
  readonly body: Buffer | ByteSource;
  /** How many bytes it was, once the backend has taken it. */
  readonly received: () => number;
}

/**
 * Refuses a body by what its client says of it, before any of it is read.
 * @throws S3Error `MissingContentLength` where the backend has to know the length; `EntityTooLarge`
 */
export function requireUploadable(
  { size }: Pick<Payload, 'size'>,
  { unsizedBodies }: Pick<Capabilities, 'unsizedBodies'>,
  bytesMax = BODY_BYTES_MAX,
): void {
  if (size === undefined && !unsizedBodies) throw new S3Error('MissingContentLength');
  if (size !== undefined && size > bytesMax) throw entityTooLarge(size, bytesMax);
}

/**
 * The body of a payload that may be uploaded. One without a length fails with `EntityTooLarge` when it
 * goes on too long, and the backend stores nothing of a body that fails.
 * @throws S3Error when the verification of a small body fails
 */
export async function uploadBody(payload: Payload, bytesMax = BODY_BYTES_MAX): Promise<UploadBody> {
  const { size } = payload;
  if (size === undefined) {
    const counted = countedBody(payload.source, bytesMax);
    return { size, ...counted };
  }
  const body = size <= SMALL_BODY_BYTES_MAX ? await payload.collect(size) : payload.source;
  return { size, body, received: () => size };
}

function countedBody(source: ByteSource, bytesMax: number): Pick<UploadBody, 'body' | 'received'> {
  let received = 0;
  async function* counted(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of source) {
      received += chunk.length;
      if (received > bytesMax) throw entityTooLarge(received, bytesMax);
      yield chunk;
    }
  }
  return { body: counted(), received: () => received };
}

function entityTooLarge(proposed: number, bytesMax: number): S3Error {
  return new S3Error('EntityTooLarge', undefined, {
    ProposedSize: String(proposed),
    MaxSizeAllowed: String(bytesMax),
  });
}
