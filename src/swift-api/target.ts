import type { ContainerRef, ObjectRef } from '../backend/backend.js';
import { parseQuery } from '../lib/uri.js';
import { SwiftError } from './swift-error.js';

/** A request's query: the first value of each name, as Swift takes it. */
export type Query = ReadonlyMap<string, string>;

/** @throws SwiftError 412 for what is not UTF-8 */
export function readQuery(rawQuery: string): Query {
  const query = new Map<string, string>();
  const parameters = parseQuery(rawQuery);
  if (parameters === undefined) throw new SwiftError(412, 'Invalid UTF8 or contains NULL');
  for (const { name, value } of parameters) {
    if (!query.has(name)) query.set(name, value ?? '');
  }
  return query;
}

const TRUE_WORDS: ReadonlySet<string> = new Set(['true', '1', 'yes', 'on', 't', 'y']);

/** Swift's config_true_value. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && TRUE_WORDS.has(value.toLowerCase());
}

/** The resource that a path names; the deepest name that is there says what the request is of. */
export type Target = AccountTarget | ContainerTarget | ObjectTarget;

export interface AccountTarget {
  readonly kind: 'account';
  readonly account: string;
}

export interface ContainerTarget extends ContainerRef {
  readonly kind: 'container';
}

export interface ObjectTarget extends ObjectRef {
  readonly kind: 'object';
}

const VERSION = /^\/v1(?:\.0)?\/(.*)$/s;

/**
 * Takes `/v1/ACCOUNT[/CONTAINER[/OBJECT]]` apart. The object's name is all that follows, slashes
 * included.
 * @throws SwiftError 412 as Swift: `Bad URL`, or a name that is not UTF-8 or holds a NUL
 */
export function parseTarget(rawPath: string): Target {
  const rest = VERSION.exec(rawPath)?.[1];
  if (rest === undefined || rest === '') throw new SwiftError(412, 'Bad URL');
  return targetOf(rest);
}

/** The same of what follows behind `/v1/`. @throws SwiftError 412 */
function targetOf(raw: string): Target {
  const [rawAccount = '', rawContainer = '', ...rawObject] = raw.split('/');
  const account = decodeName(rawAccount);
  const container = decodeName(rawContainer);
  const object = decodeName(rawObject.join('/'));
  if (account === '') throw new SwiftError(412, 'Bad URL');
  if (container === '') {
    if (object !== '') throw new SwiftError(412, 'Bad URL');
    return { kind: 'account', account };
  }
  if (object === '') return { kind: 'container', account, container };
  return { kind: 'object', account, container, object };
}

/** A `%` that begins no escape stands for itself, as with Python's unquote. */
const NO_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;

/**
 * Decodes a part of a path or of a header that holds one. @throws SwiftError 412
 */
export function decodeName(raw: string): string {
  let name: string;
  try {
    name = raw.includes('%') ? decodeURIComponent(raw.replace(NO_ESCAPE, '%25')) : raw;
  } catch {
    throw new SwiftError(412, 'Invalid UTF8 or contains NULL');
  }
  if (name.includes('\0')) throw new SwiftError(412, 'Invalid UTF8 or contains NULL');
  return name;
}

/** `container/object` as in Destination, X-Copy-From and X-Symlink-Target, decoded. */
export function splitObjectPath(
  path: string,
): { readonly container: string; readonly object: string } | undefined {
  const bare = path.startsWith('/') ? path.slice(1) : path;
  const slash = bare.indexOf('/');
  if (slash < 1 || slash === bare.length - 1) return undefined;
  return { container: bare.slice(0, slash), object: bare.slice(slash + 1) };
}
