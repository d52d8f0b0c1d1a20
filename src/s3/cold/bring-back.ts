import type {
  BodyInput,
  ObjectHead,
  ObjectRef,
  PutObjectInput,
  UpdateOutcome,
} from '../../backend/backend.js';
import type { ByteSource } from '../../lib/byte-source.js';
import type { ColdCopy, ColdSegment } from '../../cold/cold-backend.js';
import { ColdError } from '../../cold/cold-error.js';
import type { ColdObject } from '../rules/cold/cold-object.js';
import { S3Error } from '../s3-error.js';
import { BodyReader } from './body-reader.js';
import { stateUpdate, unchanged } from './cold-object.js';
import { isCopyOf, type ColdTools } from './cold-tools.js';
import { verified } from './verified-body.js';

/**
 * Streams the bytes of an object back from the cold backend, and opens its restore window in the same
 * instant as they are its body again: so no window is ever open without them. An object made of parts
 * gets its parts back, under their names, so that it reads as ever, part by part too.
 *
 * @param ref - the object itself, not a link to it
 * @throws BackendError; ColdError Corrupt when the copy is missing or damaged; S3Error
 *   `OperationAborted` when the store does not take a part
 */
export async function bringBack(
  tools: ColdTools,
  ref: ObjectRef,
  head: ObjectHead,
  { state, stamp }: ColdObject,
  restoredUntil: number,
): Promise<UpdateOutcome> {
  const { backend, call, cold } = tools;
  const found = state.copy && (await cold.get({ account: ref.account, ...state.copy }));
  if (found === undefined || !isCopyOf(found.copy, head)) {
    throw new ColdError('Corrupt', `the cold copy of ${ref.container}/${ref.object} is missing`);
  }
  const body = await bodyInput(tools, ref.account, found.copy, found.body);
  const update = {
    ...stateUpdate(backend.capabilities, { ...state, restoredUntil }, 'archived'),
    body,
  };
  return backend.updateBody(call, ref, update, unchanged(head, stamp));
}

async function bodyInput(
  tools: ColdTools,
  account: string,
  { size, etag, segments }: ColdCopy,
  body: ByteSource,
): Promise<BodyInput> {
  if (segments === undefined) {
    return { kind: 'bytes', source: verified(body, { size, etag }, tools.digests) };
  }
  const reader = new BodyReader(body);
  try {
    for (const segment of segments) await writeSegment(tools, account, segment, reader);
  } finally {
    await reader.close();
  }
  return { kind: 'segments', segments };
}

async function writeSegment(
  tools: ColdTools,
  account: string,
  { container, object, size, etag }: ColdSegment,
  reader: BodyReader,
): Promise<void> {
  const { backend, call } = tools;
  const ref = { account, container, object };
  const input: PutObjectInput = {
    size,
    contentType: 'application/octet-stream',
    body: verified(reader.take(size), { size, etag }, tools.digests),
    seal: () => ({ etag }),
  };
  await backend.createContainer(call, ref, {});
  const { outcome } = await backend.putObject(call, ref, input);
  // By the store's clock something newer stands there: it may not do so the next time.
  if (outcome !== 'created') throw new S3Error('OperationAborted');
}
