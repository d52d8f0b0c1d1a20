import { createHash } from 'node:crypto';
import type { CallContext } from '../../backend.js';
import type { ByteSource } from '../../../lib/cancellation.js';
import { encodeContainer } from '../container-record.js';
import { withSize } from '../../body-intake.js';
import type { StoreDeps } from '../deps.js';
import { forgetExpiry, rememberExpiry } from '../expired-objects.js';
import { afterPrefix, containerKey, idKey, objectKey } from '../keys.js';
import { bytesUsedBy, dropBody, storeBody } from '../object-changes.js';
import { writeBodyFile } from '../object-puts.js';
import { type BodyPlace, decodeSummary, encodeObject, stampObject } from '../object-record.js';
import { withBodyFile } from '../replacements.js';
import { encodeSegments } from '../segment-list.js';
import type { WriteTransaction } from '../write-transaction.js';
import {
  EXPORT_VERSION,
  type ExportedContainer,
  type ExportedObject,
  type ExportEnd,
  ExportFormatError,
} from './export-lines.js';
import { ExportReader } from './export-reader.js';
import { containerOfKey, nameOfKey } from './state.js';
import {
  forgetDeadImport,
  readMark,
  removeImported,
  removeMark,
  writeMark,
} from './unfinished-import.js';

/** The store has containers, or takes in another export. */
export class ImportRefusedError extends Error {
  override readonly name = 'ImportRefusedError';
}

/** Ringway's own container, which a service makes by itself: an export brings another one. */
const OWN_CONTAINER = '.ringway';
/** Small objects share a transaction, up to so many or so many bytes. */
const BATCH_ROWS = 256;
const BATCH_BYTES = 1024 * 1024;

/**
 * Takes in an export. Nothing of it is seen before all of it is there and is what was exported; what
 * fails, or is killed, leaves nothing: see unfinished-import.ts. A service may run beside it.
 *
 * @throws ImportRefusedError, ExportFormatError; BackendError StorageFull, as a commit; what the source
 *   throws; the reason of the signal
 */
export async function importStore(
  deps: StoreDeps,
  signal: AbortSignal,
  source: ByteSource | AsyncIterable<Buffer>,
): Promise<ExportEnd> {
  await forgetDeadImport(deps);
  const from = await deps.commits.run((transaction) => {
    if (readMark(transaction.tables, deps.self.bootId) !== undefined) {
      return 'another import into this store is under way';
    }
    const problem = whyNotEmpty(transaction);
    if (problem !== undefined) return problem;
    const first = transaction.newContainerId();
    writeMark(transaction, first, deps.owner);
    return first;
  });
  if (typeof from === 'string') throw new ImportRefusedError(from);
  try {
    return await new Import(deps, signal, source).run();
  } catch (error) {
    await removeImported(deps, from);
    throw error;
  }
}

interface Imported {
  readonly ref: ExportedContainer;
  readonly id: number;
  objects: number;
  bytes: number;
  expiring: number;
}

interface SmallObject {
  readonly container: Imported;
  readonly object: ExportedObject;
  readonly record: Buffer;
  readonly body: Buffer;
}

class Import {
  readonly #reader: ExportReader;
  readonly #containers: Imported[] = [];
  readonly #context: CallContext;
  #small: SmallObject[] = [];
  #smallBytes = 0;
  #objects = 0;
  #bytes = 0;
  /** Keys of the last container, and of the last object in it. */
  #lastContainer: Buffer = NOTHING;
  #lastObject: Buffer = NOTHING;

  constructor(
    private readonly deps: StoreDeps,
    private readonly signal: AbortSignal,
    source: ByteSource | AsyncIterable<Buffer>,
  ) {
    this.#reader = new ExportReader(source, createHash('sha256'));
    this.#context = { requestId: 'import' };
  }

