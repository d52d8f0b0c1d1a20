import { createHash, hash, type Hash } from 'node:crypto';
import type { ByteSource } from '../../lib/cancellation.js';
import type {
  CallContext,
  ObjectRef,
  ObjectSeal,
  PutObjectInput,
  PutOutcome,
  WritePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { collectBody, type Intake } from '../body-intake.js';
import { writeBody } from './body-intake.js';
import { fileBody } from './body-source.js';
import { asBackendError } from './lmdb-error.js';
import { joined } from '../metadata-patch.js';
import { holds, type Replacement } from './object-changes.js';
import { readSummary } from './object-lookup.js';
import { type BodyPlace, encodeObject } from './object-record.js';
import type { StoreDeps } from './deps.js';
import { commitReplacement, commitWithFile, PRECONDITION_FAILED } from './replacements.js';

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
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  input: PutObjectInput,
  precondition: WritePrecondition | undefined,
): Promise<PutOutcome> {
  const put = { ref, input, precondition, intake: { body: input.body, size: input.size, context } };
  const small = input.size <= deps.options.inlineBodyBytesMax;
  await deps.space.admit(input.writeClass, input.size, !small);
  return small ? putSmall(deps, put) : putLarge(deps, put);
}

async function putSmall(deps: StoreDeps, put: Put): Promise<PutOutcome> {
  const body = await collectBody(put.intake);
  const seal = put.input.seal?.();
  const etag = seal?.etag ?? hash('md5', body);
  throwIfAborted(put.intake.context);
  const replacement = replacementOf(put, seal, etag, body.length === 0 ? 'empty' : 'inline', body);
  return commitReplacement(deps, { replacement, etag });
}

async function putLarge(deps: StoreDeps, put: Put): Promise<PutOutcome> {
  // Spares the upload what the transaction would refuse; it looks again all the same.
  if (!holds(put.precondition, readSummary(deps, put.ref))) return PRECONDITION_FAILED;
  const outcome = await commitWithFile(deps, async (bodyId) => {
    const { seal, etag } = await writeFile(deps, put, bodyId);
    throwIfAborted(put.intake.context);
    return { replacement: replacementOf(put, seal, etag, 'file', bodyId), etag };
  });
  return outcome ?? PRECONDITION_FAILED;
}

/** Writes the body's file; on return it is complete and on disk. */
async function writeFile(
  deps: StoreDeps,
  { input, intake }: Put,
  bodyId: number,
): Promise<{ seal: ObjectSeal | undefined; etag: string }> {
  // A caller with a seal usually supplies the ETag; then the bytes are not hashed here.
  const md5 = input.seal === undefined ? createHash('md5') : undefined;
  const seal = await writeBodyFile(deps, intake, bodyId, { md5, written: () => input.seal?.() });
  const etag = seal?.etag ?? md5?.digest('hex') ?? (await md5OfFile(deps, bodyId, input.size));
  return { seal, etag };
}

/**
 * Writes a body into the file of a reserved id. On return it is on disk, its folder entry included.
 * @param written - called when all bytes are there; what it gives is returned
 * @throws as {@link writeBody}
 */
export async function writeBodyFile<T>(
  { files, pool }: StoreDeps,
  intake: Intake,
  bodyId: number,
  { md5, written }: { readonly md5: Hash | undefined; readonly written: () => T },
): Promise<T> {
  const file = await files.create(bodyId).catch(rethrow);
  let sealed: T;
  try {
    await writeBody(intake, file, pool, md5);
    sealed = written();
    await file.datasync().catch(rethrow);
  } finally {
    await file.close();
  }
  await files.syncFoldersOf([bodyId]).catch(rethrow);
  return sealed;
}

/** Reads back what was just written, for the rare seal without an ETag. */
async function md5OfFile(deps: StoreDeps, bodyId: number, size: number): Promise<string> {
  const md5 = createHash('md5');
  const whole = { start: 0, end: size - 1 };
  const { source } = fileBody(() => deps.files.openExisting(bodyId), whole, deps.pool);
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
  const { size, contentType, headers, metadata, guard, deleteAt } = input;
  const systemMetadata = joined(input.systemMetadata, seal?.systemMetadata);
  const attributes = joined(input.listingAttributes, seal?.listingAttributes);
  const described = { contentType, headers, metadata, systemMetadata, attributes, deleteAt };
  const fields = { size, etag, ...described };
  return { ref, record: encodeObject(fields, place), bytesUsed: size, body, precondition, guard };
}

function rethrow(error: unknown): never {
  throw asBackendError(error);
}
