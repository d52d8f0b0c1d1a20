import { BlockList, isIP } from 'node:net';
import { parseCidr } from '../../lib/cidr.js';
import type { Call } from '../call.js';
import { findContainer } from '../container/containers.js';
import { tempUrlKeys } from '../metadata.js';
import { HTML, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';
import {
  METHODS,
  readTempUrl,
  type TempUrlParameters,
  TempUrlScope,
  isSignedWith,
} from './parameters.js';

/** A request whose URL is its permission. */
interface OpenedTempUrl {
  readonly scope: TempUrlScope;
  readonly parameters: TempUrlParameters;
}

/**
 * @param clientAddress - who asks
 * @throws SwiftError 400, 401
 */
export async function openTempUrl(call: Call, clientAddress: string): Promise<OpenedTempUrl> {
  const { target, method, query, api } = call;
  const parameters = readTempUrl(query, api.now() / 1000);
  if (parameters === undefined || target.kind !== 'object' || !METHODS.includes(method)) {
    throw invalid();
  }
  const { prefix, ipRange } = parameters;
  if (ipRange !== undefined && !isWithin(clientAddress, ipRange)) throw invalid();
  if (prefix !== undefined && !target.object.startsWith(prefix)) throw invalid();
  const scope = await scopeOf(call, target, parameters);
  if (scope === undefined) throw invalid();
  refusePointers(call);
  return { scope, parameters };
}

/**
 * The scope: the account's keys are tried first, then the container's, and the matching key decides
 * what the URL opens.
 */
async function scopeOf(
  call: Call,
  target: ObjectTarget,
  parameters: TempUrlParameters,
): Promise<TempUrlScope | undefined> {
  const { api, context, method } = call;
  const { account, container } = target;
  const signedWith = (key: string): boolean => isSignedWith(key, method, target, parameters);
  const record = await api.accounts.read(context, account);
  if (tempUrlKeys(record.metadata).some(signedWith)) return new TempUrlScope(account, undefined);
  const head = await findContainer(call, target);
  const keys = tempUrlKeys(head?.metadata ?? {});
  return keys.some(signedWith) ? new TempUrlScope(account, container) : undefined;
}

/**
 * Headers that a TempURL must not set: an upload with one could show what its writer may not read.
 */
const POINTERS = ['x-object-manifest', 'x-symlink-target'];

/** @throws SwiftError 400 */
function refusePointers({ method, headers }: Call): void {
  if (method === 'GET' || method === 'HEAD') return;
  const found = POINTERS.find((name) => headers.has(name));
  if (found === undefined) return;
  const shown = found.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  throw new SwiftError(400, `The header '${shown}' is not allowed in this tempurl`, HTML);
}

function isWithin(address: string, range: string): boolean {
  const cidr = parseCidr(range);
  if (cidr === undefined || isIP(address) === 0) return false;
  const list = new BlockList();
  list.addSubnet(cidr.address, cidr.prefix, familyOf(cidr.address));
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function invalid(): SwiftError {
  const realm = [['Www-Authenticate', 'Swift realm="unknown"']] as const;
  return new SwiftError(401, '401 Unauthorized: Temp URL invalid\n', HTML, realm);
}

/**
 * The answer to a request with a TempURL: no user metadata except what is public by its name, and a
 * name to save the download under.
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

/** Quotes like Python's quote, without further safe characters. */
function quote(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
