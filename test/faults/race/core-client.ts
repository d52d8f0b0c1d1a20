import { createHash } from 'node:crypto';
import type { Backend, CallContext, ObjectHead, ObjectRef } from '../../../src/backend/backend.js';
import { CrashedError } from '../../support/backend/crash-points.js';
import { BackendError } from '../../../src/backend/errors.js';
import { errorEntry, S3Error } from '../../../src/s3/errors.js';
import { SYSTEM_METADATA } from '../../../src/s3/object/attributes.js';
import { READ_ATTEMPTS_MAX } from '../../../src/s3/object/named-version.js';
import { readVersionsPage } from '../../../src/s3/versions/listing/versions-page.js';
import { currentRef, type VersionedKey } from '../../../src/s3/versions/names.js';
import type { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import type { BucketState, ListedEntry, Outcome, ReadResult } from '../history/operation.js';
import { Stopwatch, type Recorder, type Timing } from '../history/recorder.js';
import type { Racer } from './race.js';
import { wholeKeys, type VersionsPage } from './versions-document.js';

/** A gateway serves requests until it crashes, and then another one does. */
export interface Gateway {
  readonly backend: Backend;
  readonly versions: VersionedKeys;
}

/** All gateways over one store. */
export interface CoreGateways {
  /** As a request finds it. */
  state: BucketState;
  /** Any that lives. */
  anyGateway(): Gateway;
}

export const CORE_BUCKET = { account: 'AUTH_race', bucket: 'race' } as const;
const CALL: CallContext = { requestId: 'race' };

/** A client of the versions themselves, with neither HTTP nor S3 in between. */
export class CoreClient implements Racer {
  constructor(
    readonly name: string,
    private readonly recorder: Recorder,
    private readonly gateways: CoreGateways,
  ) {}

  async put(key: string, body: Buffer): Promise<void> {
    const etag = hashOf(body);
    const { timing, outcome } = await this.#perform(async ({ backend, versions }) => {
      const { state } = this.gateways;
      const input = { size: body.length, contentType: 'text/plain', body };
      const write = async (ref: ObjectRef, systemMetadata: object) => {
        const put = await backend.putObject(CALL, ref, {
          ...input,
          systemMetadata: { ...systemMetadata },
        });
        if (put.outcome !== 'created') throw new S3Error('OperationAborted');
        return { size: body.length, etag: put.etag, lastModified: put.lastModified };
      };
      if (state === 'unversioned') {
        await write(currentRef(keyOf(key)), {});
        return {};
      }
      const nullVersion = state === 'Suspended';
      const { versionId } = await versions.createVersion(CALL, keyOf(key), { nullVersion, write });
      return { version: versionId };
    });
    this.recorder.add(this.name, timing, { op: 'put', key, body: etag, outcome });
  }

  async delete(key: string): Promise<void> {
    const { timing, outcome } = await this.#perform(async ({ backend, versions }) => {
      const { state } = this.gateways;
      if (state === 'unversioned') {
        await ignoreMissing(backend.deleteObject(CALL, currentRef(keyOf(key))));
        return { marker: false };
      }
      const nullVersion = state === 'Suspended';
      const created = await versions.createDeleteMarker(CALL, keyOf(key), { nullVersion });
      return { marker: true, version: created.versionId };
    });
    this.recorder.add(this.name, timing, { op: 'delete', key, outcome });
  }

  async deleteVersion(key: string, version: string): Promise<void> {
    const { timing, outcome } = await this.#perform(async ({ versions }) => {
      await versions.deleteVersion(CALL, keyOf(key), version, () => undefined);
      return {};
    });
    this.recorder.add(this.name, timing, { op: 'delete-version', key, version, outcome });
  }

  async read(op: 'get' | 'head', key: string, version?: string): Promise<boolean> {
    const { timing, outcome } = await this.#perform((gateway) =>
      version === undefined ? readCurrent(gateway, key) : readVersion(gateway, key, version),
    );
    const of = version === undefined ? { key } : { key, version };
    this.recorder.add(this.name, timing, { op, ...of, outcome });
    return outcome.result === 'ok';
  }

  setState(state: BucketState): Promise<void> {
    const watch = new Stopwatch();
    this.gateways.state = state;
    const outcome = { result: 'ok' } as const;
    this.recorder.add(this.name, watch.stop(), { op: 'set-state', state, outcome });
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async listKey(key: string): Promise<readonly ListedEntry[] | undefined> {
    const page = await this.listPage({ prefix: key }, [key]);
    return page?.entries.map(({ entry }) => entry);
  }

  async listPage(
    query: Readonly<Record<string, string>>,
    keys: readonly string[],
  ): Promise<VersionsPage | undefined> {
    const { timing, outcome } = await this.#perform(async ({ backend, versions }) => ({
      page: asDocument(
        await readVersionsPage(
          {
            ...{ backend, call: CALL, ...CORE_BUCKET },
            readIndex: versions.readIndex.bind(versions),
            repairLink: versions.repairLink.bind(versions),
          },
          {
            prefix: query.prefix ?? '',
            delimiter: undefined,
            keyMarker: query['key-marker'] ?? '',
            versionIdMarker: query['version-id-marker'] ?? '',
            maxKeys: Number(query['max-keys'] ?? 1000),
          },
        ),
      ),
    }));
    if (outcome.result !== 'ok') return undefined;
    for (const [key, entries] of wholeKeys(outcome.page, query, keys)) {
      const listed = { result: 'ok', entries } as const;
      this.recorder.add(this.name, timing, { op: 'list', key, outcome: listed });
    }
    return outcome.page;
  }

  async #perform<Result extends object>(
    work: (gateway: Gateway) => Promise<Result>,
  ): Promise<{ timing: Timing; outcome: Outcome<Result> }> {
    const gateway = this.gateways.anyGateway();
    const watch = new Stopwatch();
    try {
      const result = await work(gateway);
      return { timing: watch.stop(), outcome: { result: 'ok', ...result } };
    } catch (error) {
      return { timing: watch.stop(), outcome: failureOf(error) };
    }
  }
}

