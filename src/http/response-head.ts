import { STATUS_CODES } from 'node:http';
import { InvalidResponseError, type HttpResponse } from './exchange.js';
import type * as uWS from './uws.js';

/** Headers that only the edge or the library writes, once. */
const EDGE_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'transfer-encoding',
]);

/** RFC 9110 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;

const STATUS_MIN = 200;
const statusLines = Object.entries(STATUS_CODES).reduce<string[]>((lines, [code, reason]) => {
  if (Number(code) >= STATUS_MIN && reason !== undefined) lines[Number(code)] = `${code} ${reason}`;
  return lines;
}, []);

/** Names found good: most responses use the same few, and the check costs more than the look-up. */
const goodNames = new Set<string>();
const GOOD_NAMES_MAX = 1024;

/**
 * Status line and header fields as one text, without the last line break, checked. Written with
 * one call into the library instead of one per header, which costs 0.1 µs each.
 * @throws InvalidResponseError
 */
export function renderHead({ status, headers }: HttpResponse): string {
  const line = statusLines[status];
  if (line === undefined) throw new InvalidResponseError(`${status} is no final HTTP status`);
  let head = line;
  for (const [name, value] of headers) {
    if (!goodNames.has(name)) checkName(name);
    if (hasControl(value)) {
      throw new InvalidResponseError(`the value of ${name} holds a control character`);
    }
    head += `\r\n${name}: ${value}`;
  }
  return head;
}

/**
 * Control characters other than tab: the library writes values as they are, line breaks too. A loop
 * takes half the time of a regular expression for values as short as these.
 */
function hasControl(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if ((code < SPACE && code !== TAB) || code === DELETE) return true;
  }
  return false;
}

function checkName(name: string): void {
  if (!TOKEN.test(name)) {
    throw new InvalidResponseError(`${JSON.stringify(name)} is no header name`);
  }
  if (EDGE_HEADERS.has(name.toLowerCase())) {
    throw new InvalidResponseError(`the edge writes the header ${name} itself`);
  }
  if (goodNames.size < GOOD_NAMES_MAX) goodNames.add(name);
}

/**
 * Sends the head of a response without a body, and leaves the library in the belief that more is
 * to come: its own way of ending would let go of the connection, which may have to be closed later.
 */
export function writeUnfinishedHead(
  res: uWS.HttpResponse,
  head: string,
  contentLength: number | undefined,
): void {
  const length = contentLength === undefined ? '' : `Content-Length: ${contentLength}\r\n`;
  // The library ends the status with one line break; the second ends the header block.
  res.writeStatus(`${head}\r\nDate: ${new Date().toUTCString()}\r\n${length}`);
}

/** RFC 9110 8.6: these responses have no body; the library writes no Content-Length for them. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}
