import type { Call } from '../call.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';

/**
 * Headers of a PUT that a gateway knows only when it has read the body: the last
 * `X-Gateway-Footers` bytes of the body are a JSON object of them, padded with spaces.
 */
export interface Footers {
  /** The ETag of the content, unquoted. */
  readonly etag: string | undefined;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

const BYTES_MAX = 65_536;

/** How many bytes of the body are footers. @throws SwiftError 400 */
export function readFooterBytes({ gateway, headers, body }: Call): number {
  const given = headers.get('x-gateway-footers');
  if (!gateway || given === undefined) return 0;
  const bytes = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (bytes < 2 || bytes > BYTES_MAX) {
    throw bad(`X-Gateway-Footers is a number from 2 to ${BYTES_MAX}`);
  }
  const { contentLength } = body;
  if (contentLength !== undefined) requireRoom(contentLength, bytes);
  return bytes;
}

/**
 * @param bodyBytes - of the whole body, footers included
 * @throws SwiftError 400
 */
export function requireRoom(bodyBytes: number, footerBytes: number): void {
  if (bodyBytes < footerBytes) throw bad('The body is shorter than its footers');
}

/** @throws SwiftError 400 */
export function parseFooters(text: Buffer): Footers {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.toString());
  } catch {
    throw bad('Bad footers: no JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw bad('Bad footers: not a JSON object');
  }
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed) as [string, unknown][]) {
    const lower = name.toLowerCase();
    if (typeof value !== 'string') throw bad(`Bad footers: ${name} is not a text of one line`);
    if (lower !== 'etag' && !lower.startsWith('x-gateway-sysmeta-')) {
      throw bad(`Bad footers: ${name} cannot be a footer`);
    }
    headers.set(lower, value);
  }
  return { etag: headers.get('etag'), headers };
}

function bad(reason: string): SwiftError {
  return new SwiftError(400, `${reason}\n`, TEXT);
}
