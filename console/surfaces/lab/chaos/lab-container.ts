import { createHash } from 'node:crypto';
import { presentDevices, type Device, type Devices } from '../../../../src/ring/device.js';
import { replicaCount } from '../../../../src/ring/ring-data.js';
import { ApiError } from '../../../server/api-error.js';
import type { SwiftAccount } from '../../../swift/account.js';
import { readBody } from '../../../swift/upstream.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { NodeHead, NodeReader } from '../ground/node-reader.js';
import { lookup, policyIndexOf, rawPathOf, type Lookup } from '../rings/lookup.js';
import { PROBE_BYTES, type ProbeStore } from './prober.js';

/** The prefix of the containers of faults; nothing else is ever damaged. */
export const CHAOS_PREFIX = 'lab-chaos-';
/** Tells them from those of people. */
const MARK = { name: 'x-container-meta-lab', value: 'chaos' } as const;
/** A paused object server holds a request for Swift's `node_timeout`, ten seconds. */
const PROBE_IDLE_MS = 20_000;
const LISTING_BYTES_MAX = 256 * 1024;
const LISTED_MAX = 1000;

/** One place where an object is, or should be. */
export interface CopyPlace {
  readonly device: Device;
  /** Its place among the primaries; null for a handoff. */
  readonly index: number | null;
}

export interface CopySight extends CopyPlace {
  readonly state: NodeHead['state'];
  readonly timestamp: string | null;
  readonly etag: string | null;
}

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
    return this.#policyIndex === 0 ? 'object' : `object-${this.#policyIndex}`;
  }

  /** @param policy - name of a policy; empty for the cluster's default */
  async create(policy: string): Promise<void> {
    const { account, rings, name } = this.given;
    const headers = {
      [MARK.name]: MARK.value,
      ...(policy === '' ? {} : { 'x-storage-policy': policy }),
    };
    await account.do([201, 202], 'PUT', { container: name, headers });
    const { headers: found } = await account.do([200, 204], 'HEAD', { container: name });
    if (found[MARK.name] !== MARK.value) throw notOurs();
    const policies = [...(await rings.policies()).values()];
    this.#policyIndex = policies.find((one) => one.name === found['x-storage-policy'])?.index ?? 0;
  }

  /** Whether the container is one of the Lab's. @throws ApiError not_lab_object */
  async requireOurs(): Promise<void> {
    const { account, name } = this.given;
    if (!name.startsWith(CHAOS_PREFIX)) throw notOurs();
    const { headers } = await account.do([200, 204], 'HEAD', { container: name });
    if (headers[MARK.name] !== MARK.value) throw notOurs();
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

  async listed(): Promise<string[]> {
    const { account, name } = this.given;
    const request = { container: name, query: { limit: LISTED_MAX } };
    const { body } = await account.read([200, 204, 404], 'GET', request, LISTING_BYTES_MAX);
    return body.toString('utf8').split('\n').filter(Boolean);
  }

  /** Deletes its objects and itself; what is left is deleted by the next run. Never throws. */
  async remove(keys: readonly string[]): Promise<void> {
    const { account, name } = this.given;
    try {
      for (const object of new Set([...keys, ...(await this.listed())])) {
        await account.do([204, 404], 'DELETE', { container: name, object });
      }
      await account.do([204, 404, 409], 'DELETE', { container: name });
    } catch {
      // The cluster is not what it should be, and this is the least of it.
    }
  }

  /** Where an object belongs. @throws what reading the rings throws */
  async place(key: string, handoffs = 0): Promise<Lookup & { readonly places: CopyPlace[] }> {
    const { rings, account, name } = this.given;
    const { ringName } = this;
    const { ring, read } = await rings.open(ringName);
    const target = { account: account.name, container: name, object: key };
    const found = lookup({ ring, hash: await rings.pathHash(), ringName }, target, handoffs);
    return { ...found, places: placesOf(read.data.devices, found) };
  }

  /** Where this container itself belongs: its databases. */
  async databases(): Promise<Lookup & { readonly places: CopyPlace[] }> {
    const { rings, account, name } = this.given;
    const { ring, read } = await rings.open('container');
    const target = { account: account.name, container: name };
    const found = lookup({ ring, hash: await rings.pathHash(), ringName: 'container' }, target, 0);
    return { ...found, places: placesOf(read.data.devices, found) };
  }

  /** The copies of an object on primaries, and on as many handoffs. */
  async copies(key: string): Promise<CopySight[]> {
    const { rings, nodes, account, name } = this.given;
    const { read } = await rings.open(this.ringName);
    const { part, places } = await this.place(key, Math.ceil(replicaCount(read.data.rows)));
    const rawPath = rawPathOf({ account: account.name, container: name, object: key });
    return Promise.all(
      places.map(async (place) => {
        const head = await nodes.head(place.device, part, rawPath, policyIndexOf(this.ringName));
        const { state, timestamp, etag } = head;
        return { ...place, state, timestamp, etag };
      }),
    );
  }

  /** The MD5 of the whole body that one server has; null where it has none, or breaks off. */
  async readCopy(key: string, { device }: CopyPlace): Promise<string | null> {
    const { nodes, account, name } = this.given;
    const { part } = await this.place(key);
    const rawPath = rawPathOf({ account: account.name, container: name, object: key });
    const body = await nodes.read(device, part, rawPath, policyIndexOf(this.ringName), 64 * 1024);
    return body === null ? null : createHash('md5').update(body).digest('hex');
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

function placesOf(devices: Devices, { primaries, handoffs }: Lookup): CopyPlace[] {
  const known = new Map(presentDevices(devices).map((device) => [device.id, device]));
  return [...primaries, ...handoffs].flatMap(({ id, index }) => {
    const device = known.get(id);
    return device === undefined ? [] : [{ device, index }];
  });
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
  const query = { prefix: `lab-${kind}-`, limit: 100 };
  const { body } = await account.read([200, 204], 'GET', { query }, LISTING_BYTES_MAX);
  const names = body.toString('utf8').split('\n');
  for (const container of names.filter((name) => FORMER.test(name) && name !== current)) {
    const { headers } = await account.do([200, 204, 404], 'HEAD', { container });
    if (headers[MARK.name] !== kind) continue;
    const request = { container, query: { limit: LISTED_MAX } };
    const listed = await account.read([200, 204, 404], 'GET', request, LISTING_BYTES_MAX);
    for (const object of listed.body.toString('utf8').split('\n').filter(Boolean)) {
      await account.do([204, 404], 'DELETE', { container, object });
    }
    await account.do([204, 404, 409], 'DELETE', { container });
  }
}
