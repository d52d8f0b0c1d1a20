import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { forkServer, HOST, LARGE_BYTES, type ForkedServer } from './servers.js';
import type { Row, Subject } from './subject.js';

const CONNECTIONS = 16;

/**
 * CPU of a server's process by request at the edge alone: the HTTP library as it comes, and
 * `serveHttp`. The clients are in this process, so rates say little.
 */
export async function open(): Promise<Subject> {
  const [bare, edge] = await Promise.all([forkServer('bare'), forkServer('edge')]);
  const clients: Clients[] = [];
  const serverOf = new Map<Row, ForkedServer>();
  /** @param depth - requests in one write; more than one only where the answer is synchronous */
  const load = async (name: string, server: ForkedServer, request: Buffer, depth = 1) => {
    const answerBytes = await lengthOfAnswer(server.port, request);
    const opened = new Clients(server.port, request, depth, answerBytes);
    clients.push(opened);
    const isLarge = request.length > LARGE_BYTES || name.includes('8 MiB');
    const row: Row = {
      ...{ name, calls: isLarge ? 20 : 24_000, inFlight: CONNECTIONS },
      ...(isLarge && { bytes: LARGE_BYTES }),
      call: (index, lane) => opened.exchange(index, lane),
    };
    serverOf.set(row, server);
    return row;
  };
  const empty = head('GET', '/empty');
  const kib = head('GET', '/kib');
  const upload = Buffer.concat([head('PUT', '/upload', LARGE_BYTES), Buffer.alloc(LARGE_BYTES)]);
  const put = Buffer.concat([head('PUT', '/put', 1024), Buffer.alloc(1024, 'x')]);
  const rows = [
    await load('library alone, empty answer', bare, empty),
    await load('library alone, 8 pipelined', bare, empty, 8),
    await load('GET, empty answer', edge, empty),
    await load('GET, empty answer, 8 pipelined', edge, empty, 8),
    await load('GET 1 KiB, 6 headers', edge, kib),
    await load('GET 1 KiB, 6 headers, 8 pipelined', edge, kib, 8),
    await load('HEAD 1 KiB, 6 headers', edge, head('HEAD', '/kib')),
    await load('GET 1 KiB, answered in a later turn', edge, head('GET', '/async')),
    await load('PUT 1 KiB', edge, put),
    await load('GET 8 MiB in 512 KiB chunks', edge, head('GET', '/large')),
    await load('PUT 8 MiB', edge, upload),
  ];
  return {
    // One row after the other: a server closes a connection that rests for long.
    steps: rows.map((row) => [row]),
    cpuUs: (row) => serverOf.get(row)?.cpuUs() ?? Promise.resolve(NaN),
    close: () => {
      for (const opened of [...clients, bare, edge]) opened.close();
      return Promise.resolve();
    },
  };
}

/** The head of a request as a current SDK sends it. */
function head(method: string, path: string, bodyBytes = 0): Buffer {
  const length = bodyBytes > 0 ? `Content-Length: ${bodyBytes}\r\n` : '';
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n${length}` +
      'User-Agent: aws-sdk-js/3.1169.0 ua/2.1 os/linux lang/js md/nodejs#20.20.2 api/s3#3.1169.0\r\n' +
      'Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/' +
      'aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, ' +
      'Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024\r\n' +
      'X-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\nX-Amz-Date: 20130524T000000Z\r\n' +
      'Accept-Encoding: identity\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n',
  );
}

/** Kept connections, each of which counts the bytes of its answers: all have the same length. */
class Clients {
  readonly #sockets: Socket[] = [];
  readonly #batch: Buffer;
  readonly #answersBytes: number;

  constructor(
    private readonly port: number,
    request: Buffer,
    private readonly depth: number,
    answerBytes: number,
  ) {
    this.#batch = Buffer.concat(Array<Buffer>(depth).fill(request));
    this.#answersBytes = answerBytes * depth;
  }

  /** The first call of `depth` sends them all; the others of its batch have been answered with it. */
  exchange(index: number, lane: number): Promise<void> | undefined {
    if (index % this.depth !== 0) return undefined;
    const socket = (this.#sockets[lane] ??= connect(this.port, HOST).setNoDelay(true));
    return new Promise((resolve) => {
      let left = this.#answersBytes;
      const onData = (data: Buffer): void => {
        left -= data.length;
        if (left > 0) return;
        socket.off('data', onData);
        resolve();
      };
      socket.on('data', onData).write(this.#batch);
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The bytes of one whole answer, head and body. */
async function lengthOfAnswer(port: number, request: Buffer): Promise<number> {
  const socket = connect(port, HOST);
  socket.write(request);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const text = data.toString('latin1');
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? '0';
  const isHead = request.subarray(0, 5).toString() === 'HEAD ';
  return text.indexOf('\r\n\r\n') + 4 + (isHead ? 0 : Number(length));
}
