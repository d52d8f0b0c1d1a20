/**
 * A response that is not HTTP/1.1 as RFC 9112 has it. Where its body ends, and whether what follows
 * is another response, cannot be told: its connection is not used again.
 */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** How the end of a body is found: after so many bytes, by its chunks, or with the connection. */
export type BodyFraming = number | 'chunked' | 'close';

export interface ResponseHead {
  readonly status: number;
  /**
   * By lower-case name, values decoded from UTF-8, where bytes that are none become U+FFFD; several
   * of one name are joined by a comma.
   */
  readonly headers: Map<string, string>;
  readonly framing: BodyFraming;
  /** Whether the server takes another request on the connection. */
  readonly persists: boolean;
  /** For how long it says that it will, in milliseconds; undefined when it does not say. */
  readonly persistsMs: number | undefined;
}

/** More is no answer of a server that means well; the bytes of a head are bounded as well. */
const HEADERS_MAX = 1000;

/**
 * Illegal in a head: control characters, a line break of one character, a line that goes on in the
 * next one (RFC 9112, 5.2), and a name with nothing in front of it.
 */
const ILLEGAL = /[^\t\r\n\x20-\x7e\x80-\xff]|\r[^\n]|[^\r]\n|\n[ \t:]|\r$/;
const BEYOND_ASCII = /[^\0-\x7f]/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** All that a JavaScript number counts exactly, and no more. */
const LENGTH = /^[0-9]{1,15}$/;

const SPACE = 0x20;
const TAB = 0x09;

interface KnownName {
  readonly name: string;
  /** It says how the body or the connection ends. */
  readonly isFraming: boolean;
}

const FRAMING_NAMES: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
]);

/** Names as servers write them, which are always the same few. */
const knownNames = new Map<string, KnownName>();
const KNOWN_NAMES_MAX = 1024;

/** The facts in the headers of one head about its body and its connection. */
class Framing {
  #length: number | undefined;
  #isChunked = false;
  #closes = false;
  #persists = false;
  #persistsMs: number | undefined;

  take(name: string, value: string): void {
    if (name === 'content-length') this.#takeLength(value);
    else if (name === 'transfer-encoding') this.#takeEncoding(value);
    else if (name === 'connection') this.#takeConnection(value.toLowerCase());
    else this.#takeKeepAlive(value);
  }

  /** @throws InvalidResponseError */
  result(
    status: number,
    isVersion10: boolean,
    isHead: boolean,
  ): Omit<ResponseHead, 'headers' | 'status'> {
    const length = this.#length;
    if (this.#isChunked && (length !== undefined || isVersion10)) {
      throw new InvalidResponseError('it has Transfer-Encoding where it must not');
    }
    const persists = isVersion10 ? this.#persists && !this.#closes : !this.#closes;
    const persistsMs = this.#persistsMs;
    if (status === 204 || status === 304 || isHead) {
      // A server that sends a body all the same has lost count of where its answers end.
      const isOdd = status === 204 && (this.#isChunked || (length ?? 0) > 0);
      return { framing: 0, persists: persists && !isOdd, persistsMs };
    }
    const framing = this.#isChunked ? 'chunked' : (length ?? 'close');
    return { framing, persists: persists && framing !== 'close', persistsMs };
  }

  #takeLength(value: string): void {
    // Also when it says the same twice: who says it twice, says it by two rules (RFC 9112, 6.3).
    if (this.#length !== undefined) throw new InvalidResponseError('it has two Content-Lengths');
    if (!LENGTH.test(value)) throw new InvalidResponseError(`its Content-Length is ${show(value)}`);
    this.#length = Number(value);
  }

  #takeEncoding(value: string): void {
    if (this.#isChunked || value.toLowerCase() !== 'chunked') {
      throw new InvalidResponseError(`its Transfer-Encoding is ${show(value)}`);
    }
    this.#isChunked = true;
  }

  #takeConnection(value: string): void {
    for (const option of value.split(',')) {
      if (option.trim() === 'close') this.#closes = true;
      else if (option.trim() === 'keep-alive') this.#persists = true;
    }
  }

  #takeKeepAlive(value: string): void {
    const timeout = /(?:^|[\s,;])timeout=([0-9]{1,9})/i.exec(value);
    if (timeout !== null) this.#persistsMs = Number(timeout[1]) * 1000;
  }
}

/**
 * Reads the head of a response in one pass.
 *
 * @param text its bytes as latin1, without the empty line and the line break before it
 * @param isHead whether it answers HEAD: then it has no body, whatever it says
 * @throws InvalidResponseError
 */
export function parseResponseHead(text: string, isHead: boolean): ResponseHead {
  if (ILLEGAL.test(text)) {
    throw new InvalidResponseError('its head has a character that no head has');
  }
  const isBeyondAscii = BEYOND_ASCII.test(text);
  const firstEnd = text.indexOf('\r\n');
  const isVersion10 = text.startsWith('HTTP/1.0 ');
  const status = parseStatus(text, firstEnd === -1 ? text.length : firstEnd, isVersion10);
  const headers = new Map<string, string>();
  const framing = new Framing();
  let count = 0;
  for (let at = firstEnd; at !== -1;) {
    const start = at + 2;
    at = text.indexOf('\r\n', start);
    const colon = text.indexOf(':', start);
    const end = at === -1 ? text.length : at;
    if (colon === -1 || colon > end)
      throw new InvalidResponseError('it has a header without colon');
    if (++count > HEADERS_MAX) throw new InvalidResponseError('it has too many headers');
    const raw = text.slice(start, colon);
    const { name, isFraming } = knownNames.get(raw) ?? learnName(raw);
    const given = valueIn(text, colon + 1, end);
    const value = isBeyondAscii ? Buffer.from(given, 'latin1').toString('utf8') : given;
    if (isFraming) framing.take(name, value);
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { status, headers, ...framing.result(status, isVersion10, isHead) };
}

function parseStatus(text: string, end: number, isVersion10: boolean): number {
  const status = Number(text.slice(9, 12));
  const isStatus = status >= 100 && status <= 599 && Number.isInteger(status);
  const isWhole = end === 12 || text.charCodeAt(12) === SPACE;
  if (!(isVersion10 || text.startsWith('HTTP/1.1 ')) || !isStatus || !isWhole || end < 12) {
    throw new InvalidResponseError(`its status line is ${show(text.slice(0, end))}`);
  }
  return status;
}

function valueIn(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function learnName(raw: string): KnownName {
  if (!TOKEN.test(raw)) {
    throw new InvalidResponseError(`it has a header with the name ${show(raw)}`);
  }
  const name = raw.toLowerCase();
  const known = { name, isFraming: FRAMING_NAMES.has(name) };
  // A copy: the text itself is a part of its head, which would be kept as well.
  if (knownNames.size < KNOWN_NAMES_MAX) knownNames.set(Buffer.from(raw).toString(), known);
  return known;
}

/** Shows a value from a server in an error's message. */
function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
