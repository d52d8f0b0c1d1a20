import { expect } from 'chai';
import type { Backend, Metadata } from '../../src/backend/backend.js';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import type { LifecycleConfiguration } from '../../src/s3/rules/lifecycle/configuration.js';
import { encodeTags } from '../../src/s3/rules/tagging.js';
import { versioningPatch, type VersioningStatus } from '../../src/s3/rules/versioning.js';
import {
  archiveContainer,
  parseArchiveName,
  type VersionedKey,
} from '../../src/s3/versions/names.js';
import {
  readVersionsPage,
  type VersionsPageEntry,
} from '../../src/s3/versions/listing/versions-page.js';
import { VersionedKeys } from '../../src/s3/versions/versioned-keys.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS } from './support.js';

export const ARCHIVE = archiveContainer(ACCOUNT, BUCKET);
const INDEX_BYTES_MAX = 8 * 1024 * 1024;

export function keyOf(key: string): VersionedKey {
  return { account: ACCOUNT, bucket: BUCKET, key };
}

/** A gateway on a store, whose clock may be in the past. */
export function gatewayOn(backend: Backend, now?: () => number): VersionedKeys {
  const pause = (): Promise<void> => Promise.resolve();
  return new VersionedKeys({ backend, indexBytesMax: INDEX_BYTES_MAX, now, pause });
}

export interface Written {
  /** How long ago it was written, by the janitor's clock as it is now. */
  readonly days?: number;
  readonly tags?: Readonly<Record<string, string>>;
  readonly systemMetadata?: Metadata;
}

/** A store with one bucket that keeps versions, and what janitors do to it. */
export class VersionsBench {
  suspended = false;

  private constructor(readonly bench: Bench) {}

  static async open(): Promise<VersionsBench> {
    const versions = new VersionsBench(await Bench.open());
    await versions.setState('Enabled');
    await versions.store.createContainer(CALL, ARCHIVE, {});
    return versions;
  }

  close(): Promise<void> {
    return this.bench.close();
  }

  get store(): Backend {
    return this.bench.store;
  }

  async setState(status: VersioningStatus, container = BUCKET): Promise<void> {
    this.suspended = status === 'Suspended';
    const systemMetadata = versioningPatch(status);
    await this.store.updateContainer(CALL, { account: ACCOUNT, container }, { systemMetadata });
  }

  rules(configuration: LifecycleConfiguration): Promise<void> {
    return this.bench.rules(configuration);
  }

  /** @returns the S3 version id */
  async put(
    key: string,
    text: string,
    written: Written = {},
    backend: Backend = this.store,
  ): Promise<string> {
    const { days = 0, tags = {}, systemMetadata: more } = written;
    const list = Object.entries(tags).map(([name, value]) => ({ key: name, value }));
    const tagging = list.length === 0 ? {} : { [SYSTEM_METADATA.tagging]: encodeTags(list) };
    const body = Buffer.from(text);
    const lastModified = this.bench.clock.now() - days * DAY_MS;
    const { versionId } = await gatewayOn(backend).createVersion(CALL, keyOf(key), {
      nullVersion: this.suspended,
      write: async (ref, described) => {
        const systemMetadata = { ...described, ...tagging, ...more };
        const input = { size: body.length, contentType: 'text/plain', body, systemMetadata };
        const put = await backend.putObject(CALL, ref, input);
        if (put.outcome !== 'created') throw new Error(put.outcome);
        return { size: body.length, etag: put.etag, lastModified };
      },
    });
    return versionId;
  }

  /** DELETE without a version id. */
  async mark(key: string, days = 0): Promise<string> {
    const now = (): number => this.bench.clock.now() - days * DAY_MS;
    const gateway = gatewayOn(this.store, now);
    const nullVersion = this.suspended;
    return (await gateway.createDeleteMarker(CALL, keyOf(key), { nullVersion })).versionId;
  }

  /** One pass. @returns what it told, sorted */
  pass(backend?: Backend): Promise<string[]> {
    return this.bench.pass(backend);
  }

  /** A pass that does what a dry run said before. */
  async passAsPlanned(): Promise<string[]> {
    const planned = await this.planned();
    const told = await this.pass();
    expect(told).to.deep.equal(planned);
    return told;
  }

  /** The report of a dry run, sorted. */
  async planned(): Promise<string[]> {
    this.bench.told.length = 0;
    const planned = await this.bench.dryRun();
    const lines = planned.map(({ action, key }) => `${action} done ${key}`);
    return [...lines, ...this.bench.told].sort();
  }

  /** `key: body, body` of all keys, newest first; `-` for a delete marker. */
  async show(): Promise<string[]> {
    const keys = new Map<string, string[]>();
    for (const entry of await listVersions(this.store)) {
      if (entry.kind === 'prefix') continue;
      const of = keyOf(entry.key);
      const found = await gatewayOn(this.store).find(CALL, of, entry.versionId);
      const body = entry.kind === 'version' ? await this.#bodyOf(found?.ref) : '-';
      const label = entry.versionId === 'null' ? `null ${body}` : body;
      keys.set(entry.key, [...(keys.get(entry.key) ?? []), label]);
    }
    return [...keys].map(([key, labels]) => `${key}: ${labels.join(', ')}`);
  }

  async #bodyOf(ref: { account: string; container: string; object: string } | undefined) {
    if (ref === undefined) return '(not found)';
    const { body } = await this.store.getObject(CALL, ref);
    if (Buffer.isBuffer(body.source)) return body.source.toString();
    throw new Error('a large body');
  }

  /** The names in the archive: `key v`, `key g3`, `key index`. */
  async archived(): Promise<string[]> {
    const names = await this.bench.keys(ARCHIVE.container);
    return names.map((name) => {
      const parsed = parseArchiveName(name);
      if (parsed === undefined) return name;
      if (parsed.kind === 'fence') return `${parsed.key} g${parsed.generation}`;
      return `${parsed.key} ${parsed.kind === 'index' ? 'index' : 'v'}`;
    });
  }
}

/** ListObjectVersions of all that there is. */
export async function listVersions(
  backend: Backend,
  bucket = BUCKET,
): Promise<readonly VersionsPageEntry[]> {
  const versions = gatewayOn(backend);
  const source = {
    backend,
    call: CALL,
    account: ACCOUNT,
    bucket,
    readIndex: versions.readIndex.bind(versions),
    repairLink: versions.repairLink.bind(versions),
  };
  const query = {
    prefix: '',
    delimiter: undefined,
    keyMarker: '',
    versionIdMarker: '',
    maxKeys: 10_000,
  };
  return (await readVersionsPage(source, query)).entries;
}
