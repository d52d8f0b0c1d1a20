import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerRef, ObjectRef } from '../../backend.js';
import { BackendError } from '../../errors.js';
import { ByteReader } from '../bytes.js';
import { decodeContainer, decodeUsage, type Usage } from '../container-record.js';
import type { StoreDeps } from '../deps.js';
import { idKey, idOf } from '../keys.js';
import { folderName, layoutOf } from '../layout.js';
import { bytesUsedBy } from '../object-changes.js';
import { decodeObject, type ObjectSummary, type StoredObject } from '../object-record.js';
import { SegmentList } from '../segment-list.js';
import type { Table } from '../tables.js';
import { BodyReferences } from './body-references.js';
import { containerOfKey, nameOfKey, StoreState } from './state.js';
import { unfinishedImport } from './unfinished-import.js';

/** One thing that is wrong, and where: as much of the name as there is. */
export interface StoreFault {
  readonly fault: string;
  readonly account?: string;
  readonly container?: string;
  readonly object?: string;
}

export interface CheckedStore {
  readonly containers: number;
  readonly objects: number;
  /** Bytes of bodies that were read. */
  readonly bytes: number;
  readonly faults: number;
}

const FILE_NAME = /^[0-9a-f]{12}$/;
const WHOLE_STORE = 0;

/**
 * Checks one state of the store, beside a service that may be running: each record, each body against
 * its size and MD5, usage, segments and times of expiry against the objects, files against the index.
 * Links are not followed: what belongs to versions is for `ringway repair`.
 *
 * @param report - called with each fault
 * @param idsMax - see {@link BodyReferences}
 * @throws the reason of the signal; errors of the file system
 */
export function checkStore(
  deps: StoreDeps,
  signal: AbortSignal,
  report: (fault: StoreFault) => void,
  idsMax?: number,
): Promise<CheckedStore> {
  return StoreState.with(deps, signal, (state) => new StoreCheck(state, report, idsMax).run());
}

class StoreCheck {
  readonly #containers = new Map<number, ContainerRef>();
  /** Counted until the first object of the next container comes. */
  #counted: Usage & { id: number } = { id: WHOLE_STORE, objectCount: 0, bytesUsed: 0 };
  readonly #whole: Usage = { objectCount: 0, bytesUsed: 0 };
  /** Containers that have objects: the usage of all others has to be 0. */
  readonly #filled = new Set<number>();
  #bytes = 0;
  #objects = 0;
  #faults = 0;

  constructor(
    private readonly state: StoreState,
    private readonly report: (fault: StoreFault) => void,
    private readonly idsMax: number | undefined,
  ) {}

  async run(): Promise<CheckedStore> {
    await this.#checkContainers();
    let references = new BodyReferences(0, this.idsMax);
    await this.#checkObjects(references);
    await this.#checkExpiry();
    for (;;) {
      await this.#checkReferences(references);
      if (references.end === new BodyReferences(0).end) break;
      references = new BodyReferences(references.end, this.idsMax);
      for await (const { value } of this.state.rows(this.#tables.objects)) {
        const object = decoded(value);
        if (object !== undefined && hasBody(object)) references.add(object.bodyId);
      }
    }
    const { size: containers } = this.#containers;
    return { containers, objects: this.#objects, bytes: this.#bytes, faults: this.#faults };
  }

  get #tables(): StoreDeps['tables'] {
    return this.state.deps.tables;
  }

  #fault(fault: string, where: Partial<ObjectRef> = {}): void {
    this.#faults += 1;
    this.report({ fault, ...where });
  }

  async #checkContainers(): Promise<void> {
    for await (const { key, value } of this.state.rows(this.#tables.containers)) {
      try {
        const ref = containerOfKey(key);
        const { id } = decodeContainer(value, value.length);
        if (this.#containers.has(id)) this.#fault('two containers have one id', ref);
        this.#containers.set(id, ref);
      } catch (error) {
        this.#fault(corruptionOf(error), { container: key.toString('utf8', 1) });
      }
    }
  }

  async #checkObjects(references: BodyReferences): Promise<void> {
    const importing = unfinishedImport(this.state);
    for await (const row of this.state.rows(this.#tables.objects)) {
      const containerId = idOf(row.key);
      const container = this.#containers.get(containerId);
      const object = decoded(row.value);
      if (object !== undefined && hasBody(object)) references.add(object.bodyId);
      if (container === undefined) {
        // Those of an import that is under way, or was killed, get their container at its end.
        if (importing === undefined || containerId < importing.from) {
          this.#fault(`belongs to no container (id ${containerId})`, {
            object: nameOfKey(row.key),
          });
        }
        continue;
      }
      this.#count(containerId, object);
      await this.#checkObject({ ...container, object: nameOfKey(row.key) }, object);
    }
    this.#count(WHOLE_STORE, undefined);
    for (const [id, ref] of this.#containers) {
      if (!this.#filled.has(id)) this.#checkUsage(id, { objectCount: 0, bytesUsed: 0 }, ref);
    }
    this.#checkUsage(WHOLE_STORE, this.#whole, {});
  }

