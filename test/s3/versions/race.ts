import { expect } from 'chai';
import type { Backend, CallContext, ObjectRef } from '../../../src/backend/backend.js';
import { S3Error } from '../../../src/s3/errors.js';
import { parseIndex } from '../../../src/s3/versions/documents.js';
import { SYSTEM_METADATA } from '../../../src/s3/object/attributes.js';
import { firstIndex, firstVersionOf } from '../../../src/s3/versions/first-index.js';
import { currentRef, indexRef, isIndexRef, versionRef } from '../../../src/s3/versions/names.js';
import { PlainSightings } from '../../../src/s3/versions/current-state.js';
import type { VersionIndex } from '../../../src/s3/versions/version-entry.js';
import {
  VersionedKeys,
  type VersionedKeysOptions,
} from '../../../src/s3/versions/versioned-keys.js';
import { MemoryBackend, type MemoryOptions } from './memory-backend.js';
import type { Stored } from './memory-objects.js';
import { brokenRules, type Act, type Told } from './race-rules.js';
import { randomFrom, Schedule } from './schedule.js';
import { CALL, CONTAINER, expectInStep, keyOf, unlessMissing } from './support.js';

/**
 * Gateways that do anything to one key at once, in an order drawn from a seed, and what must be so
 * when they are done.
 */

const KEY = keyOf('raced');
const LOCK = 'lock';
/** So late that only the race says when. */
const NEVER_MS = 2 ** 31 - 1;

export interface Race {
  readonly strength: MemoryOptions['strength'];
  readonly claims?: MemoryOptions['claims'];
  /** How long before the race that was, in milliseconds. */
  readonly ageMs?: number | undefined;
  /** The acts before the race, and after it: by gateways of their own. */
  readonly before?: readonly Act[] | undefined;
  readonly afterwards?: readonly Act[] | undefined;
  readonly protocol?: VersionedKeysOptions['protocol'];
  /** The gateways have not found a plain object in this bucket, and do not look for one. */
  readonly plainUnlikely?: boolean | undefined;
  /** The store has an older filter, and gives creations a time of its own. */
  readonly creationsUnordered?: boolean | undefined;
  /** The store has fixed links. Default: yes, if it has ordered creations. */
  readonly fixedLinks?: boolean | undefined;
  /** The store looks at links. Default: yes, if it orders writes. */
  readonly linksBehind?: boolean | undefined;
  /** The gateways write indexes later than their fences, where the store orders writes. */
  readonly postpones?: boolean | undefined;
  /** The acts of each gateway, one after the other. */
  readonly gateways: readonly (readonly Act[])[];
  /** Gateways that crash: after how many instants of the race. */
  readonly crashes?: readonly { readonly gateway: number; readonly after: number }[] | undefined;
  readonly seed: number;
}

export interface RaceResult {
  readonly told: readonly Told[];
  readonly index: VersionIndex;
  /** Empty when all is as it must be. */
  readonly violations: readonly string[];
  /** Of the race itself. */
  readonly instants: number;
}

export async function runRace(race: Race): Promise<RaceResult> {
  const runner = new Runner(race);
  await runner.run();
  return runner.result();
}

export async function expectSound(race: Race): Promise<void> {
  const { violations, told, index } = await runRace(race);
  expect(violations, JSON.stringify({ race, violations, told, index })).to.have.lengthOf(0);
}

class Runner {
  readonly #random: () => number;
  readonly #schedule: Schedule;
  readonly #store: MemoryBackend;
  readonly #told: Told[] = [];
  /** Which commits led to each generation that an index ever had. */
  readonly #generations = new Map<number, Set<string>>();
  #instants = 0;
  #raceFrom = Infinity;
  #isOver = true;

  constructor(private readonly race: Race) {
    this.#random = randomFrom(race.seed);
    this.#schedule = new Schedule(this.#random);
    const { strength, claims, creationsUnordered, ageMs = 0 } = race;
    const { fixedLinks, linksBehind } = race;
    const time = Date.now() - ageMs;
    const instant = this.#instant.bind(this);
    const onPut = this.#sawPut.bind(this);
    const store = { strength, claims, creationsUnordered, fixedLinks, linksBehind };
    this.#store = new MemoryBackend({ ...store, time, instant, onPut });
  }