  async run(): Promise<ExportEnd> {
    const { line: first } = await this.#reader.line();
    const version = 'ringway_export' in first ? first.ringway_export : undefined;
    if (version === undefined) throw new ExportFormatError('it is no export of a store');
    if (version !== EXPORT_VERSION) {
      throw new ExportFormatError(
        `the export has format ${version}; this release reads format ${EXPORT_VERSION}`,
      );
    }
    for (;;) {
      this.signal.throwIfAborted();
      const { line, before } = await this.#reader.line();
      if ('container' in line) await this.#begin(line.container);
      else if ('object' in line) await this.#object(line.object);
      else if ('end' in line) return await this.#end(line.end, before());
      else throw new ExportFormatError('the export has a line that this release does not know');
    }
  }

  async #begin(ref: ExportedContainer): Promise<void> {
    this.#lastContainer = laterKey(this.#lastContainer, containerKey(ref), 'container');
    this.#lastObject = NOTHING;
    const id = await this.deps.commits.run((transaction) => transaction.newContainerId());
    this.#containers.push({ ref, id, objects: 0, bytes: 0, expiring: 0 });
  }

  async #object(object: ExportedObject): Promise<void> {
    const container = this.#containers.at(-1);
    if (container === undefined)
      throw new ExportFormatError('the export has an object outside of a container');
    this.#lastObject = laterKey(this.#lastObject, Buffer.from(object.name), 'object');
    const { size, body, segments } = object;
    const { inlineBodyBytesMax } = this.deps.options;
    if (body === 'bytes' && size > inlineBodyBytesMax) await this.#large(container, object);
    else if (body === 'bytes') {
      const bytes = await collected(this.#reader.body(size));
      await this.#add(container, object, size === 0 ? 'empty' : 'inline', bytes);
    } else {
      const bytes = body === 'segments' ? await encodeSegments(segments ?? []) : NOTHING;
      await this.#add(container, object, body, bytes);
    }
    container.objects += 1;
    this.#objects += 1;
    if (object.delete_at_ms !== undefined) container.expiring += 1;
    if (body !== 'bytes') return;
    container.bytes += size;
    this.#bytes += size;
  }

  async #add(
    container: Imported,
    object: ExportedObject,
    place: BodyPlace,
    body: Buffer,
  ): Promise<void> {
    this.#small.push({ container, object, record: recordOf(object, place), body });
    this.#smallBytes += body.length;
    if (this.#small.length >= BATCH_ROWS || this.#smallBytes >= BATCH_BYTES)
      await this.#commitSmall();
  }

  async #commitSmall(): Promise<void> {
    const batch = this.#small;
    await this.deps.space.admit(undefined, this.#smallBytes, false);
    this.#small = [];
    this.#smallBytes = 0;
    await this.deps.commits.run((transaction) => {
      for (const { container, object, record, body } of batch) {
        putRow(transaction, container, object, record, storeBody(transaction, body));
      }
    });
  }

  async #large(container: Imported, object: ExportedObject): Promise<void> {
    const { deps } = this;
    const { size } = object;
    await deps.space.admit(undefined, size, true);
    const record = recordOf(object, 'file');
    await withSize({ body: this.#reader.body(size), size, context: this.#context }, 0, (intake) =>
      withBodyFile(
        deps,
        async (bodyId) => {
          await writeBodyFile(deps, intake, bodyId, { md5: undefined, written: () => undefined });
          await deps.commits.run((transaction) => {
            putRow(transaction, container, object, record, storeBody(transaction, bodyId));
          });
        },
        () => true,
      ),
    );
  }

  /** Makes all of it visible at once. */
  async #end(end: ExportEnd, sha256: string): Promise<ExportEnd> {
    await this.#reader.end();
    await this.#commitSmall();
    const counts = {
      containers: this.#containers.length,
      objects: this.#objects,
      bytes: this.#bytes,
    };
    if (end.sha256 !== sha256)
      throw new ExportFormatError('the export is damaged: its SHA-256 is another one');
    if (
      end.containers !== counts.containers ||
      end.objects !== counts.objects ||
      end.bytes !== counts.bytes
    )
      throw new ExportFormatError('the export is damaged: its counts are not those of its objects');
    const freed: number[] = [];
    const problem = await this.deps.commits.run((transaction) => {
      const refusal = whyNotEmpty(transaction);
      if (refusal !== undefined) return refusal;
      for (const container of this.#containers) this.#show(transaction, container, freed);
      removeMark(transaction);
      return undefined;
    });
    if (problem !== undefined) throw new ImportRefusedError(problem);
    this.deps.reaper.add(freed);
    return { ...counts, sha256 };
  }

  #show(transaction: WriteTransaction, container: Imported, freed: number[]): void {
    const { ref, id, objects, bytes } = container;
    const { tables } = transaction;
    const key = containerKey(ref);
    if (tables.containers.get(key) !== undefined)
      dropContainer(transaction, ref, this.deps.owner, freed);
    const { created_ms: createdAt, metadata, system_metadata: systemMetadata, acl } = ref;
    void tables.containers.put(
      key,
      encodeContainer({ id, createdAt, metadata, systemMetadata, acl }),
    );
    transaction.createUsage(id);
    transaction.addUsage(id, objects, bytes);
    if (container.expiring === 0) return;
    for (const row of rowsOf(transaction, id)) {
      const { deleteAt } = decodeSummary(row.value, row.value.length);
      rememberExpiry(tables, { ...ref, object: nameOfKey(Buffer.from(row.key)) }, deleteAt);
    }
  }
}

