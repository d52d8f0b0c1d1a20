/** A request on its way to become a hostile one. Text is Latin-1: one byte per character. */
export interface WireRequest {
  method: string;
  target: string;
  version: string;
  /** Whole lines, without their ends. */
  headers: string[];
  /** As it is framed. */
  body: string;
}

/** A text to send, in a write of its own. A pair is a text so many times. */
export type Piece = string | readonly [text: string, times: number];

export function render(request: WireRequest): string {
  const { method, target, version, headers, body } = request;
  return [`${method} ${target} ${version}`, ...headers, '', body].join('\r\n');
}

export function chunked(...chunks: string[]): string {
  const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return `${framed.join('')}0\r\n\r\n`;
}

export function pieceText(piece: Piece): string {
  return typeof piece === 'string' ? piece : piece[0].repeat(piece[1]);
}

/** The request that a fuzzer hides in bodies and values, and that nobody may take for one. */
export const SMUGGLED = 'DELETE /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
