/** A response, read by somebody who forgives nothing. */
export interface StrictAnswer {
  readonly status: number;
  readonly closes: boolean;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface Answers {
  /** Interim ones (1xx) are left out. */
  readonly answers: readonly StrictAnswer[];
  /** Bytes of a response that is not complete. */
  readonly rest: string;
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\t \x21-\x7e]*$/;
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\t \x20-\x7e\x80-\xff]*)$/;

/**
 * All responses in what a server sent; Latin-1.
 *
 * @param methods - of the requests, in order: HEAD's responses have no body
 * @param closed - the server has closed: a body without a length is over
 * @throws Error when anything of it is no HTTP
 */
export function readAnswers(text: string, methods: readonly string[], closed: boolean): Answers {
  const answers: StrictAnswer[] = [];
  let rest = text;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) return { answers, rest };
    const { status, headers } = readHead(rest.slice(0, headEnd));
    const after = rest.slice(headEnd + 4);
    // The library's own answers have a body, whatever the method, and end the connection.
    const isOwn = closed && status >= 400 && !headers.has('content-length');
    const isHead = methods[answers.length] === 'HEAD' && !isOwn;
    const bodiless = isHead || status < 200 || status === 204 || status === 304;
    const framed = bodiless ? { body: '', bytes: 0 } : readBody(after, headers, closed);
    if (framed === undefined) return { answers, rest };
    const closes = headers.get('connection')?.toLowerCase() === 'close';
    if (status >= 200) answers.push({ status, closes, headers, body: framed.body });
    rest = after.slice(framed.bytes);
  }
}

function readHead(text: string) {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const status = STATUS_LINE.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, given, value] = FIELD.exec(line) ?? [];
    if (given === undefined || value === undefined) {
      throw new Error(`no header: ${JSON.stringify(line)}`);
    }
    const name = given.toLowerCase();
    if (name === 'content-length' && headers.has(name)) throw new Error('two lengths in an answer');
    headers.set(name, value);
  }
  if (headers.has('content-length') && headers.has('transfer-encoding')) {
    throw new Error('an answer with a length and an encoding');
  }
  return { status: Number(status), headers };
}

function readBody(after: string, headers: ReadonlyMap<string, string>, closed: boolean) {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(after);
  const length = headers.get('content-length');
  if (length === undefined) {
    return closed ? { body: after, bytes: after.length } : undefined;
  }
  if (!/^\d+$/.test(length)) throw new Error(`an answer of ${length} bytes`);
  const bytes = Number(length);
  return after.length < bytes ? undefined : { body: after.slice(0, bytes), bytes };
}

function readChunks(after: string): { body: string; bytes: number } | undefined {
  let body = '';
  let at = 0;
  for (;;) {
    const [line, size] = /^([0-9a-f]{1,8})\r\n/i.exec(after.slice(at, at + 12)) ?? [];
    if (line === undefined || size === undefined) {
      if (after.length - at > 12) throw new Error('an answer with a broken chunk');
      return undefined;
    }
    at += line.length;
    const bytes = Number.parseInt(size, 16);
    if (bytes === 0) {
      const [end] = /^(?:[^\r\n]+\r\n)*\r\n/.exec(after.slice(at)) ?? [];
      return end === undefined ? undefined : { body, bytes: at + end.length };
    }
    if (after.length < at + bytes + 2) return undefined;
    body += after.slice(at, at + bytes);
    at += bytes + 2;
  }
}
