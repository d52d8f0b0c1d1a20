import { createHash } from 'node:crypto';
import { ApiError } from '../../../server/api-error.js';
import type { SwiftAccount } from '../../../swift/account.js';
import { readBody } from '../../../swift/upstream.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { NodeHead, NodeReader } from '../ground/node-reader.js';
import { formerContainers, listedNames, MARK, removeContainer } from '../ground/test-containers.js';
import {
  locate,
  objectRing,
  policyIndexOf,
  rawPathOf,
  type Located,
  type Place,
} from '../rings/lookup.js';
import { PROBE_BYTES, type ProbeStore } from './prober.js';

/** The prefix of the containers of faults; nothing else is ever damaged. */
export const CHAOS_PREFIX = 'lab-chaos-';
/** A paused object server holds a request for Swift's `node_timeout`, ten seconds. */
const PROBE_IDLE_MS = 20_000;
/** Statuses of a listing, also of a container that is gone. */
const WHEREVER = [200, 204, 404];

export type CopySight = Place & Pick<NodeHead, 'state' | 'timestamp' | 'etag'>;

export interface LabContainerOptions {
  readonly account: SwiftAccount;
  readonly rings: LabRings;
  readonly nodes: NodeReader;
  readonly name: string;
}

/** The container of one run, on the store and on its storage servers. */
export class LabContainer implements ProbeStore {
  #policyIndex = 0;

  constructor(private readonly given: LabContainerOptions) {}

  get name(): string {
    return this.given.name;
  }

  get account(): string {
    return this.given.account.name;
  }

  get ringName(): string {
    return objectRing(this.#policyIndex);
  }

  /** @param policy - name of a policy; empty for the cluster's default */
  async create(policy: string): Promise<void> {
    const { account, rings, name } = this.given;
    const headers = {
      [MARK]: 'chaos',
      ...(policy === '' ? {} : { 'x-storage-policy': policy }),
    };
    await account.do([201, 202], 'PUT', { container: name, headers });
    const { headers: found } = await account.do([200, 204], 'HEAD', { container: name });
    if (found[MARK] !== 'chaos') throw notOurs();
    const policies = [...(await rings.policies()).values()];
    this.#policyIndex = policies.find((one) => one.name === found['x-storage-policy'])?.index ?? 0;
  }

  /** Whether the container is one of the Lab's. @throws ApiError not_lab_object */
  async requireOurs(): Promise<void> {
    const { account, name } = this.given;
    if (!name.startsWith(CHAOS_PREFIX)) throw notOurs();
    const { headers } = await account.do([200, 204], 'HEAD', { container: name });
    if (headers[MARK] !== 'chaos') throw notOurs();
  }

  /** Sets or clears (empty) the limit of bytes. */
  async setQuota(bytes: string): Promise<void> {
    const { account, name } = this.given;
    const headers: Record<string, string> =
      bytes === ''
        ? { 'x-remove-container-meta-quota-bytes': 'x' }
        : { 'x-container-meta-quota-bytes': bytes };
    await account.do([202, 204], 'POST', { container: name, headers });
  }

  async put(key: string, body: Buffer): Promise<number | null> {
    const headers = { 'content-length': String(body.length) };
    return (await this.#send('PUT', key, headers, body)).status;
  }

  get(key: string): Promise<{ readonly status: number | null; readonly body: Buffer | null }> {
    return this.#send('GET', key, {});
  }

  listed(): Promise<string[]> {
    return listedNames(this.given.account, { container: this.name }, WHEREVER);
  }

  /** Deletes its objects and itself; what is left is deleted by the next run. Never throws. */
  async remove(keys: readonly string[]): Promise<void> {
    try {
      await removeContainer(this.given.account, this.name, [...keys, ...(await this.listed())]);
    } catch {
      // The cluster is not what it should be, and this is the least of it.
    }
  }

  /** The primaries of an object. @throws what reading the rings throws */
  place(key: string): Promise<Located> {
    return locate(this.given.rings, this.ringName, this.#target(key), 0);
  }

  /** Where this container itself belongs: its databases. */
  databases(): Promise<Located> {
    const { rings, account, name } = this.given;
    return locate(rings, 'container', { account: account.name, container: name }, 0);
  }

  /** The copies of an object on primaries, and on as many handoffs. */
  async copies(key: string): Promise<CopySight[]> {
    const { rings, nodes } = this.given;
    const { part, places } = await locate(rings, this.ringName, this.#target(key));
    const rawPath = rawPathOf(this.#target(key));
    return Promise.all(
      places.map(async (place) => {
        const head = await nodes.head(place.device, part, rawPath, policyIndexOf(this.ringName));
        const { state, timestamp, etag } = head;
        return { ...place, state, timestamp, etag };
      }),
    );
  }

  /** The MD5 of the whole body that one server has; null where it has none, or breaks off. */
  async readCopy(key: string, { device }: Place): Promise<string | null> {
    const { nodes } = this.given;
    const { part } = await this.place(key);
    const rawPath = rawPathOf(this.#target(key));
    const body = await nodes.read(device, part, rawPath, policyIndexOf(this.ringName), 64 * 1024);
    return body === null ? null : createHash('md5').update(body).digest('hex');
  }

  #target(object: string) {
    const { account, name } = this.given;
    return { account: account.name, container: name, object };
  }

  async #send(
    method: string,
    object: string,
    headers: Record<string, string>,
    body?: Buffer,
  ): Promise<{ readonly status: number | null; readonly body: Buffer | null }> {
    const { account, name } = this.given;
    const request = { container: name, object, headers, body, idleMs: PROBE_IDLE_MS };
    try {
      const answer = await account.send(method, request);
      const read = await readBody(answer.body, 4 * PROBE_BYTES);
      return { status: answer.status, body: answer.status === 200 ? read : null };
    } catch {
      return { status: null, body: null };
    }
  }
}

function notOurs(): ApiError {
  return new ApiError('not_lab_object', 'The container was not created by the Lab.');
}

const FORMER = /^lab-(?:chaos|node)-[0-9a-f]{8}(?:-full)?$/;

/**
 * Deletes containers of runs that the end of a console has cut.
 * @param current - the name of the one that is in use
 * @param kind - `node` for those of drills
 */
export async function removeFormer(
  account: SwiftAccount,
  current: string,
  kind: 'chaos' | 'node' = 'chaos',
): Promise<void> {
  for (const container of await formerContainers(account, `lab-${kind}-`, FORMER, kind)) {
    if (container === current) continue;
    const objects = await listedNames(account, { container }, WHEREVER);
    await removeContainer(account, container, objects);
  }
}
