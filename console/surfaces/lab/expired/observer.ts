import { presentDevices, type Device } from '../../../../src/ring/device.js';
import { replicaCount } from '../../../../src/ring/ring-data.js';
import type { SwiftAccount } from '../../../swift/account.js';
import { readBody, type Upstream } from '../../../swift/upstream.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { NodeReader } from '../ground/node-reader.js';
import { lookup, policyIndexOf, rawPathOf } from '../rings/lookup.js';
import type { ReplicaSight, Sight } from './states.js';

/** The proxy's support for `X-Open-Expired`, which is there since Swift 2.34. */
export interface OpenExpired {
  readonly support: 'enabled' | 'disabled' | 'unsupported';
  /** Null where the store does not say which Swift it is. */
  readonly version: string | null;
}

/** The work of a run on objects, and its view of them. */
export interface ExpiryObserver {
  /** True when storage nodes can be asked. */
  readonly asksNodes: boolean;
  openExpired(): Promise<OpenExpired>;
  create(container: string): Promise<void>;
  put(container: string, object: string, bytes: number, deleteAtS: number): Promise<void>;
  look(container: string, object: string, opens: boolean): Promise<Sight>;
  /** Whether the listing of the container still has each. */
  listed(container: string): Promise<ReadonlySet<string>>;
  /** Makes an expired object an ordinary one again. @returns whether it is readable now */
  rescue(container: string, object: string): Promise<boolean>;
  /** Deletes what is left of the container. */
  remove(container: string, objects: readonly string[]): Promise<void>;
}

export interface SwiftObserverOptions {
  readonly account: SwiftAccount;
  readonly store: Upstream;
  readonly rings: LabRings;
  readonly nodes: Pick<NodeReader, 'ask'>;
  /** Whether there is a `store_dir`, so that storage nodes can be asked. */
  readonly asksNodes: boolean;
  readonly now: () => number;
}

/** The prefix of the containers of runs. */
export const EXPIRED_PREFIX = 'lab-expired-';
const FORMER = new RegExp(`^${EXPIRED_PREFIX}[0-9a-f]{8}$`);
/** Tells containers of runs from those of people. */
const MARK = { name: 'x-container-meta-lab', value: 'expired' } as const;

const INFO_BYTES_MAX = 1024 * 1024;
const LISTING_BYTES_MAX = 256 * 1024;

/** Over a store with Swift's API, as its user, and over its storage nodes where they are known. */
export class SwiftObserver implements ExpiryObserver {
  #policyIndex = new Map<string, number>();

  constructor(private readonly given: SwiftObserverOptions) {}

  get asksNodes(): boolean {
    return this.given.asksNodes;
  }

  async openExpired(): Promise<OpenExpired> {
    const { status, body } = await this.given.store.send({ method: 'GET', rawPath: '/info' });
    const text = (await readBody(body, INFO_BYTES_MAX)).toString('utf8');
    const { swift, ringway_store: own } = (status === 200 ? JSON.parse(text) : {}) as {
      readonly swift?: { readonly version?: unknown; readonly allow_open_expired?: unknown };
      readonly ringway_store?: unknown;
    };
    const allowed = swift?.allow_open_expired;
    // The embedded store gives Ringway's version there.
    const said = own === undefined ? swift?.version : undefined;
    const version = typeof said === 'string' ? said.slice(0, 32) : null;
    if (typeof allowed !== 'boolean') return { support: 'unsupported', version };
    return { support: allowed ? 'enabled' : 'disabled', version };
  }

  async create(container: string): Promise<void> {
    const { account } = this.given;
    await this.#removeFormer();
    const headers = { [MARK.name]: MARK.value };
    await account.do([201, 202], 'PUT', { container, headers });
    const { headers: found } = await account.do([200, 204], 'HEAD', { container });
    this.#policyIndex.set(container, await this.#indexOf(found['x-storage-policy']));
  }

  async put(container: string, object: string, bytes: number, deleteAtS: number): Promise<void> {
    const body = Buffer.alloc(bytes, object);
    const headers = { 'x-delete-at': String(deleteAtS), 'content-length': String(bytes) };
    await this.given.account.do([201], 'PUT', { container, object, headers, body });
  }

