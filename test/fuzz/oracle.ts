/**
 * A reader of requests by the letter of RFC 9112, for tests alone: what a proxy in front may be
 * taken to see. Nobody may act upon anything that it finds no way to read.
 */

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  /** Lower-case names; the values of one name joined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly isChunked: boolean;
  /** Latin-1; undefined when it is not complete, or is badly framed. */
  readonly body: string | undefined;
}

export interface Reading {
  /** Those whose header block is complete and sound, in order. */
  readonly requests: readonly SeenRequest[];
  /** Why nothing is read any more behind the last of them. */
  readonly end: 'end' | 'incomplete' | 'invalid';
}

const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (\/[\x21-\x7e\x80-\xff]*) HTTP\/1\.1$/;
const FIELD =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*((?:[\t \x21-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)[ \t]*$/;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,13})(?:[ \t]*;[\t \x21-\x7e\x80-\xff]*)?$/;

export function readRequests(text: string): Reading {
  const requests: SeenRequest[] = [];
  let rest = text;
  for (;;) {
    // RFC 9112 2.2: an empty line in front of a request line is to be ignored.
    rest = rest.replace(/^(?:\r\n)+/, '');
    if (rest === '') return { requests, end: 'end' };
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) return { requests, end: 'incomplete' };
    const head = readHead(rest.slice(0, headEnd));
    if (head === undefined) return { requests, end: 'invalid' };
    rest = rest.slice(headEnd + 4);
    const body = readBody(rest, head);
    requests.push({ ...head, body: body.text });
    if (body.text === undefined || body.bytes === undefined) {
      return { requests, end: body.end };
    }
    rest = rest.slice(body.bytes);
  }
}

type Head = Omit<SeenRequest, 'body'>;

function readHead(text: string): Head | undefined {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const [, method, target] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers = new Map<string, string>();
  const single = new Set<string>();
  for (const line of lines) {
    const [, given, value] = FIELD.exec(line) ?? [];
    if (given === undefined || value === undefined) return undefined;
    const name = given.toLowerCase();
    if (['host', 'content-length', 'transfer-encoding'].includes(name)) {
      if (single.has(name)) return undefined;
      single.add(name);
    }
    const former = headers.get(name);
    headers.set(name, former === undefined ? value : `${former}, ${value}`);
  }
  if (!single.has('host')) return undefined;
  const length = headers.get('content-length');
  const encoding = headers.get('transfer-encoding');
  if (length !== undefined && (encoding !== undefined || !/^\d{1,15}$/.test(length))) {
    return undefined;
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return undefined;
  return { method, target, headers, isChunked: encoding !== undefined };
}

interface Body {
  readonly text: string | undefined;
  readonly bytes: number | undefined;
  readonly end: Reading['end'];
}

const INCOMPLETE: Body = { text: undefined, bytes: undefined, end: 'incomplete' };
const INVALID: Body = { text: undefined, bytes: undefined, end: 'invalid' };

function readBody(rest: string, head: Head): Body {
  if (head.isChunked) return readChunks(rest);
  const length = Number(head.headers.get('content-length') ?? '0');
  if (rest.length < length) return INCOMPLETE;
  return { text: rest.slice(0, length), bytes: length, end: 'end' };
}

function readChunks(rest: string): Body {
  let text = '';
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return INCOMPLETE;
    const size = CHUNK_LINE.exec(rest.slice(at, lineEnd))?.[1];
    if (size === undefined) return INVALID;
    const length = Number.parseInt(size, 16);
    at = lineEnd + 2;
    if (length === 0) return readTrailer(rest, at, text);
    if (rest.length < at + length + 2) {
      return rest.length > at + length && rest[at + length] !== '\r' ? INVALID : INCOMPLETE;
    }
    if (rest.slice(at + length, at + length + 2) !== '\r\n') return INVALID;
    text += rest.slice(at, at + length);
    at += length + 2;
  }
}

function readTrailer(rest: string, start: number, text: string): Body {
  let at = start;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return INCOMPLETE;
    const line = rest.slice(at, lineEnd);
    at = lineEnd + 2;
    if (line === '') return { text, bytes: at, end: 'end' };
    if (!FIELD.test(line)) return INVALID;
  }
}