/**
 * An export is in the order of its keys, so that one that comes twice is noticed: the second would
 * replace the first, whose body nothing would name.
 *
 * @returns `key` @throws ExportFormatError
 */
function laterKey(last: Buffer, key: Buffer, kind: string): Buffer {
  if (last.compare(key) < 0) return key;
  throw new ExportFormatError(
    `the export has the same ${kind} twice, or not in the order of names`,
  );
}

/** Undefined when the store has no container but Ringway's own. */
function whyNotEmpty({ tables }: WriteTransaction): string | undefined {
  for (const { key } of tables.containers.getRange({})) {
    const { account, container } = containerOfKey(Buffer.from(key));
    if (container === OWN_CONTAINER) continue;
    return `the store is not empty: account ${account} has a bucket ${container}`;
  }
  return undefined;
}

/** Removes a container with all that is in it: Ringway's own, which is small. */
function dropContainer(
  transaction: WriteTransaction,
  ref: ExportedContainer,
  owner: Buffer,
  freed: number[],
): void {
  const { tables } = transaction;
  const id = transaction.containerId(ref);
  for (const { key, value } of rowsOf(transaction, id)) {
    const object = decodeSummary(value, value.length);
    transaction.addUsage(id, -1, -bytesUsedBy(object));
    void tables.objects.remove(key);
    forgetExpiry(tables, { ...ref, object: nameOfKey(Buffer.from(key)) }, object.deleteAt);
    dropBody(transaction, object, owner, freed);
  }
  transaction.removeUsage(id);
}

function rowsOf({ tables }: WriteTransaction, id: number): { key: Buffer; value: Buffer }[] {
  const end = afterPrefix(idKey(id));
  return [...tables.objects.getRange({ start: idKey(id), ...(end && { end }) })];
}

function putRow(
  { tables }: WriteTransaction,
  { id }: Imported,
  { name, modified_ms: modifiedMs }: ExportedObject,
  record: Buffer,
  bodyId: number,
): void {
  stampObject(record, bodyId, modifiedMs);
  void tables.objects.put(objectKey(id, name), record);
}

function recordOf(object: ExportedObject, place: BodyPlace): Buffer {
  const { size, etag, headers, metadata, attributes, segments, target } = object;
  return encodeObject(
    {
      size,
      etag,
      contentType: object.content_type,
      attributes,
      headers,
      metadata,
      systemMetadata: object.system_metadata,
      segmentCount: segments?.length,
      target,
      deleteAt: object.delete_at_ms,
    },
    place,
  );
}

async function collected(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const NOTHING = Buffer.alloc(0);
