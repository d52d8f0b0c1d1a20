import { isIPv6 } from 'node:net';
import { ReadSlabs } from '../../../lib/buffers/read-slabs.js';
import { HttpPool } from '../../../lib/http-client/pool.js';
import { InvalidResponseError } from '../../../lib/http-client/response-head.js';
import type { Device } from '../../../ring/device.js';
import type { CallContext } from '../../backend.js';
import type { Answer } from '../net/answer.js';
import { AttemptError } from '../net/retry-policy.js';
import { callWhole } from '../net/whole-call.js';
import { NodeHealth, type NodeError } from './node-health.js';

export interface NodeOptions {
  /** The limits of this process: connections to each server, and requests under way in all. */
  readonly connectionsMax: number;
  readonly requestsMax: number;
  /** Swift's `conn_timeout`. */
  readonly connectTimeoutMs: number;
  /** Swift's `node_timeout`: until an answer begins, and between two pieces of its body. */
  readonly nodeTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly onNodeError?: ((node: string, error: NodeError) => void) | undefined;
}

export interface NodeCall {
  readonly context: CallContext;
  readonly method: 'GET' | 'HEAD';
  /** Behind device and partition; raw, with the query. */
  readonly path: string;
  readonly partition: number;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
}

/** More than all metadata of an object; see Endpoint. */
const HEAD_BYTES_MAX = 128 * 1024;
const SLAB_BYTES = 256 * 1024;
const SLABS_MAX = 64;
/** Swift's log lines show it; a request id is shorter. */
const TRANS_ID_CHARACTERS_MAX = 64;

interface Node {
  readonly name: string;
  readonly pool: HttpPool;
  readonly health: NodeHealth;
  inFlight: number;
}

/**
 * Connections to storage servers, kept open. Only addresses of devices of a ring are connected to:
 * there is no other way to name one.
 */
export class StorageNodes {
  readonly #nodes = new Map<string, Node>();
  readonly #slabs = new ReadSlabs(SLAB_BYTES, SLABS_MAX);
  #inFlight = 0;

  constructor(
    private readonly options: NodeOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get hasRoom(): boolean {
    return this.#inFlight < this.options.requestsMax;
  }

  /** Whether the server may be asked at this moment; asked once, just before it is. */
  admits(device: Device): boolean {
    const node = this.#node(device);
    return node.inFlight < this.options.connectionsMax && node.health.admits(this.now());
  }

  /** Failures are noted; a 404 is none. */
  async ask(device: Device, call: NodeCall): Promise<Answer | AttemptError> {
    const node = this.#node(device);
    let outcome: Answer | AttemptError;
    try {
      outcome = await this.#send(node, device, call);
    } catch (error) {
      if (!(error instanceof AttemptError)) throw error;
      outcome = error;
    }
    const error = errorOf(outcome);
    if (error !== undefined) this.failed(device, error);
    else if (!(outcome instanceof AttemptError)) node.health.answered();
    return outcome;
  }

  /** The answer of a server turned out to be wrong. */
  failed(device: Device, error: NodeError): void {
    const node = this.#node(device);
    node.health.failed(error, this.now());
    this.options.onNodeError?.(node.name, error);
  }

  /**
   * Lets go of servers that are in no ring any more; what is under way there ends first. One that a
   * read still asks which began with an older ring is let go of the next time.
   */
  keep(devices: readonly Device[]): void {
    const kept = new Set(devices.map(nameOf));
    for (const [name, { pool }] of this.#nodes) {
      if (kept.has(name)) continue;
      this.#nodes.delete(name);
      pool.retire();
    }
  }

  close(): void {
    for (const { pool } of this.#nodes.values()) pool.destroy();
  }

  /** @throws AttemptError */
  #send(node: Node, device: Device, call: NodeCall): Promise<Answer> {
    const { context, method } = call;
    node.inFlight += 1;
    this.#inFlight += 1;
    return callWhole(
      node.pool,
      {
        endpoint: node.name,
        method,
        path: `/${encodeURIComponent(device.device)}/${call.partition}${call.path}`,
        headers: [
          ...call.headers,
          'x-trans-id',
          context.requestId.slice(0, TRANS_ID_CHARACTERS_MAX),
        ],
        headersTimeoutMs: this.options.nodeTimeoutMs,
        bodyTimeoutMs: this.options.nodeTimeoutMs,
        context,
        released: () => {
          node.inFlight -= 1;
          this.#inFlight -= 1;
        },
      },
      undefined,
    );
  }

  #node(device: Device): Node {
    const name = nameOf(device);
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const { connectionsMax, connectTimeoutMs, nodeTimeoutMs, keepAliveMs } = this.options;
    const poolOptions = {
      origin: new URL(`http://${name}`),
      connectionsMax,
      connectTimeoutMs,
      waitTimeoutMs: nodeTimeoutMs,
      keepAliveMs,
      headBytesMax: HEAD_BYTES_MAX,
    };
    const pool = new HttpPool(poolOptions, this.#slabs);
    const health = new NodeHealth(connectTimeoutMs + nodeTimeoutMs);
    const node = { name, pool, health, inFlight: 0 };
    this.#nodes.set(name, node);
    return node;
  }
}

/** The server of a device, as in a URL. */
function nameOf({ ip, port }: Device): string {
  return `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`;
}

function errorOf(outcome: Answer | AttemptError): NodeError | undefined {
  if (!(outcome instanceof AttemptError)) {
    if (outcome.status === 507) return 'full';
    return outcome.status >= 500 ? 'status' : undefined;
  }
  if (outcome.stage === 'given_up' || isUnreadable(outcome)) return undefined;
  return outcome.kind === 'timeout' || outcome.kind === 'connect' ? outcome.kind : 'reset';
}

/**
 * Whether an answer has a header that HTTP's grammar does not allow, as Swift's users can name their
 * metadata; the filter in the proxies escapes them.
 */
export function isUnreadable({ cause }: AttemptError): boolean {
  return cause instanceof InvalidResponseError;
}
