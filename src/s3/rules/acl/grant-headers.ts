import type { HeaderMap } from '../../../http/exchange.js';
import { S3Error } from '../../errors.js';
import { invalidArgument } from '../query-parameters.js';
import { GRANTS_MAX, type Grant, type Grantee, type Permission } from './acl.js';
import { groupGrantee, unresolvableEmail, userGrantee } from './grantees.js';

/** `x-amz-grant-<permission>: id="…", uri="…", emailAddress="…"` */

export const GRANT_HEADER_PREFIX = 'x-amz-grant-';

const PERMISSION_BY_HEADER: ReadonlyMap<string, Permission> = new Map([
  ['x-amz-grant-full-control', 'FULL_CONTROL'],
  ['x-amz-grant-read', 'READ'],
  ['x-amz-grant-write', 'WRITE'],
  ['x-amz-grant-read-acp', 'READ_ACP'],
  ['x-amz-grant-write-acp', 'WRITE_ACP'],
]);

/**
 * The grants of all headers, in the order of {@link PERMISSION_BY_HEADER}.
 *
 * @throws S3Error `InvalidArgument` for what is no list of grantees, and for grantees that cannot
 *   be; `UnresolvableGrantByEmailAddress`; `NotImplemented` for a permission that ACLs do not have
 */
export function parseGrantHeaders(headers: HeaderMap): Grant[] {
  refuseUnknown(headers);
  const grants: Grant[] = [];
  for (const [header, permission] of PERMISSION_BY_HEADER) {
    const value = headers.get(header);
    if (value === undefined) continue;
    for (const piece of splitOutsideQuotes(value)) {
      grants.push({ grantee: parseGrantee(piece, header), permission });
    }
  }
  if (grants.length > GRANTS_MAX) {
    throw new S3Error('InvalidArgument', `An ACL can have up to ${GRANTS_MAX} grants.`);
  }
  return grants;
}

function refuseUnknown(headers: HeaderMap): void {
  for (const name of headers.keys()) {
    if (name.startsWith(GRANT_HEADER_PREFIX) && !PERMISSION_BY_HEADER.has(name)) {
      throw new S3Error('NotImplemented', undefined, { Header: name });
    }
  }
}

/** `id="x"`, `id='x'` or, as clients also send it, `id=x`. Types are read without regard to case. */
function parseGrantee(piece: string, header: string): Grantee {
  const equals = piece.indexOf('=');
  const type = piece.slice(0, equals).trim().toLowerCase();
  const value = unquote(piece.slice(equals + 1).trim());
  if (equals === -1 || value === undefined) throw unrecognized(piece, header);
  switch (type) {
    case 'id':
      return userGrantee(value, 'id');
    case 'uri':
      return groupGrantee(value, 'uri');
    case 'emailaddress':
      throw unresolvableEmail();
    default:
      throw unrecognized(piece, header);
  }
}

function unrecognized(piece: string, header: string): S3Error {
  return invalidArgument(header, piece.trim(), 'Argument format not recognized');
}

/** @returns undefined when a quote is open or stands in the middle */
function unquote(text: string): string | undefined {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return text.includes('"') ? undefined : text;
  const inner = text.slice(1, -1);
  return text.length >= 2 && text.endsWith(quote) && !inner.includes(quote) ? inner : undefined;
}

/** Ids may hold commas; they are in double quotes then. */
function splitOutsideQuotes(value: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < value.length; i++) {
    if (value[i] === '"') quoted = !quoted;
    else if (value[i] === ',' && !quoted) {
      pieces.push(value.slice(start, i));
      start = i + 1;
    }
  }
  pieces.push(value.slice(start));
  return pieces;
}
