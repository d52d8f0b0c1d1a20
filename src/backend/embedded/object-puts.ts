import { createHash, hash } from 'node:crypto';
import type { ByteSource } from '../../byte-source.js';
import type {
  CallContext,
  ObjectRef,
  ObjectSeal,
  PutObjectInput,
  PutOutcome,
  WritePrecondition,
} from '../backend.js';
import { collectBody, type Intake, writeBody } from './body-intake.js';
import { fileBody } from './body-source.js';
import { UncertainCommitError } from './commit-queue.js';
import { asBackendError } from './lmdb-error.js';
import { joined } from './metadata.js';
import { holds, type Replacement, replaceObject } from './object-changes.js';
import { readSummary } from './object-reads.js';
import { type BodyPlace, encodeObject } from './object-record.js';
import type { StoreParts } from './parts.js';

/** What a put knows besides its body. */
interface Put {
  readonly ref: ObjectRef;
  readonly input: PutObjectInput;
  readonly precondition: WritePrecondition | undefined;
  readonly intake: Intake;
}

/**
 * Stores an object: its body in the index when it is small, else in a file that is complete and on
 * disk before the index names it.
 * @throws BackendError NoSuchContainer, BodyMismatch, StorageFull; what the body throws
 */
export async function putObject(
  parts: StoreParts,
  { signal }: CallContext,
  ref: ObjectRef,
  input: PutObjectInput,
  precondition: WritePrecondition | undefined,
): Promise<PutOutcome> {
  const put = { ref, input, precondition, intake: { body: input.body, size: input.size, signal } };
  const small = input.size <= parts.options.inlineBodyBytesMax;
  await parts.space.admit(input.size, !small);
  return small ? putSmall(parts, put) : putLarge(parts, put);
}

async function putSmall(parts: StoreParts, put: Put): Promise<PutOutcome> {
  const body = await collectBody(put.intake);
  const seal = put.input.seal?.();
  const etag = seal?.etag ?? hash('md5', body);
  put.intake.signal?.throwIfAborted();
  const replacement = replacementOf(put, seal, etag, body.length === 0 ? 'empty' : 'inline', body);
  return commit(parts, replacement, etag);
}

async function putLarge(parts: StoreParts, put: Put): Promise<PutOutcome> {
  // Spares the upload what the transaction would refuse; it looks again all the same.
  if (!holds(put.precondition, readSummary(parts, put.ref))) return FAILED;
  const bodyId = await parts.reservations.take();
  let outcome: PutOutcome;
  try {
    const { seal, etag } = await writeFile(parts, put, bodyId);
    put.intake.signal?.throwIfAborted();
    outcome = await commit(parts, replacementOf(put, seal, etag, 'file', bodyId), etag);
  } catch (error) {
    // An uncertain commit may have made the file part of an object: its row tells recovery.
    if (!(error instanceof UncertainCommitError)) await discard(parts, bodyId);
    throw error;
  }
  if (outcome.outcome !== 'created') await discard(parts, bodyId);
  return outcome;
}

/** Writes the body's file; on return it is complete and on disk, its folder entry included. */
async function writeFile(
  parts: StoreParts,
  { input, intake }: Put,
  bodyId: number,
): Promise<{ seal: ObjectSeal | undefined; etag: string }> {
  const { files, pool } = parts;
  // Who seals usually brings an ETag; then the bytes are not hashed here at all.
  const md5 = input.seal === undefined ? createHash('md5') : undefined;
  const file = await files.create(bodyId).catch(rethrow);
  let seal: ObjectSeal | undefined;
  try {
    await writeBody(intake, file, pool, md5);
    seal = input.seal?.();
    await file.datasync().catch(rethrow);
  } finally {
    await file.close();
  }
  await files.syncFoldersOf([bodyId]).catch(rethrow);
  const etag = seal?.etag ?? md5?.digest('hex') ?? (await md5OfFile(parts, bodyId, input.size));
  return { seal, etag };
}

/** Reads back what was just written, for the rare seal without an ETag. */
async function md5OfFile(parts: StoreParts, bodyId: number, size: number): Promise<string> {
  const md5 = createHash('md5');
  const whole = { start: 0, end: size - 1 };
  const { source } = fileBody(() => parts.files.openExisting(bodyId), whole, parts.pool);
  for await (const chunk of source as ByteSource) md5.update(chunk);
  return md5.digest('hex');
}

function replacementOf(
  { ref, input, precondition }: Put,
  seal: ObjectSeal | undefined,
  etag: string,
  place: BodyPlace,
  body: Buffer | number,
): Replacement {
  const { size, contentType, headers, metadata } = input;
  const systemMetadata = joined(input.systemMetadata, seal?.systemMetadata);
  const attributes = joined(input.listingAttributes, seal?.listingAttributes);
  const fields = { size, etag, contentType, headers, metadata, systemMetadata, attributes };
  return { ref, record: encodeObject(fields, place), size, body, precondition };
}

async function commit(
  { commits, reaper, owner }: StoreParts,
  replacement: Replacement,
  etag: string,
): Promise<PutOutcome> {
  const { outcome, freed } = await commits.run(replaceObject(replacement, owner));
  if (freed !== undefined) reaper.add([freed]);
  if (outcome === 'precondition_failed') return FAILED;
  return { outcome: 'created', etag, lastModified: outcome.lastModified };
}

/** Removes a file that became no object's body. Its row stays, and with it the id may be reused. */
async function discard({ files, reservations }: StoreParts, bodyId: number): Promise<void> {
  try {
    await files.unlink(bodyId);
    reservations.give(bodyId);
  } catch {
    // The row in the reclaim table tells recovery; the error that led here is the one to report.
  }
}

const FAILED: PutOutcome = { outcome: 'precondition_failed' };

function rethrow(error: unknown): never {
  throw asBackendError(error);
}
