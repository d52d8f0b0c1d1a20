import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CallContext,
  ContainerAcl,
  ContainerInput,
  ContainerRef,
  ContainerUpdate,
  MetadataPatch,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { answerError } from './status-errors.js';
import { isThere, requestHead, VERSIONS_LOCATIONS } from './container-heads.js';
import { pieceCount, pieceName } from './header-codec.js';
import type { ReadDeps } from './object-heads.js';
import { withinLimits } from './stored-object.js';
import {
  systemHeaderName,
  systemMetadataHeaders,
  containerMetadataHeader,
} from './metadata-headers.js';
import type { RequestHeaders, SwiftMethod, SwiftResponse } from './transport.js';

/**
 * Pauses before each further attempt to delete an empty container: its replicas learn of deleted
 * objects one after the other, and Swift refuses until all have.
 */
const DELETE_AGAIN_MS = [100, 300, 600] as const;

/** Creates, changes and deletes containers. */
export class Containers {
  /** Creators of one container in this process, one after the other. */
  readonly #creating = new Map<string, Promise<unknown>>();

  constructor(private readonly deps: ReadDeps) {}

  /**
   * Swift's PUT changes the metadata of a container that is there, so it is looked at first. Two
   * gateways that create one container in the same moment may both be told that it exists: Swift
   * says `created` only when all replicas do.
   */
  async create(
    context: CallContext,
    ref: ContainerRef,
    input: ContainerInput,
  ): Promise<'created' | 'exists'> {
    const key = `${ref.account}/${ref.container}`;
    const former = this.#creating.get(key);
    const creating = Promise.allSettled([former]).then(() => this.#create(context, ref, input));
    this.#creating.set(key, creating);
    try {
      return await creating;
    } finally {
      if (this.#creating.get(key) === creating) this.#creating.delete(key);
    }
  }

  async #create(
    context: CallContext,
    ref: ContainerRef,
    input: ContainerInput,
  ): Promise<'created' | 'exists'> {
    throwIfAborted(context);
    // All replicas: what one of them knows is not to be written over.
    const newest = requestHead(this.deps.transport, context, ref, { newest: true });
    if (await isThere(newest)) return 'exists';
    const headers = {
      ...userMetadataHeaders(input.metadata),
      ...(this.#keepsSystemMetadata && systemMetadataHeaders('container', input.systemMetadata)),
      ...aclHeaders(input.acl),
    };
    const like = await this.#policyLike(context, ref, input.placedLike);
    const put = (policy: string | undefined): Promise<SwiftResponse> =>
      this.#request('PUT', context, ref, { ...policyHeader(policy), ...headers });
    const { storagePolicy } = this.deps;
    let response = await put(like ?? storagePolicy);
    if (response.status === 400 && like !== undefined) {
      // No new containers of a policy that is deprecated.
      response.cancel();
      response = await put(storagePolicy);
    }
    if (response.status !== 201 && response.status !== 202) {
      throw await answerError('container_put', 'PUT', ref, response);
    }
    response.cancel();
    return response.status === 201 ? 'created' : 'exists';
  }

  async #policyLike(
    context: CallContext,
    { account }: ContainerRef,
    container: string | undefined,
  ): Promise<string | undefined> {
    if (container === undefined) return undefined;
    const head = requestHead(this.deps.transport, context, { account, container });
    return (await isThere(head)) ? (await head).headers.get('x-storage-policy') : undefined;
  }

  /** @throws BackendError NoSuchContainer */
  async update(context: CallContext, ref: ContainerRef, update: ContainerUpdate): Promise<void> {
    const { headers } = await requestHead(this.deps.transport, context, ref);
    const changes = {
      ...userMetadataHeaders(update.metadata),
      ...(this.#keepsSystemMetadata && systemChanges(update.systemMetadata, headers)),
      ...aclHeaders(update.acl),
      ...(update.storeVersioning === false && storeVersioningOff(headers)),
    };
    if (Object.keys(changes).length === 0) return;
    const response = await this.#request('POST', context, ref, changes);
    if (response.status >= 300) throw await answerError('container', 'POST', ref, response);
    response.cancel();
  }

  /** @throws BackendError NoSuchContainer, ContainerNotEmpty */
  async delete(context: CallContext, ref: ContainerRef): Promise<void> {
    for (const waitMs of [...DELETE_AGAIN_MS, undefined]) {
      const response = await this.#request('DELETE', context, ref, {});
      if (response.status < 300) {
        response.cancel();
        return;
      }
      const error = await answerError('container_delete', 'DELETE', ref, response);
      if (error.code !== 'ContainerNotEmpty' || (await this.#hasObjects(context, ref))) throw error;
      if (waitMs !== undefined) await sleep(waitMs);
    }
    const { container } = ref;
    throw new BackendError('Unavailable', `${container}: a replica still shows deleted objects`);
  }

  async #hasObjects(context: CallContext, { account, container }: ContainerRef): Promise<boolean> {
    const response = await this.deps.transport.request({
      context,
      method: 'GET',
      account,
      container,
      query: 'limit=1',
    });
    // 204: nothing to list.
    const { status } = response;
    response.cancel();
    return status === 200;
  }

  get #keepsSystemMetadata(): boolean {
    return this.deps.limits.filter !== undefined;
  }

  /** The cached head is wrong from now on, whatever the answer. */
  async #request(
    method: SwiftMethod,
    context: CallContext,
    { account, container }: ContainerRef,
    headers: Record<string, string>,
  ): Promise<SwiftResponse> {
    const { transport, heads } = this.deps;
    try {
      return await transport.request({
        context,
        method,
        account,
        container,
        headers: withinLimits(headers),
        repeatable: method !== 'PUT',
      });
    } finally {
      heads.forget({ account, container });
    }
  }
}

/**
 * Ends Swift's own versioning of the kind that the container has: Swift refuses the headers of the
 * other one. https://docs.openstack.org/api-ref/object-store/
 *
 * @param current - of the container's HEAD
 */
function storeVersioningOff(current: ReadonlyMap<string, string>): RequestHeaders {
  return VERSIONS_LOCATIONS.some((name) => current.has(name))
    ? { 'x-remove-versions-location': 'x', 'x-remove-history-location': 'x' }
    : { 'x-versions-enabled': 'false' };
}

/** An empty value takes a name away. */
function userMetadataHeaders(patch: MetadataPatch | undefined): RequestHeaders {
  return Object.fromEntries(
    Object.entries(patch ?? {}).map(([name, value]) => [
      containerMetadataHeader(name),
      value ?? '',
    ]),
  );
}

/** The same of system metadata, whose long values are in pieces: those left of a former one go too. */
function systemChanges(
  patch: MetadataPatch | undefined,
  current: ReadonlyMap<string, string>,
): RequestHeaders {
  const changes: Record<string, string> = {};
  for (const [name, value] of Object.entries(patch ?? {})) {
    const former = current.get(systemHeaderName('container', name)) ?? '';
    for (let i = pieceCount(former) - 1; i > 0; i--) {
      changes[systemHeaderName('container', pieceName(name, i))] = '';
    }
    if (value === null) changes[systemHeaderName('container', name)] = '';
    else Object.assign(changes, systemMetadataHeaders('container', { [name]: value }));
  }
  return changes;
}

function policyHeader(policy: string | undefined): RequestHeaders {
  return policy === undefined ? {} : { 'x-storage-policy': policy };
}

function aclHeaders(acl: ContainerAcl | undefined): RequestHeaders {
  return acl === undefined ? {} : { 'x-container-read': acl.read, 'x-container-write': acl.write };
}
