import type { Reply } from '../reply.js';
import type { ObjectTarget } from '../target.js';
import type { TempUrlParameters } from './parameters.js';

/**
 * What whoever has a TempURL gets to see: no user metadata but that which is public by its name, and
 * a name to save the download under.
 */
export function tempUrlReply(
  reply: Reply,
  method: string,
  { object }: ObjectTarget,
  parameters: TempUrlParameters,
): Reply {
  const headers = reply.headers.filter(([name]) => isPublic(name.toLowerCase()));
  const isDownload = (method === 'GET' || method === 'HEAD') && reply.status < 300;
  if (!isDownload) return { ...reply, headers };
  const existing = headers.find(([name]) => name.toLowerCase() === 'content-disposition')?.[1];
  const kept = headers.filter(
    ([name]) => !['content-disposition', 'expires'].includes(name.toLowerCase()),
  );
  return {
    ...reply,
    headers: [
      ...kept,
      ['Content-Disposition', dispositionOf(parameters, existing, object)],
      ['Expires', new Date(parameters.expiresAtS * 1000).toUTCString()],
    ],
  };
}

const USER_METADATA = 'x-object-meta-';
const PUBLIC_METADATA = 'x-object-meta-public-';

function isPublic(name: string): boolean {
  return !name.startsWith(USER_METADATA) || name.startsWith(PUBLIC_METADATA);
}

function dispositionOf(
  { filename, inline }: TempUrlParameters,
  existing: string | undefined,
  object: string,
): string {
  if (inline) return filename === undefined ? 'inline' : named('inline', filename);
  if (filename !== undefined) return named('attachment', filename);
  if (existing !== undefined) return existing;
  return named('attachment', object.replace(/\/+$/, '').split('/').at(-1) ?? '');
}

/** RFC 6266, with the name in both of its forms. */
function named(type: string, filename: string): string {
  const encoded = quote(filename);
  const plain = encoded.replaceAll('%20', ' ').replaceAll('%2F', '/');
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded.replaceAll('%2F', '/')}`;
}

/** As Python's quote with no character safe but its own. */
function quote(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
