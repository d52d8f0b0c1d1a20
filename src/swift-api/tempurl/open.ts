import { BlockList, isIP } from 'node:net';
import { parseCidr } from '../../lib/cidr.js';
import type { Call } from '../call.js';
import { findContainer } from '../container/containers.js';
import { tempUrlKeys } from '../metadata.js';
import { HTML } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';
import { METHODS, readTempUrl, type TempUrlParameters } from './parameters.js';
import { TempUrlScope } from './scope.js';
import { isSignedWith } from './signature.js';

/** A request whose URL is its permission. */
export interface OpenedTempUrl {
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

/** Of the account's keys first, then of the container's: the one that fits says what it opens. */
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

/** With one, an upload could show what its writer was not let see. */
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
