import type { SwiftAccount } from '../../../swift/account.js';
import { readBody, type Upstream } from '../../../swift/upstream.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { NodeReader } from '../ground/node-reader.js';
import { MARK, formerContainers, listedNames, removeContainer } from '../ground/test-containers.js';
import { locate, objectRing, rawPathOf } from '../rings/lookup.js';
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

const INFO_BYTES_MAX = 1024 * 1024;

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
    const headers = { [MARK]: 'expired' };
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
    return new Set(await listedNames(this.given.account, { container }));
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
    // As long as a listing has expired objects, its container cannot be deleted: see `create`.
    await removeContainer(this.given.account, container, objects);
  }

  /** Containers of former runs, as soon as they are empty. */
  async #removeFormer(): Promise<void> {
    const { account } = this.given;
    for (const container of await formerContainers(account, EXPIRED_PREFIX, FORMER, 'expired')) {
      await removeContainer(account, container, []);
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
    const target = { account: account.name, container, object };
    const rawPath = rawPathOf(target);
    const { part, places } = await locate(rings, objectRing(index), target);
    const asReplicator = { 'x-backend-replication': 'true' };
    return Promise.all(
      places.map(async ({ device, index: place }) => {
        const { head } = await nodes.ask(device, part, rawPath, index, asReplicator);
        const { state, timestamp } = head;
        return { node: device.ip, device: device.device, index: place, state, timestamp };
      }),
    );
  }
}
