/** The response that is expected; any other is an error of the run. */
export interface Expectation {
  readonly statuses: readonly number[];
  /** The body, byte for byte. */
  readonly body?: Buffer;
  /** `Content-Length` of the answer to a HEAD. */
  readonly contentLength?: number;
  /** A text that the response's head must contain, such as the ETag. */
  readonly inHead?: string;
  /** Looks at the whole body; says what is wrong with it. */
  readonly check?: (body: Buffer) => string | undefined;
}

/** A request as it goes on the wire, with all that is needed to judge the answer. */
export interface WireRequest {
  readonly method: string;
  /** Up to and with the empty line; a small body is appended, so that one write sends both. */
  readonly head: Buffer;
  /** A larger body. */
  readonly body?: Buffer;
  readonly expect: Expectation;
}

/** Bodies up to this size are copied behind the head: one write costs less than the copy. */
const APPENDED_BYTES_MAX = 16 * 1024;

/**
 * @param target path and query as they go on the wire
 * @param headers with Host; Content-Length is added for a body
 */
export function wireRequest(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer | undefined,
  expect: Expectation,
): WireRequest {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== undefined) lines.push(`content-length: ${body.length}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  if (body === undefined || body.length === 0) return { method, head, expect };
  if (body.length > APPENDED_BYTES_MAX) return { method, head, body, expect };
  return { method, head: Buffer.concat([head, body]), expect };
}