  /** Objects come container by container. */
  #count(containerId: number, object: StoredObject | undefined): void {
    if (containerId !== this.#counted.id) {
      const { id } = this.#counted;
      if (id !== WHOLE_STORE) this.#checkUsage(id, this.#counted, this.#containers.get(id) ?? {});
      this.#counted = { id: containerId, objectCount: 0, bytesUsed: 0 };
    }
    if (containerId === WHOLE_STORE) return;
    this.#filled.add(containerId);
    this.#objects += 1;
    const bytes = object === undefined ? 0 : bytesUsedBy(summaryOf(object));
    for (const usage of [this.#counted, this.#whole]) {
      usage.objectCount += 1;
      usage.bytesUsed += bytes;
    }
  }

  #checkUsage(id: number, counted: Usage, where: Partial<ObjectRef>): void {
    const row = this.state.get(this.#tables.usage, idKey(id));
    // A new store has none for the whole.
    if (row === undefined && id === WHOLE_STORE && counted.objectCount === 0) return;
    const usage = row && decodeUsage(row, row.length);
    const { objectCount, bytesUsed } = counted;
    if (usage?.objectCount === objectCount && usage.bytesUsed === bytesUsed) return;
    const named =
      usage === undefined ? 'nothing' : `${usage.objectCount} objects, ${usage.bytesUsed} bytes`;
    this.#fault(
      `the usage says ${named}; there are ${objectCount} objects, ${bytesUsed} bytes`,
      where,
    );
  }

  async #checkObject(ref: ObjectRef, object: StoredObject | undefined): Promise<void> {
    if (object === undefined) {
      this.#fault('the record cannot be read', ref);
      return;
    }
    try {
      if (object.place === 'segments') this.#checkSegments(ref, object);
      else if (object.place !== 'link' && object.place !== 'absent') {
        await this.state.readBody(summaryOf(object), (chunk) => {
          this.#bytes += chunk.length;
          return undefined;
        });
      }
    } catch (error) {
      this.#fault(corruptionOf(error), ref);
    }
  }

  #checkSegments(ref: ObjectRef, { bodyId, head }: StoredObject): void {
    const bytes = this.state.get(this.#tables.bodies, idKey(bodyId));
    if (bytes === undefined) {
      this.#fault('the list of its segments is missing', ref);
      return;
    }
    const list = new SegmentList(bytes);
    if (list.count !== head.segmentCount || list.size !== head.size) {
      this.#fault('the list of its segments has another count or size', ref);
    }
    for (const { container, object, size, etag } of list) {
      const found = this.state.summaryOf({ account: ref.account, container, object });
      if (found?.size === size && found.etag === etag) continue;
      const problem = found === undefined ? 'is missing' : 'is another one';
      this.#fault(`its segment ${container}/${object} ${problem}`, ref);
      return;
    }
  }

  async #checkExpiry(): Promise<void> {
    for await (const { value } of this.state.rows(this.#tables.expiry)) {
      const reader = new ByteReader(value);
      const ref = { account: reader.text(), container: reader.text(), object: reader.text() };
      if (this.state.summaryOf(ref)?.deleteAt === undefined) {
        this.#fault('has a row of expiry, and does not expire', ref);
      }
    }
  }

  /** Holds the bodies of some folders against what objects name. */
  async #checkReferences(references: BodyReferences): Promise<void> {
    const { bodies, reclaim } = this.#tables;
    for (const id of references.shared()) this.#fault(`several objects have body ${id}`);
    await this.#eachUnnamed(bodies, references, (id, isNamed) => {
      if (!isNamed) this.#fault(`body ${id} of the index belongs to no object`);
    });
    await this.#eachUnnamed(reclaim, references, (id, isNamed) => {
      if (isNamed) this.#fault(`body ${id} of an object is about to be removed`);
    });
    const { directory } = this.state.deps.options;
    const next = this.state.get(this.#tables.meta, Buffer.from('next-body-id'));
    const nextId = next === undefined ? 1 : idOf(next);
    for (let folder = references.from; folder < references.end; folder++) {
      const path = join(layoutOf(directory).bodies, folderName(folder));
      for (const name of await readdir(path)) {
        const id = FILE_NAME.test(name) ? Number.parseInt(name, 16) : undefined;
        // A file begun after this state has a later id.
        if (id !== undefined && (id >= nextId || references.has(id))) continue;
        if (id !== undefined && this.state.get(reclaim, idKey(id)) !== undefined) continue;
        this.#fault(`the file ${join(path, name)} belongs to no object`);
      }
    }
  }

  async #eachUnnamed(
    table: Table,
    references: BodyReferences,
    look: (id: number, isNamed: boolean) => void,
  ): Promise<void> {
    for await (const { key } of this.state.rows(table)) {
      const id = idOf(key);
      if (references.covers(id)) look(id, references.has(id));
    }
  }
}

function decoded(value: Buffer): StoredObject | undefined {
  try {
    return decodeObject(value, value.length);
  } catch (error) {
    if (error instanceof BackendError) return undefined;
    throw error;
  }
}

function hasBody({ place }: StoredObject): boolean {
  return place === 'inline' || place === 'file' || place === 'segments';
}

/** The summary of an object, without a second reading of its record. */
export function summaryOf({ place, bodyId, head }: StoredObject): ObjectSummary {
  const { size, etag, lastModified, deleteAt } = head;
  return { place, bodyId, size, etag, lastModified, deleteAt };
}

function corruptionOf(error: unknown): string {
  if (error instanceof BackendError) return error.message;
  throw error;
}
