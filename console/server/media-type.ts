import type { IncomingHttpHeaders } from 'node:http';

/** The media type of the bodies of objects; all other bodies are JSON. */
export const BYTES_TYPE = 'application/octet-stream';

/** The media type of a body in lower case, without its parameters; empty where none is given. */
export function mediaTypeOf({ 'content-type': type = '' }: IncomingHttpHeaders): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}
