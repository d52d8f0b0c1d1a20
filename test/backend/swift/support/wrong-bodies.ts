import type { SeenRequest } from './fake-swift.js';

/** The object that is asked for, of which each byte says where it stands. */
export function contentOf(bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, (_, at) => 0x30 + (at % 71)));
}

/** The bytes that a request wants, both ends included. */
export interface Wanted {
  readonly start: number;
  readonly end: number;
  readonly isPart: boolean;
}

export function wantedOf({ headers }: SeenRequest, size: number): Wanted {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(String(headers.range)) ?? [];
  if (first === '' && last === '') return { start: 0, end: size - 1, isPart: false };
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size - 1, isPart: true };
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { start: Number(first), end, isPart: true };
}

/** An answer as it goes over the wire; what is undefined is not said. */
interface Served {
  readonly status: number;
  readonly length: string | undefined;
  readonly range: string | undefined;
  readonly more?: string;
  readonly body: Buffer;
  /** The connection is left open behind the body. */
  readonly staysOpen?: boolean;
}

export interface WrongBody {
  readonly name: string;
  /** Undefined where this kind cannot be told from a right answer. */
  serve(right: Served, content: Buffer, wanted: Wanted): Served | undefined;
  /** Right all the same: what is too much is not read. */
  readonly isHarmless?: true;
  /** No HTTP, so that it is asked for again, with a pause: a few reads will do. */
  readonly isNoHttp?: true;
}

export function rightAnswer(content: Buffer, { start, end, isPart }: Wanted): Served {
  return {
    status: isPart ? 206 : 200,
    length: String(end - start + 1),
    range: isPart ? `bytes ${start}-${end}/${content.length}` : undefined,
    body: content.subarray(start, end + 1),
  };
}

const half = (body: Buffer): Buffer => body.subarray(0, body.length >> 1);
const longer = (body: Buffer): Buffer => Buffer.concat([body, Buffer.from('tail')]);
/** Another body, whose length it tells. */
const holding = (right: Served, body: Buffer): Served => {
  return { ...right, length: String(body.length), body };
};
const chunk = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const inChunks = (right: Served, body: Buffer): Served => {
  return { ...right, length: undefined, more: CHUNKED, body };
};

/** Of a part the Content-Range still says which; a shorter whole is another object. */
function ofParts(change: WrongBody['serve']): WrongBody['serve'] {
  return (right, content, wanted) => (wanted.isPart ? change(right, content, wanted) : undefined);
}

/** The answers to a GET that a broken proxy, or another one before it, may give. */
export const WRONG_BODIES: readonly WrongBody[] = [
  {
    name: 'a part that is shorter than its Content-Range',
    serve: ofParts((right) => holding(right, half(right.body))),
  },
  {
    name: 'a part that is longer than its Content-Range',
    serve: ofParts((right) => holding(right, longer(right.body))),
  },
  {
    name: 'an empty part',
    serve: ofParts((right) => holding(right, Buffer.alloc(0))),
  },
  {
    name: 'the whole object for a part',
    serve: ofParts((right, content) =>
      right.body.length === content.length
        ? undefined
        : holding({ ...right, status: 200, range: undefined }, content),
    ),
  },
  {
    name: 'another part of the same length',
    serve: ofParts((right, content, { start, end }) => {
      const by = start > 0 ? -1 : 1;
      return { ...right, range: `bytes ${start + by}-${end + by}/${content.length}` };
    }),
  },
  {
    name: 'a part of an object of unknown size',
    serve: ofParts((right, _, { start, end }) => ({ ...right, range: `bytes ${start}-${end}/*` })),
  },
  {
    name: 'a part without Content-Range',
    serve: ofParts((right) => ({ ...right, range: undefined })),
  },
  {
    name: 'parts in multipart/byteranges',
    serve: ofParts((right, content, { start, end }) => {
      const head = `--x\r\nContent-Range: bytes ${start}-${end}/${content.length}\r\n\r\n`;
      const body = Buffer.concat([Buffer.from(head), right.body, Buffer.from('\r\n--x--\r\n')]);
      const more = 'Content-Type: multipart/byteranges; boundary=x\r\n';
      return { ...holding(right, body), range: undefined, more };
    }),
  },
  {
    name: 'a part that was packed on the way',
    serve: ofParts((right) => ({
      ...holding(right, half(right.body)),
      more: 'Content-Encoding: gzip\r\n',
    })),
  },
  {
    name: 'a part where the whole is asked for',
    serve: (right, content, { isPart }) =>
      isPart
        ? undefined
        : { ...right, status: 206, range: `bytes 0-${content.length - 1}/${content.length}` },
  },
  {
    name: 'a whole that calls itself a part',
    serve: (right, _, { isPart }) => (isPart ? undefined : { ...right, status: 206 }),
  },
  {
    name: 'a whole with a Content-Range',
    serve: (right, content, { isPart }) =>
      isPart ? undefined : { ...right, range: `bytes 0-${content.length}/${content.length + 1}` },
  },
  {
    name: 'a body that is packed on the way, in chunks',
    serve: (right) => ({
      ...right,
      length: undefined,
      more: `Content-Encoding: gzip\r\n${CHUNKED}`,
      body: Buffer.concat([chunk(half(right.body)), Buffer.from('0\r\n\r\n')]),
    }),
  },
  {
    name: 'a body that is cut in the middle',
    serve: (right) => ({ ...right, body: half(right.body) }),
  },
  { name: 'a head without its body', serve: (right) => ({ ...right, body: Buffer.alloc(0) }) },
  {
    name: 'a body to the end of the connection',
    serve: (right) => ({ ...right, length: undefined, body: half(right.body) }),
  },
  {
    name: 'chunks without an end',
    serve: (right) => ({ ...inChunks(right, chunk(half(right.body))), staysOpen: true }),
  },
  {
    name: 'chunks that break off',
    serve: (right) => {
      const size = Buffer.from(`${right.body.length.toString(16)}\r\n`);
      return inChunks(right, Buffer.concat([size, half(right.body)]));
    },
  },
  {
    name: 'a Content-Length beside chunks',
    isNoHttp: true,
    serve: (right) => ({
      ...right,
      more: CHUNKED,
      body: Buffer.concat([chunk(right.body), Buffer.from('0\r\n\r\n')]),
    }),
  },
  {
    name: 'two Content-Lengths',
    isNoHttp: true,
    serve: (right) => ({ ...right, more: `Content-Length: ${right.body.length + 1}\r\n` }),
  },
  {
    name: 'a Content-Length that is none',
    isNoHttp: true,
    serve: (right) => ({ ...right, length: '-5' }),
  },
  {
    name: 'more bytes than its Content-Length',
    serve: (right) => ({ ...right, body: longer(right.body) }),
    isHarmless: true,
  },
];

/** Sends it as it is, for Node would not. */
export function sendRaw(
  { incoming }: SeenRequest,
  headers: Readonly<Record<string, string>>,
  { status, length, range, more = '', body, staysOpen = false }: Served,
): void {
  const lines = Object.entries({
    ...headers,
    ...(length !== undefined && { 'Content-Length': length }),
    ...(range !== undefined && { 'Content-Range': range }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}${more}\r\n`;
  incoming.socket.write(Buffer.concat([Buffer.from(head), body]), () => {
    if (!staysOpen) incoming.socket.end();
  });
}
