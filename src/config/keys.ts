import { z } from 'zod';
import { parseCidr } from '../lib/cidr.js';
import type { ListenAddress } from './options.js';

/**
 * The kinds of configuration keys. Each builder gives a zod schema whose error message is the
 * *expectation*, worded to follow "expected", so that an error can name key, value and expectation.
 */

/** One key: its rule, and what the documentation says of it. */
export interface KeyRule {
  /** The schema; without input it gives the default. */
  readonly schema: z.ZodType;
  readonly doc: string;
  /** The words of the documentation for a default that is computed. */
  readonly defaultText?: string;
}

/** An integer with both bounds included; its unit is the end of the key's name. */
export function integer(min: number, max: number): z.ZodNumber {
  const error = `an integer from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function text(pattern: RegExp, expectation: string): z.ZodString {
  return z.string({ error: expectation }).regex(pattern, { error: expectation });
}

/** Schemas whose values are paths: see {@link isPath}. */
const PATHS = new WeakSet<z.core.$ZodType>();

function markedAsPath<Schema extends z.core.$ZodType>(schema: Schema): Schema {
  PATHS.add(schema);
  return schema;
}

/**
 * Whether the values of a schema are paths, with or without a default: the loader makes them
 * absolute. An empty text among them stands for no path.
 */
export function isPath(schema: z.core.$ZodType): boolean {
  if (PATHS.has(schema)) return true;
  const isWrapper =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional;
  return isWrapper && isPath(schema.unwrap());
}

/** A path of a file or a folder: see {@link isPath}. */
export function path(): z.ZodString {
  const error = 'a path';
  return markedAsPath(
    z
      .string({ error })
      .min(1, { error })
      .refine((value) => !value.includes('\0'), { error }),
  );
}

/** Like {@link path}, but may be empty, which is the default: then there is none. */
export function optionalPath() {
  const error = 'a path, or an empty text';
  return markedAsPath(
    z.string({ error }).refine((value) => !value.includes('\0'), { error }),
  ).default('');
}

/** Like {@link address}, but may be empty: then nothing listens. */
export function optionalAddress() {
  return parsed<ListenAddress | ''>(`${ADDRESS_EXPECTATION}, or an empty text`, (value) =>
    value === '' ? '' : parseAddress(value),
  );
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

const ADDRESS_EXPECTATION =
  'HOST:PORT with a port from 0 to 65535 (0 takes a free one), such as 127.0.0.1:8000 or [::1]:8000';

/** `HOST:PORT` or `[IPV6]:PORT`. @returns undefined when it is neither */
export function parseAddress(value: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(value);
  if (match === null) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const port = Number(match[3]);
  return port > 65535 ? undefined : { host, port };
}

export function address() {
  return parsed(ADDRESS_EXPECTATION, parseAddress);
}

/** A text that `parse` makes a value of; undefined refuses it. */
function parsed<T>(error: string, parse: (text: string) => T | undefined) {
  return z.string({ error }).transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}

const STORAGE_CLASS_EXPECTATION =
  'a list of different names in capital letters, digits and underscores, STANDARD among them';

export function storageClasses() {
  const error = STORAGE_CLASS_EXPECTATION;
  return z
    .array(z.string({ error }).regex(/^[A-Z][A-Z0-9_]{0,31}$/, { error }), { error })
    .refine((names) => names.includes('STANDARD') && new Set(names).size === names.length, {
      error,
    });
}

const COLD_CLASSES_EXPECTATION =
  'a list of at most 16 texts NAME:POLICY, each with another name in capital letters, digits and underscores, not STANDARD, and a policy from 0 to 9999, such as GLACIER:1';

export function coldStorageClasses() {
  const error = COLD_CLASSES_EXPECTATION;
  const entry = /^(?!STANDARD:)[A-Z][A-Z0-9_]{0,31}:(?:0|[1-9][0-9]{0,3})$/;
  return z
    .array(z.string({ error }).regex(entry, { error }), { error })
    .max(LIST_ENTRIES_MAX, { error })
    .refine((entries) => new Set(entries.map(classOf)).size === entries.length, { error });
}

/** The name in `NAME:POLICY`. */
export function classOf(entry: string): string {
  return entry.slice(0, entry.indexOf(':'));
}

export function flag() {
  return z.boolean({ error: 'true or false' });
}

/** No list of a configuration needs more: each entry may cost time with a request. */
const LIST_ENTRIES_MAX = 16;

/** Strings that the rule accepts, in lower case, each once. */
function list(error: string, accepts: (text: string) => boolean) {
  return z
    .array(z.string({ error }).toLowerCase().refine(accepts, { error }), { error })
    .max(LIST_ENTRIES_MAX, { error })
    .refine((entries) => new Set(entries).size === entries.length, { error });
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{1,253}$)(?=.*[a-z])${LABEL}(?:\\.${LABEL})*$`);

export function domains() {
  return list(
    `a list of at most ${LIST_ENTRIES_MAX} different DNS names, such as s3.example.com`,
    (text) => DOMAIN.test(text),
  );
}

export function hosts() {
  return list(
    `a list of at most ${LIST_ENTRIES_MAX} different hosts as clients send them, such as s3.example.com or s3.example.com:8443`,
    (text) => /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(text),
  );
}

/** A URL, or an empty text for none. */
export function optionalUrl(example: string) {
  const error = `an http or https address without query, such as ${example}, or an empty text`;
  return z
    .string({ error })
    .refine((text) => text === '' || isBaseUrl(text), { error })
    .default('');
}

export function baseUrls() {
  return list(
    `a list of at most ${LIST_ENTRIES_MAX} different http or https addresses without path, such as http://127.0.0.1:8080`,
    (text) => isBaseUrl(text) && new URL(text).pathname === '/',
  );
}

function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s?#@]+$/i.test(text)) return false;
  return URL.canParse(text);
}

/** Compared without regard to case, as Swift does. */
export function roleNames() {
  return list(
    `a list of at most ${LIST_ENTRIES_MAX} different names of roles, such as admin`,
    (text) => /^[^\s,]{1,255}$/.test(text),
  );
}

const ACCOUNTS_MAX = 10_000;

/** Accounts of the store, as it names them. */
export function accounts() {
  const error = `a list of at most ${ACCOUNTS_MAX} different accounts of the store, such as AUTH_main`;
  return z
    .array(z.string({ error }).regex(/^[\x21-\x2e\x30-\x7e]{1,128}$/, { error }), { error })
    .max(ACCOUNTS_MAX, { error })
    .refine((names) => new Set(names).size === names.length, { error });
}

export function networks() {
  return list(
    `a list of at most ${LIST_ENTRIES_MAX} different addresses or networks, such as 192.0.2.7 or 10.0.0.0/8`,
    (text) => parseCidr(text) !== undefined,
  );
}
