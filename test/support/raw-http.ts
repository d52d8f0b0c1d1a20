import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response as it stood on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly statusLine: string;
  /** The headers as sent: order, case and repetition kept. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Unframed. */
  readonly body: Buffer;
  /** All values of a header, whatever the case of its name. */
  values(name: string): string[];
}

/** An HTTP client that sends exactly what it is told to, and hides nothing of the answer. */
export class RawClient {
  #received: Buffer = Buffer.alloc(0);
  #closed = false;
  #error: NodeJS.ErrnoException | undefined;
  #waiters: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    socket.on('error', (error) => {
      this.#error = error;
    });
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** @param halfOpen keep sending when the server has closed its side */
  static async connect(port: number, host = '127.0.0.1', halfOpen = false): Promise<RawClient> {
    const socket = connect({ port, host, allowHalfOpen: halfOpen });
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Bytes that arrived and that no readResponse() took. */
  get pendingBytes(): number {
    return this.#received.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Text is sent as Latin-1: one byte per character. */
  send(data: string | Buffer): void {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Sends a request without a body and reads the answer. */
  async get(path: string, headers = ''): Promise<RawResponse> {
    this.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
    return this.readResponse();
  }

  /**
   * The next response; interim ones (1xx) are responses too.
   * @param method HEAD has no body, whatever its headers say
   * @throws Error when the connection closes before its end
   */
  async readResponse(method = 'GET'): Promise<RawResponse> {
    for (;;) {
      const parsed = parseResponse(this.#received, method);
      if (parsed !== undefined) {
        this.#received = this.#received.subarray(parsed.bytes);
        return parsed.response;
      }
      if (this.#closed) throw this.#broken();
      await this.#arrival();
    }
  }

  /** The response that ends with the connection, without a length of its own. */
  async lastResponse(): Promise<RawResponse> {
    await this.untilClosed();
    return this.readResponse();
  }

  /** Resolves with the bytes that were not read yet, when the server has closed the connection. */
  async untilClosed(): Promise<Buffer> {
    while (!this.#closed) await this.#arrival();
    return this.#received;
  }

  destroy(): void {
    this.socket.destroy();
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  #broken(): Error {
    const seen = JSON.stringify(this.#received.toString('latin1').slice(0, 200));
    return new Error(`closed (${this.#error?.code ?? 'no error'}) within a response: ${seen}`);
  }
}

interface Parsed {
  readonly response: RawResponse;
  /** Length on the wire. */
  readonly bytes: number;
}

function parseResponse(data: Buffer, method: string): Parsed | undefined {
  const headEnd = data.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = data.toString('utf8', 0, headEnd).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
  });
  const values = (name: string) =>
    headers.filter(([given]) => given.toLowerCase() === name.toLowerCase()).map(([, v]) => v);
  const status = Number(statusLine.split(' ')[1]);
  const rest = data.subarray(headEnd + 4);
  const bodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  const framed = bodiless ? { body: Buffer.alloc(0), bytes: 0 } : unframe(rest, values);
  if (framed === undefined) return undefined;
  return {
    response: { status, statusLine, headers, body: framed.body, values },
    bytes: headEnd + 4 + framed.bytes,
  };
}

function unframe(rest: Buffer, values: (name: string) => string[]) {
  if (values('transfer-encoding').includes('chunked')) return unchunk(rest);
  const length = Number(values('content-length')[0] ?? NaN);
  if (Number.isNaN(length)) return { body: Buffer.from(rest), bytes: rest.length };
  if (rest.length < length) return undefined;
  return { body: Buffer.from(rest.subarray(0, length)), bytes: length };
}

function unchunk(rest: Buffer) {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    if (size === 0) {
      // Trailer fields, if any, and an empty line.
      const trailerEnd = rest.indexOf('\r\n\r\n', lineEnd);
      if (trailerEnd === -1) return undefined;
      return { body: Buffer.concat(chunks), bytes: trailerEnd + 4 };
    }
    const end = lineEnd + 2 + size + 2;
    if (rest.length < end) return undefined;
    chunks.push(rest.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
