import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { UpstreamAddress } from '../../../swift/address.js';

/** An answer as it stood on the wire, or why there is none. */
export interface RawAnswer {
  /** `invalid`: what came is no HTTP, or more than is read. */
  readonly transport: 'answered' | 'closed' | 'timeout' | 'invalid';
  /** Null without an answer. */
  readonly status: number | null;
  /** Names in lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly ms: number;
}

const ANSWER_BYTES_MAX = 1024 * 1024;

export interface RawOptions {
  readonly isHead: boolean;
  /** It is waited so long for the whole answer. */
  readonly timeoutMs: number;
  /** Ends the wait at once; what came is no answer then. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends bytes as they are over a connection of their own, and reads one answer: Node's own client
 * refuses, or mends, what this is to send.
 */
export function sendRaw(
  { secure, host, port }: UpstreamAddress,
  bytes: Buffer,
  { isHead, timeoutMs, signal }: RawOptions,
): Promise<RawAnswer> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const socket: Socket = secure
      ? connectTls({ host, port, servername: host })
      : connect({ host, port });
    let received: Buffer = Buffer.alloc(0);
    let isOver = false;
    const end = (transport: RawAnswer['transport'], parsed?: ParsedAnswer): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      socket.destroy();
      const none = { status: null, headers: [], body: Buffer.alloc(0) };
      resolve({ transport, ...(parsed ?? none), ms: performance.now() - begun });
    };
    const timer = setTimeout(() => {
      end('timeout');
    }, timeoutMs);
    const abort = (): void => {
      end('closed');
    };
    signal?.addEventListener('abort', abort);
    const tryParse = (isClosed: boolean): void => {
      const parsed = parseAnswer(received, isHead, isClosed);
      if (parsed === 'invalid') end('invalid');
      else if (parsed !== 'more') end('answered', parsed);
      else if (isClosed) end(received.length === 0 ? 'closed' : 'invalid');
    };
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > ANSWER_BYTES_MAX) end('invalid');
      else tryParse(false);
    });
    // Bytes that came before a reset count: servers close after they have refused.
    socket.on('error', () => {
      tryParse(true);
    });
    socket.on('close', () => {
      tryParse(true);
    });
    if (signal?.aborted === true) end('closed');
    else socket.write(bytes);
  });
}

type ParsedAnswer = Pick<RawAnswer, 'status' | 'headers' | 'body'>;

/** One answer out of what has come; those of 100 are passed over, however many there are. */
export function parseAnswer(
  received: Buffer,
  isHead: boolean,
  isClosed: boolean,
): ParsedAnswer | 'more' | 'invalid' {
  let rest = received;
  let status = 0;
  let lines: string[] = [];
  while (status < 200) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return rest.length > 0 && !'HTTP/'.startsWith(rest.toString('latin1', 0, 5)) ? 'invalid' : 'more'; // prettier-ignore
    const [first = '', ...others] = rest.toString('latin1', 0, end).split('\r\n');
    const match = /^HTTP\/1\.[01] (\d{3})(?: .*)?$/.exec(first);
    if (match === null) return 'invalid';
    status = Number(match[1]);
    lines = others;
    rest = rest.subarray(end + 4);
  }
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  const value = (name: string) => headers.find(([one]) => one === name)?.[1];
  if (isHead || status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) };
  if (/chunked/i.test(value('transfer-encoding') ?? '')) {
    const body = unchunk(rest);
    return typeof body === 'string' ? body : { status, headers, body };
  }
  const length = value('content-length');
  if (length === undefined) return isClosed ? { status, headers, body: rest } : 'more';
  const bytes = Number(length);
  if (!Number.isSafeInteger(bytes) || bytes < 0) return 'invalid';
  return rest.length < bytes ? 'more' : { status, headers, body: rest.subarray(0, bytes) };
}

function unchunk(bytes: Buffer): Buffer | 'more' | 'invalid' {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return 'more';
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!Number.isSafeInteger(size) || size < 0) return 'invalid';
    if (size === 0) return Buffer.concat(chunks);
    if (bytes.length < end + 2 + size + 2) return 'more';
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