/** As the error's answer would be: what is no answer of ours is a mistake. */
function failureOf(error: unknown): Outcome<never> {
  if (error instanceof CrashedError) return { result: 'unknown', why: error.message };
  if (error instanceof BackendError) return { result: 'unknown', why: error.code };
  if (!(error instanceof S3Error)) throw error;
  if (errorEntry(error.code).status >= 500) return { result: 'unknown', why: error.code };
  return { result: 'refused', why: error.code };
}

function keyOf(key: string): VersionedKey {
  return { ...CORE_BUCKET, key };
}

/** As the operations do: links first, which is one call; where there is nothing, the index tells why. */
async function readCurrent({ backend, versions }: Gateway, key: string): Promise<ReadResult> {
  const of = keyOf(key);
  for (let attempt = 1; attempt <= READ_ATTEMPTS_MAX; attempt++) {
    const found = await readObject(backend, currentRef(of));
    if (found !== undefined) {
      const { head, body } = found;
      const version = head.link && head.systemMetadata[SYSTEM_METADATA.versionId];
      return { found: 'version', version, body };
    }
    const current = await versions.currentEntry(CALL, of);
    if (current?.kind === 'delete-marker') return { found: 'delete-marker', version: current.id };
    if (current === undefined) return { found: 'nothing' };
  }
  throw new S3Error('ServiceUnavailable');
}

async function readVersion(
  { backend, versions }: Gateway,
  key: string,
  version: string,
): Promise<ReadResult> {
  const named = await versions.find(CALL, keyOf(key), version);
  if (named === undefined) return { found: 'nothing' };
  if (named.entry.kind === 'delete-marker') return { found: 'delete-marker', version };
  const found = await readObject(backend, named.ref);
  return found === undefined
    ? { found: 'nothing' }
    : { found: 'version', version, body: found.body };
}

async function readObject(
  backend: Backend,
  ref: ObjectRef,
): Promise<{ head: ObjectHead; body: string } | undefined> {
  try {
    const { head, body } = await backend.getObject(CALL, ref);
    const hash = createHash('md5');
    if (Buffer.isBuffer(body.source)) hash.update(body.source);
    else for await (const chunk of body.source) hash.update(chunk);
    return { head, body: hash.digest('hex') };
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchObject') return undefined;
    throw error;
  }
}

async function ignoreMissing(deleting: Promise<unknown>): Promise<void> {
  try {
    await deleting;
  } catch (error) {
    if (!(error instanceof BackendError) || error.code !== 'NoSuchObject') throw error;
  }
}

function asDocument({ entries, next }: Awaited<ReturnType<typeof readVersionsPage>>): VersionsPage {
  return {
    truncated: next !== undefined,
    nextKeyMarker: next?.keyMarker,
    nextVersionIdMarker: next?.versionIdMarker,
    entries: entries.flatMap((listed) => {
      if (listed.kind === 'prefix') return [];
      const common = { version: listed.versionId, latest: listed.isLatest };
      const entry: ListedEntry =
        listed.kind === 'version'
          ? { kind: 'version', ...common, body: listed.etag }
          : { kind: 'delete-marker', ...common };
      return [{ key: listed.key, entry }];
    }),
  };
}

function hashOf(body: Buffer): string {
  return createHash('md5').update(body).digest('hex');
}