  async look(container: string, object: string, opens: boolean): Promise<Sight> {
    const atS = this.given.now() / 1000;
    const [status, openStatus, replicas] = await Promise.all([
      this.#status(container, object, {}),
      opens ? this.#status(container, object, { 'x-open-expired': 'true' }) : null,
      this.#replicas(container, object),
    ]);
    return { atS, status, openStatus, replicas };
  }

  async listed(container: string): Promise<ReadonlySet<string>> {
    const request = { container, query: { limit: 1000 } };
    const { body } = await this.given.account.read([200, 204], 'GET', request, LISTING_BYTES_MAX);
    return new Set(body.toString('utf8').split('\n').filter(Boolean));
  }

  async rescue(container: string, object: string): Promise<boolean> {
    const { account } = this.given;
    const opened = { 'x-open-expired': 'true' };
    const { headers } = await account.do([200], 'HEAD', { container, object, headers: opened });
    // A POST replaces all metadata: what is not sent again is lost.
    const kept = Object.entries(headers).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' &&
        /^(?:x-object-meta-|content-(?:type|disposition|encoding)$)/.test(entry[0]),
    );
    const all = { ...Object.fromEntries(kept), ...opened, 'x-remove-delete-at': 'true' };
    await account.do([202], 'POST', { container, object, headers: all });
    return (await this.#status(container, object, {})) === 200;
  }

  async remove(container: string, objects: readonly string[]): Promise<void> {
    const { account } = this.given;
    for (const object of objects) await account.do([204, 404], 'DELETE', { container, object });
    // As long as a listing has expired objects, its container cannot be deleted: see `create`.
    await account.do([204, 404, 409], 'DELETE', { container });
  }

  /** Containers of former runs, as soon as they are empty. */
  async #removeFormer(): Promise<void> {
    const { account } = this.given;
    const query = { prefix: EXPIRED_PREFIX, limit: 100 };
    const { body } = await account.read([200, 204], 'GET', { query }, LISTING_BYTES_MAX);
    const names = body.toString('utf8').split('\n');
    for (const container of names.filter((name) => FORMER.test(name))) {
      const { headers } = await account.do([200, 204, 404], 'HEAD', { container });
      if (headers[MARK.name] !== MARK.value) continue;
      await account.do([204, 404, 409], 'DELETE', { container });
    }
  }

  async #status(
    container: string,
    object: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<number | null> {
    try {
      const { status, body } = await this.given.account.send('GET', { container, object, headers });
      body.resume();
      return status;
    } catch {
      return null;
    }
  }

  async #indexOf(policy: unknown): Promise<number> {
    if (!this.given.asksNodes || typeof policy !== 'string') return 0;
    const policies = await this.given.rings.policies();
    return [...policies.values()].find(({ name }) => name === policy)?.index ?? 0;
  }

  /** All primaries, and as many handoffs, asked as a replicator asks. */
  async #replicas(container: string, object: string): Promise<ReplicaSight[]> {
    const { rings, nodes, account, asksNodes } = this.given;
    if (!asksNodes) return [];
    const index = this.#policyIndex.get(container) ?? 0;
    const ringName = index === 0 ? 'object' : `object-${index}`;
    const { ring, read } = await rings.open(ringName);
    const target = { account: account.name, container, object };
    const found = lookup(
      { ring, hash: await rings.pathHash(), ringName },
      target,
      Math.ceil(replicaCount(read.data.rows)),
    );
    const devices = new Map<number, Device>(
      presentDevices(read.data.devices).map((device) => [device.id, device]),
    );
    const asked = [...found.primaries, ...found.handoffs].flatMap(({ id, index: place }) => {
      const device = devices.get(id);
      return device === undefined ? [] : [{ device, place }];
    });
    return Promise.all(
      asked.map(async ({ device, place }) => {
        const { head } = await nodes.ask(
          device,
          found.part,
          rawPathOf(target),
          policyIndexOf(ringName),
          { 'x-backend-replication': 'true' },
        );
        const { state, timestamp } = head;
        return { node: device.ip, device: device.device, index: place, state, timestamp };
      }),
    );
  }
}
