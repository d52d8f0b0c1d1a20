import type { IncomingHttpHeaders } from 'node:http';
import type { Device } from '../../../../src/ring/device.js';
import { readBody, Upstream, type UpstreamAnswer } from '../../../swift/upstream.js';
import { UpstreamError } from '../../../swift/errors.js';
import { Semaphore } from '../../../../src/lib/semaphore.js';
import { busy } from './refusals.js';

/** How a storage server answered a HEAD. */
export interface NodeHead {
  /** Null where no answer came. */
  readonly status: number | null;
  readonly ms: number;
  /** `X-Backend-Timestamp`; with a 404, that of a tombstone. */
  readonly timestamp: string | null;
  readonly data_timestamp: string | null;
  readonly durable_timestamp: string | null;
  readonly bytes: number | null;
  readonly etag: string | null;
  /** The meaning of the answer for the copy. */
  readonly state: 'present' | 'tombstone' | 'absent' | 'device_away' | 'unreachable' | 'error';
}

/** An answer with all its headers, which may have what clients are never shown. */
export interface NodeAnswer {
  readonly head: NodeHead;
  readonly headers: IncomingHttpHeaders;
}

interface NodeRequest {
  readonly method: 'GET' | 'HEAD';
  readonly device: Device;
  /** Below the device, percent-encoded. */
  readonly path: string;
  readonly policyIndex: number | undefined;
  readonly extra?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 3000;
const CONNECTIONS_KEPT = 64;

/**
 * Asks storage servers themselves, a few at a time. It connects to addresses of rings and to no
 * others.
 */
export class NodeReader {
  readonly #servers = new Map<string, Upstream>();
  readonly #semaphore = new Semaphore({ capacity: 8, queueMax: 1000, waitMsMax: 30_000 });

  constructor(private readonly now: () => number) {}

  /**
   * @param rawPath - below the device and the partition, percent-encoded: `/AUTH_a/c/o`
   * @param policyIndex - undefined for accounts and containers
   * @throws ApiError busy
   */
  async head(
    device: Device,
    partition: number,
    rawPath: string,
    policyIndex: number | undefined,
  ): Promise<NodeHead> {
    return (await this.ask(device, partition, rawPath, policyIndex)).head;
  }

  /**
   * Like {@link head}, with all headers.
   * @param extra - headers to send besides, such as those that open what has expired
   */
  async ask(
    device: Device,
    partition: number,
    rawPath: string,
    policyIndex: number | undefined,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<NodeAnswer> {
    const { found, ms } = await this.#request(
      { method: 'HEAD', device, path: `${partition}${rawPath}`, policyIndex, extra },
      (answer) => {
        answer.body.resume();
        return answer;
      },
    );
    if (found === undefined) return { head: { ...NOTHING, ms, state: 'unreachable' }, headers: {} };
    const { status, headers } = found;
    const text = (name: string): string | null => {
      const value = headers[name];
      return typeof value === 'string' ? value.slice(0, 256) : null;
    };
    const timestamp = text('x-backend-timestamp') ?? text('x-timestamp');
    const length = Number(text('content-length') ?? Number.NaN);
    const head: NodeHead = {
      status,
      ms,
      timestamp,
      data_timestamp: text('x-backend-data-timestamp'),
      durable_timestamp: text('x-backend-durable-timestamp'),
      bytes: status === 200 && Number.isFinite(length) ? length : null,
      etag: text('etag')?.replaceAll('"', '') ?? null,
      state: stateOf(status, timestamp),
    };
    return { head, headers };
  }

  /**
   * Reads the whole body that a server has, as auditors do: it is checked against its MD5 there.
   * @returns null where it has none, or breaks off
   * @throws ApiError busy
   */
  async read(
    device: Device,
    partition: number,
    rawPath: string,
    policyIndex: number | undefined,
    bytesMax: number,
  ): Promise<Buffer | null> {
    const { found } = await this.#request(
      { method: 'GET', device, path: `${partition}${rawPath}`, policyIndex },
      async ({ status, body }) => {
        const bytes = await readBody(body, bytesMax);
        return status === 200 ? bytes : undefined;
      },
    );
    return found ?? null;
  }

  /** @returns what `use` makes of the answer; undefined where none came, or not all of it */
  async #request<T>(
    { method, device, path, policyIndex, extra }: NodeRequest,
    use: (answer: UpstreamAnswer) => T | Promise<T>,
  ): Promise<{ readonly found: T | undefined; readonly ms: number }> {
    if ((await this.#semaphore.enter(1)) !== undefined) {
      throw busy('The storage node request queue is full. Try again in a few seconds.', 5);
    }
    const startedMs = this.now();
    let found: T | undefined;
    try {
      const answer = await this.#server(device).send({
        method,
        rawPath: `/${encodeURIComponent(device.device)}/${path}`,
        headers: { ...extra, ...policyHeaders(policyIndex) },
        idleMs: TIMEOUT_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      found = await use(answer);
    } catch (error) {
      if (!(error instanceof UpstreamError) && !isAbort(error)) throw error;
    } finally {
      this.#semaphore.leave(1);
    }
    return { found, ms: this.now() - startedMs };
  }

  close(): void {
    for (const server of this.#servers.values()) server.close();
    this.#servers.clear();
  }

  #server({ ip, port }: Device): Upstream {
    const place = `${ip} ${port}`;
    let server = this.#servers.get(place);
    if (server === undefined) {
      const [oldest] = this.#servers.keys();
      if (this.#servers.size >= CONNECTIONS_KEPT && oldest !== undefined) {
        // Closing it would cut what it was asked: its connections end when they are idle.
        this.#servers.delete(oldest);
      }
      server = new Upstream({ secure: false, host: ip, port, basePath: '' });
      this.#servers.set(place, server);
    }
    return server;
  }
}

const NOTHING = {
  status: null,
  timestamp: null,
  data_timestamp: null,
  durable_timestamp: null,
  bytes: null,
  etag: null,
} as const;

function policyHeaders(policyIndex: number | undefined): Record<string, string> {
  return policyIndex === undefined ? {} : { 'x-backend-storage-policy-index': String(policyIndex) };
}

/** A 404 with a timestamp is a tombstone: nothing there has none. */
function stateOf(status: number, timestamp: string | null): NodeHead['state'] {
  if (status >= 200 && status < 300) return 'present';
  if (status === 404) return timestamp === null ? 'absent' : 'tombstone';
  return status === 507 ? 'device_away' : 'error';
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name);
}
