import type { Backend } from '../../../src/backend/backend.js';
import { STACK } from '../../support/stack.js';
import { startApi } from '../../swift-api/support/api.js';

/** The store that a console under test talks to. */
export interface TestStore {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly authUrl: string;
  /** The backend below an embedded store's API, as a gateway writes to it. */
  readonly backend?: Backend;
  close(): Promise<void>;
}

/**
 * The Swift API of an embedded store, or with RINGWAY_TEST_STACK=swift the cluster of this run,
 * which others use as well. Both know the same users.
 */
export async function openTestStore(): Promise<TestStore> {
  if (STACK !== 'swift') {
    const api = await startApi();
    return {
      origin: api.origin,
      authUrl: `${api.origin}/auth/v1.0`,
      backend: api.backend,
      close: () => api.close(),
    };
  }
  const { sharedSwiftLab } = await import('../../support/shared-swift-lab.js');
  const { endpoints, authUrl } = (await sharedSwiftLab()).state;
  const [origin] = endpoints;
  if (origin === undefined) throw new Error('the lab has no proxy');
  return { origin, authUrl, close: () => Promise.resolve() };
}
