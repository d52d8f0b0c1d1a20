import type { Backend, CallContext, Metadata, MetadataPatch } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';

/**
 * What an account knows of itself, its metadata. The store has no accounts but in the names of
 * containers, so it is kept as the metadata of a container that no client gets to see.
 */
const CONTAINER = '.ringway-account';

/** Whether a container is ours: for clients it is not there. */
export function isHidden(container: string): boolean {
  return container === CONTAINER;
}

export interface AccountRecord {
  readonly metadata: Metadata;
  readonly systemMetadata: Metadata;
}

const EMPTY: AccountRecord = { metadata: {}, systemMetadata: {} };

export class AccountRecords {
  constructor(private readonly backend: Backend) {}

  async read(context: CallContext, account: string): Promise<AccountRecord> {
    try {
      return await this.backend.headContainer(context, { account, container: CONTAINER });
    } catch (error) {
      if (isMissing(error)) return EMPTY;
      throw error;
    }
  }

  async update(
    context: CallContext,
    account: string,
    metadata: MetadataPatch,
    systemMetadata: MetadataPatch,
  ): Promise<void> {
    const ref = { account, container: CONTAINER };
    if (Object.keys(metadata).length + Object.keys(systemMetadata).length === 0) return;
    await this.backend.createContainer(context, ref, {});
    await this.backend.updateContainer(context, ref, { metadata, systemMetadata });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof BackendError && error.code === 'NoSuchContainer';
}
