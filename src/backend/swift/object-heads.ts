import type { MaybePromise } from '../../lib/promises.js';
import type { CallContext, ObjectRef, ReadOptions, RemovedManifest } from '../backend.js';
import { BackendError, isCode, type BackendErrorCode } from '../errors.js';
import type { ContainerHeads } from './container-heads.js';
import { answerError } from './status-errors.js';
import { readStoredObject, type StoredObject } from './stored-object.js';
import type { SwiftInfo, SwiftTransport, SwiftResponse } from './transport.js';

/** The rest of the backend, as far as the reads, and the writes of containers, need it. */
export interface ReadDeps {
  readonly transport: SwiftTransport;
  readonly limits: SwiftInfo;
  readonly heads: ContainerHeads;
  /**
   * The storage policy of containers that the gateway creates; undefined: the cluster's default.
   */
  readonly storagePolicy: string | undefined;
}

/** The object of this name, be it a link. */
export const ITSELF = 'symlink=get';
/** The same, be it a manifest: of a static one, size and ETag are then those of the manifest. */
export const ITSELF_UNJOINED = `${ITSELF}&multipart-manifest=get`;

/** Whether an expired object is seen. */
export type Expiry = Pick<ReadOptions, 'openExpired'>;

/** An object as it is found, and all that Swift said of it. */
export interface FoundObject {
  readonly stored: StoredObject;
  readonly headers: ReadonlyMap<string, string>;
}

/**
 * Heads of objects that a write has to know before or behind it. All replicas are asked: a decision
 * made here is written next.
 */
export class ObjectHeads {
  constructor(private readonly deps: ReadDeps) {}

  /** The object of this name, be it a link. @returns undefined when it, or its container, is missing */
  async itself(
    context: CallContext,
    ref: ObjectRef,
    options: Expiry = {},
  ): Promise<FoundObject | undefined> {
    const response = await this.#head(context, ref, options);
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw await answerError('object', 'HEAD', ref, response);
    return { stored: readStoredObject(response.headers), headers: response.headers };
  }

  /**
   * The large object that a write is about to replace or remove. It costs a request, so it is made
   * only where one can be: who writes large objects keeps their segments in a companion of their
   * container. One whose companion is made in this very moment is overlooked, and so is one where
   * Swift cannot tell whether it is there, as with a storage node down that could still take the
   * write: its segments are left to the janitor.
   */
  manifest(
    context: CallContext,
    ref: ObjectRef,
    options: Expiry = {},
  ): MaybePromise<RemovedManifest | undefined> {
    const companion = { account: ref.account, container: companionOf(ref.container) };
    const isKnown = this.deps.heads.isKnown(context, companion);
    if (isKnown === false) return undefined;
    return this.#manifest(context, ref, isKnown, options).catch(unknownIfUnavailable);
  }

  async #manifest(
    context: CallContext,
    ref: ObjectRef,
    isKnown: MaybePromise<boolean>,
    options: Expiry,
  ): Promise<RemovedManifest | undefined> {
    if (!(await isKnown)) return undefined;
    const found = await this.itself(context, ref, options);
    if (found?.stored.head.segmentCount === undefined) return undefined;
    const { size, etag, systemMetadata } = found.stored.head;
    return { size, etag, systemMetadata };
  }

  /** Deletes an object; one that is gone already is no error. */
  async remove(context: CallContext, ref: ObjectRef): Promise<void> {
    const response = await this.deps.transport.request({
      context,
      method: 'DELETE',
      ...ref,
      repeatable: true,
    });
    if (response.status !== 204 && response.status !== 404) {
      throw await answerError('object', 'DELETE', ref, response);
    }
    response.cancel();
  }

  /** A manifest that leads to what may not be read can be asked for what it is itself. */
  async #head(
    context: CallContext,
    ref: ObjectRef,
    { openExpired = false }: Expiry,
  ): Promise<SwiftResponse> {
    const headers = openExpired ? EVEN_EXPIRED : NEWEST;
    const request = { context, method: 'HEAD', ...ref, headers } as const;
    const ask = (query: string) => this.deps.transport.request({ ...request, query });
    const response = await ask(ITSELF).catch((error: unknown) => {
      if (!isCode(error, 'Denied')) throw error;
      return ask(ITSELF_UNJOINED);
    });
    response.cancel();
    return response;
  }
}

function unknownIfUnavailable(error: unknown): undefined {
  if (error instanceof BackendError && UNKNOWN.has(error.code)) return undefined;
  throw error;
}

const UNKNOWN: ReadonlySet<BackendErrorCode> = new Set(['Unavailable', 'Timeout']);

const NEWEST = { 'x-newest': 'true' };
const EVEN_EXPIRED = { ...NEWEST, 'x-open-expired': 'true' };

const SEGMENTS = '+segments';
const VERSIONS = '+versions';

/** Versions that are kept apart are made of the segments of their container. */
function companionOf(container: string): string {
  const named = container.endsWith(VERSIONS) ? container.slice(0, -VERSIONS.length) : container;
  return named + SEGMENTS;
}
