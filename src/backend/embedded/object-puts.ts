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
import { collectBody, isSized, withSize, type Intake, type SizedIntake } from '../body-intake.js';
import { writeBody } from './body-intake.js';
import { fileBody } from './body-source.js';
import { asBackendError } from './lmdb-error.js';
import { joined } from '../metadata-patch.js';
import { holds, type Replacement } from './object-changes.js';
import { readSummary } from './object-lookup.js';
import { type BodyPlace, encodeObject } from './object-record.js';
import type { StoreDeps } from './deps.js';
import { commitReplacement, commitWithFile, PRECONDITION_FAILED } from './replacements.js';

/** Everything about a put besides its body. */
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
  const { inlineBodyBytesMax } = deps.options;
  return withSize({ body: input.body, size: input.size, context }, inlineBodyBytesMax, (intake) => {
    const put = { ref, input, precondition, intake };
    return isSized(intake) ? putSized(deps, put, intake) : putLarge(deps, growing(deps, put));
  });
}

async function putSized(deps: StoreDeps, put: Put, intake: SizedIntake): Promise<PutOutcome> {
  const small = intake.size <= deps.options.inlineBodyBytesMax;
  await deps.space.admit(put.input.writeClass, intake.size, !small);
  return small ? putSmall(deps, put, intake) : putLarge(deps, put);
}

/** How much of a body of unknown size is admitted at a time. */
const ADMITTED_BYTES = 4 * 1024 * 1024;

/** Asks for room while the body comes, since its size is unknown. */
function growing({ space }: StoreDeps, put: Put): Put {
  const { body } = put.intake;
  async function* admitted(): AsyncGenerator<Buffer> {
    let left = 0;
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      if (chunk.length > left) {
        left = Math.max(ADMITTED_BYTES, chunk.length);
        await space.admit(put.input.writeClass, left, true);
      }
      left -= chunk.length;
      yield chunk;
    }
  }
  return { ...put, intake: { ...put.intake, body: admitted() } };
}

async function putSmall(deps: StoreDeps, put: Put, intake: SizedIntake): Promise<PutOutcome> {
  const body = await collectBody(intake);
  const seal = put.input.seal?.();
  const etag = seal?.etag ?? hash('md5', body);
  throwIfAborted(put.intake.context);
  const { length: size } = body;
  const place = size === 0 ? 'empty' : 'inline';
  const replacement = replacementOf(put, { seal, etag, size, place, body });
  return commitReplacement(deps, { replacement, etag });
}

async function putLarge(deps: StoreDeps, put: Put): Promise<PutOutcome> {
  // Spares the upload what the transaction would refuse; it looks again all the same.
  if (!holds(put.precondition, readSummary(deps, put.ref))) return PRECONDITION_FAILED;
  const outcome = await commitWithFile(deps, async (bodyId) => {
    const { seal, etag, size } = await writeFile(deps, put, bodyId);
    throwIfAborted(put.intake.context);
    const replacement = replacementOf(put, { seal, etag, size, place: 'file', body: bodyId });
    return { replacement, etag };
  });
  return outcome ?? PRECONDITION_FAILED;
}

/** Writes the body's file; on return it is complete and on disk. */
async function writeFile(
  deps: StoreDeps,
  { input, intake }: Put,
  bodyId: number,
): Promise<Pick<Received, 'seal' | 'etag' | 'size'>> {
  // A caller with a seal usually supplies the ETag; then the bytes are not hashed here.
  const md5 = input.seal === undefined ? createHash('md5') : undefined;
  const written = (size: number): { seal: ObjectSeal | undefined; size: number } => ({
    seal: input.seal?.(),
    size,
  });
  const { seal, size } = await writeBodyFile(deps, intake, bodyId, { md5, written });
  const etag = seal?.etag ?? md5?.digest('hex') ?? (await md5OfFile(deps, bodyId, size));
  return { seal, etag, size };
}

/**
 * Writes a body into the file of a reserved id. On return it is on disk, its folder entry included.
 * @param written - called with their number when all bytes are there; what it gives is returned
 * @throws as {@link writeBody}
 */
export async function writeBodyFile<T>(
  { files, pool }: StoreDeps,
  intake: Intake,
  bodyId: number,
  { md5, written }: { readonly md5: Hash | undefined; readonly written: (size: number) => T },
): Promise<T> {
  const file = await files.create(bodyId).catch(rethrow);
  let sealed: T;
  try {
    sealed = written(await writeBody(intake, file, pool, md5));
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

/** A body that is all there. */
interface Received {
  readonly seal: ObjectSeal | undefined;
  readonly etag: string;
  readonly size: number;
  readonly place: BodyPlace;
  /** Its bytes, or the id of their file. */
  readonly body: Buffer | number;
}

function replacementOf(
  { ref, input, precondition }: Put,
  { seal, etag, size, place, body }: Received,
): Replacement {
  const { contentType, headers, metadata, guard, deleteAt } = input;
  const systemMetadata = joined(input.systemMetadata, seal?.systemMetadata);
  const attributes = joined(input.listingAttributes, seal?.listingAttributes);
  const described = { contentType, headers, metadata, systemMetadata, attributes, deleteAt };
  const fields = { size, etag, ...described };
  return { ref, record: encodeObject(fields, place), bytesUsed: size, body, precondition, guard };
}

function rethrow(error: unknown): never {
  throw asBackendError(error);
}
