import { join } from 'node:path';
import type { Backend } from '../../src/backend/backend.js';
import { BackendError } from '../../src/backend/errors.js';
import { openEmbeddedStore } from '../../src/backend/embedded/index.js';
import type { Service } from '../support/service.js';

const CALL = { requestId: 'companion' };

function openStoreOf({ dataDir }: Service): Promise<Backend> {
  return openEmbeddedStore({ directory: join(dataDir, 'store') });
}

/** Changes the store of a running service as nobody can through a gateway. */
export async function inStoreOf(
  service: Service,
  change: (store: Backend) => Promise<unknown>,
): Promise<void> {
  const store = await openStoreOf(service);
  try {
    await change(store);
  } finally {
    await store.close();
  }
}

/** The markers and parts of uploads that a running service keeps, seen in its store. */
export class Companion {
  private constructor(
    private readonly store: Backend,
    private readonly account: string,
  ) {}

  static async open(service: Service, account = 'AUTH_main'): Promise<Companion> {
    return new Companion(await openStoreOf(service), account);
  }

  /** Names of the account's containers. */
  async containers(): Promise<string[]> {
    const page = await this.store.listContainers(CALL, this.account, { limit: 10_000 });
    return page.containers.map(({ name }) => name);
  }

  /** Names of markers and parts of a bucket. */
  async names(bucket: string): Promise<string[]> {
    const container = { account: this.account, container: `${bucket}+segments` };
    try {
      const { entries } = await this.store.listObjects(CALL, container, { limit: 10_000 });
      return entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object.name] : []));
    } catch (error) {
      if (error instanceof BackendError && error.code === 'NoSuchContainer') return [];
      throw error;
    }
  }

  /** Names of the parts that the bucket's objects are made of. */
  async inUse(bucket: string): Promise<string[]> {
    const container = { account: this.account, container: bucket };
    const { entries } = await this.store.listObjects(CALL, container, { limit: 10_000 });
    const names: string[] = [];
    for (const entry of entries) {
      if (entry.kind !== 'object') continue;
      const ref = { ...container, object: entry.object.name };
      const segments = await this.store.getSegments(CALL, ref);
      names.push(...(segments ?? []).map(({ object }) => object));
    }
    return names;
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
