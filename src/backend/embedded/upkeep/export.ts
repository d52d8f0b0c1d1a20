import { createHash } from 'node:crypto';
import { BackendError } from '../../errors.js';
import { decodeContainer } from '../container-record.js';
import type { StoreDeps } from '../deps.js';
import { afterPrefix, idKey } from '../keys.js';
import { decodeObject, isPlain, type StoredObject } from '../object-record.js';
import { SegmentList } from '../segment-list.js';
import { summaryOf } from './check.js';
import {
  EXPORT_VERSION,
  type ExportedObject,
  type ExportEnd,
  type ExportLine,
} from './export-lines.js';
import { containerOfKey, nameOfKey, type Row, StoreState } from './state.js';

/** Lines and small bodies are gathered up to this. */
const GATHERED_BYTES = 256 * 1024;

/**
 * Writes one state of the whole store, beside a service that may be running: see export-lines.ts.
 *
 * @param write - takes the bytes; they may change when its promise has resolved
 * @throws BackendError Corrupt for a body that is not as it was stored; what `write` throws; the reason
 *   of the signal
 */
export function exportStore(
  deps: StoreDeps,
  signal: AbortSignal,
  write: (bytes: Buffer) => Promise<void>,
): Promise<ExportEnd> {
  return StoreState.with(deps, signal, (state) => new Export(state, write).run());
}

class Export {
  readonly #hash = createHash('sha256');
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #counts = { containers: 0, objects: 0, bytes: 0 };

  constructor(
    private readonly state: StoreState,
    private readonly write: (bytes: Buffer) => Promise<void>,
  ) {}

  async run(): Promise<ExportEnd> {
    const { containers, objects } = this.state.deps.tables;
    await this.#line({ ringway_export: EXPORT_VERSION });
    for await (const { key, value } of this.state.rows(containers)) {
      const { id, createdAt, metadata, systemMetadata, acl } = decodeContainer(value, value.length);
      const settings = { metadata, system_metadata: systemMetadata, acl };
      const ref = containerOfKey(key);
      await this.#line({ container: { ...ref, created_ms: createdAt, ...settings } });
      this.#counts.containers += 1;
      for await (const row of this.state.rows(objects, idKey(id), afterPrefix(idKey(id)))) {
        await this.#object(row).catch((error: unknown) => {
          if (!(error instanceof BackendError)) throw error;
          const where = `${ref.account}/${ref.container}/${nameOfKey(row.key)}`;
          throw new BackendError(error.code, `${where}: ${error.message}`, { cause: error });
        });
      }
    }
    await this.#flush();
    const end = { ...this.#counts, sha256: this.#hash.digest('hex') };
    await this.write(Buffer.from(`${JSON.stringify({ end })}\n`));
    return end;
  }

  async #object({ key, value }: Row): Promise<void> {
    const object = decodeObject(value, value.length);
    await this.#line({ object: this.#described(nameOfKey(key), object) });
    this.#counts.objects += 1;
    if (!isPlain(object.place)) return;
    await this.state.readBody(summaryOf(object), (chunk) => this.#take(chunk));
    await this.#take(LINE_BREAK);
    this.#counts.bytes += object.head.size;
  }

  #described(
    name: string,
    { place, bodyId, head, attributes, target }: StoredObject,
  ): ExportedObject {
    return {
      name,
      size: head.size,
      etag: head.etag,
      modified_ms: head.lastModified,
      content_type: head.contentType,
      headers: head.headers,
      metadata: head.metadata,
      system_metadata: head.systemMetadata,
      attributes,
      delete_at_ms: head.deleteAt,
      body: place === 'segments' || place === 'link' || place === 'absent' ? place : 'bytes',
      segments: place === 'segments' ? this.#segments(bodyId) : undefined,
      target,
    };
  }

  #segments(bodyId: number): ExportedObject['segments'] {
    const bytes = this.state.get(this.state.deps.tables.bodies, idKey(bodyId));
    if (bytes === undefined)
      throw new BackendError('Corrupt', 'the list of its segments is missing');
    return [...new SegmentList(bytes)];
  }

  #line(line: ExportLine): Promise<void> {
    return this.#take(Buffer.from(`${JSON.stringify(line)}\n`));
  }

  async #take(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    if (bytes.length >= GATHERED_BYTES) {
      await this.#flush();
      await this.write(bytes);
      return;
    }
    // The buffer of a file is read into again.
    this.#gathered.push(Buffer.from(bytes));
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= GATHERED_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const whole = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (whole.length > 0) await this.write(whole);
  }
}

const LINE_BREAK = Buffer.from('\n');