  get #backend(): Backend {
    return this.#store.asBackend;
  }

  async run(): Promise<void> {
    const { before = [], gateways, afterwards = [] } = this.race;
    await this.#store.createContainer(CALL, CONTAINER);
    await this.#gateway('before', before);
    this.#store.pass(this.race.ageMs ?? 0);
    this.#isOver = false;
    this.#raceFrom = this.#instants;
    await this.#schedule.run(
      gateways.map((acts, index) => () => this.#gateway(String(index), acts)),
    );
    this.#isOver = true;
    await this.#gateway('afterwards', afterwards);
  }

  async result(): Promise<RaceResult> {
    const instants = this.#instants - this.#raceFrom;
    const versions = this.#versions();
    const isQuiet = (this.race.crashes ?? []).length === 0 && !this.#hasDone('plain');
    const acknowledged = isQuiet ? await this.#outOfStep(await versions.readIndex(CALL, KEY)) : [];
    await versions.repairLink(CALL, KEY);
    const index = await versions.readIndex(CALL, KEY);
    const violations = [
      ...acknowledged,
      ...(await this.#overwritten(index)),
      ...this.#ambiguous(),
      ...brokenRules(this.#told, index),
      ...(await this.#bodiless(index)),
      ...(await this.#outOfStep(index)),
    ];
    return { told: this.#told, index, violations, instants };
  }

  #versions(): VersionedKeys {
    const pause = (): Promise<void> => Promise.resolve();
    const now = this.#store.now.bind(this.#store);
    const { protocol, plainUnlikely = false, postpones = false } = this.race;
    const backend = this.#backend;
    const plainSightings = new PlainSightings();
    if (plainUnlikely) plainSightings.note(KEY, { kind: 'nothing' });
    const postpone = postpones ? { delayMs: NEVER_MS } : undefined;
    const common = { backend, indexBytesMax: 100_000, pause, now };
    return new VersionedKeys({ ...common, protocol, plainSightings, postpone });
  }

  async #instant(requestId: string): Promise<void> {
    this.#instants++;
    if (this.#isOver) return;
    for (const { gateway, after } of this.race.crashes ?? []) {
      if (this.#instants - this.#raceFrom > after) this.#schedule.crash(String(gateway));
    }
    await this.#schedule.instantOf(requestId)();
  }

  #sawPut(ref: ObjectRef, { head, body }: Stored): void {
    if (!isIndexRef(ref)) return;
    const first = firstVersionOf(head);
    const { generation, commit } = first === undefined ? parseIndex(body) : firstIndex(first);
    const commits = this.#generations.get(generation) ?? new Set();
    this.#generations.set(generation, commits.add(commit));
  }

  async #gateway(requestId: string, acts: readonly Act[]): Promise<void> {
    const versions = this.#versions();
    for (const act of acts) {
      const told: Told = { act, startedAt: this.#instants };
      this.#told.push(told);
      try {
        await this.#act(versions, { requestId }, told);
        told.endedAt = this.#instants;
      } catch (error) {
        if (!(error instanceof S3Error)) throw error;
        if (error.code !== 'ServiceUnavailable') told.refused = error.code;
        if (error.code === 'InternalError') throw error;
      }
    }
  }

  async #act(versions: VersionedKeys, call: CallContext, told: Told): Promise<void> {
    switch (told.act) {
      case 'put':
      case 'put-null': {
        told.body = `${call.requestId}.${this.#instants}`;
        const created = await this.#put(versions, call, told.body, told.act === 'put-null', told);
        told.versionId = created;
        return;
      }
      case 'mark':
      case 'mark-null': {
        const nullVersion = told.act === 'mark-null';
        const created = await versions.createDeleteMarker(call, KEY, { nullVersion });
        told.versionId = created.versionId;
        return;
      }
      case 'delete':
        return this.#delete(versions, call, told, this.#pick());
      case 'delete-null':
        return this.#delete(versions, call, told, 'null');
      case 'lock':
        return this.#lock(versions, call, told);
      case 'read':
        await versions.currentEntry(call, KEY);
        return;
      case 'write-postponed':
        return versions.writePostponed();
      case 'find-null':
        told.found = (await versions.find(call, KEY, 'null')) !== undefined;
        return;
      case 'plain':
        await this.#putPlain(call, told);
    }
  }

  async #put(
    versions: VersionedKeys,
    call: CallContext,
    text: string,
    nullVersion: boolean,
    told: Told,
  ): Promise<string> {
    const body = Buffer.from(text);
    const created = await versions.createVersion(call, KEY, {
      nullVersion,
      mayBeFirst: true,
      write: async (ref, systemMetadata, precondition) => {
        told.versionId = systemMetadata[SYSTEM_METADATA.versionId];
        const input = { size: body.length, contentType: '', body, systemMetadata };
        const put = await this.#backend.putObject(call, ref, input, precondition);
        if (precondition !== undefined && put.outcome !== 'created') return undefined;
        if (put.outcome !== 'created') throw new Error(put.outcome);
        return { size: body.length, etag: put.etag, lastModified: put.lastModified };
      },
    });
    return created.versionId;
  }

  async #putPlain(call: CallContext, told: Told): Promise<void> {
    const body = Buffer.from((told.body = `plain ${call.requestId}.${this.#instants}`));
    const input = { size: body.length, contentType: '', body };
    await this.#backend.putObject(call, currentRef(KEY), input);
  }

  /** Of any version that somebody was told of. */
  #pick(): string | undefined {
    const known = this.#told.filter(({ act, endedAt, versionId }) => {
      return act === 'put' && endedAt !== undefined && versionId !== undefined;
    });
    return known[Math.floor(this.#random() * known.length)]?.versionId;
  }

  async #delete(
    versions: VersionedKeys,
    call: CallContext,
    told: Told,
    id: string | undefined,
  ): Promise<void> {
    told.versionId = id;
    if (id === undefined) return;
    await versions.deleteVersion(call, KEY, id, ({ systemMetadata }) => {
      if (systemMetadata[LOCK] !== undefined) throw new S3Error('AccessDenied');
    });
  }

  async #lock(versions: VersionedKeys, call: CallContext, told: Told): Promise<void> {
    told.versionId = this.#pick();
    if (told.versionId === undefined) return;
    await versions.touchVersion(call, KEY, told.versionId, () => ({ [LOCK]: 'ON' }));
  }

  /** No two indexes are of one generation, where fences keep them apart. */
  #ambiguous(): string[] {
    return [...this.#generations].flatMap(([generation, commits]) =>
      commits.size === 1 ? [] : [`generation ${generation} is of ${commits.size} commits`],
    );
  }

  async #bodiless({ entries }: VersionIndex): Promise<string[]> {
    const puts = this.#told.filter(({ body }) => body !== undefined);
    const bodies = new Map(puts.map(({ versionId, body }) => [versionId, body]));
    const violations: string[] = [];
    for (const { id, name, kind } of entries) {
      if (kind === 'delete-marker') continue;
      const got = await this.#bodyOf(name);
      const text = got?.toString();
      const expected = id === 'null' ? text : bodies.get(id);
      const isPlain = text?.startsWith('plain') === true;
      if (text === undefined || (text !== expected && !isPlain)) {
        violations.push(`${id} has the body ${String(text)}, not ${String(expected)}`);
      }
    }
    return violations;
  }

  /** The bytes of a version, wherever it lies. */
  async #bodyOf(name: string): Promise<Buffer | undefined> {
    const moved = await unlessMissing(this.#store.getObject(CALL, versionRef(KEY, name)));
    if (moved !== undefined) return moved.body.source as Buffer;
    const first = await unlessMissing(this.#store.getObject(CALL, indexRef(KEY)));
    if (first === undefined || firstVersionOf(first.head)?.name !== name) return undefined;
    return first.body.source as Buffer;
  }

  #hasDone(...acts: readonly Act[]): boolean {
    return this.#told.some(({ act }) => acts.includes(act));
  }

  /** A client's write to the store is lost only to an act that takes the place of `null`. */
  async #overwritten({ entries }: VersionIndex): Promise<string[]> {
    const plain = this.#told.filter(({ act, endedAt }) => act === 'plain' && endedAt !== undefined);
    if (this.race.strength !== 'strong' || plain.length !== 1) return [];
    if (this.#hasDone('put-null', 'mark-null', 'delete-null')) return [];
    const current = await unlessMissing(this.#store.getObject(CALL, currentRef(KEY)));
    const versions = await Promise.all(entries.map(({ name }) => this.#bodyOf(name)));
    const all = [current?.body.source as Buffer | undefined, ...versions];
    const bodies = all.map((body) => body?.toString());
    return bodies.includes(plain[0]?.body) ? [] : [`${String(plain[0]?.body)} was lost`];
  }

  async #outOfStep(index: VersionIndex): Promise<string[]> {
    if (index.generation === 0) return [];
    try {
      await expectInStep(this.#backend, KEY, index);
      return [];
    } catch (error) {
      return [`out of step: ${String(error)}`];
    }
  }
}
