import { z } from 'zod';
import { optionalPath } from '../../src/config/keys.js';

/**
 * Kinds of keys that only the console has. Like in src/config/keys.ts, an error message is the
 * expectation, worded to follow "expected".
 */

/** An address of an upstream. Only the operator sets these: no part of a request becomes one. */
export function upstream(example: string) {
  const error = `an http or https address without user, query and fragment, such as ${example}`;
  return z.string({ error }).refine(isUpstream, { error });
}

export function optionalUpstream(example: string) {
  const error = `an http or https address without user, query and fragment, such as ${example}, or an empty text`;
  return z
    .string({ error })
    .refine((text) => text === '' || isUpstream(text), { error })
    .default('');
}

/** An address that others use, of a service that has no path in front of its own. */
export function optionalOrigin(example: string) {
  const error = `an http or https address without user, path, query and fragment, such as ${example}, or an empty text`;
  return z
    .string({ error })
    .refine((text) => text === '' || (isUpstream(text) && new URL(text).pathname === '/'), {
      error,
    })
    .default('');
}

/** Addresses of services that are alike. */
export function upstreams(example: string) {
  const error = `a list of at most 64 different http or https addresses without user, query and fragment, such as ${example}`;
  return distinct(z.string().refine(isUpstream, { error }), 64, error).default([]);
}

/** A list in which nothing stands twice. @param keyOf what tells its entries apart */
function distinct<Entry extends z.ZodType>(
  entry: Entry,
  max: number,
  error: string,
  keyOf: (one: z.infer<Entry>) => unknown = (one) => one,
) {
  return z
    .array(entry, { error })
    .max(max, { error })
    .refine((all) => new Set(all.map(keyOf)).size === all.length, { error });
}

function isUpstream(text: string): boolean {
  return /^https?:\/\/[^\s?#@]+$/i.test(text) && URL.canParse(text);
}

/** A program of the operator's: only an absolute path says which one will run. */
export function program() {
  return optionalPath().refine((text) => text === '' || text.startsWith('/'), {
    error: 'an absolute path of a program, or an empty text',
  });
}

export function number(min: number, max: number) {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/** From the fewest rights to the most. */
export const ROLES = ['reader', 'member', 'admin', 'operator'] as const;

/** The rights that a user of the console has; the store's own rules narrow them further. */
export type Role = (typeof ROLES)[number];

const NAME = /^[^\s:/\p{Cc}]{1,128}$/u;

/** Whether `accounts` can name a user like this. */
export function isRosterName(text: string): boolean {
  return NAME.test(text);
}

/** Access keys that are tried for one user. */
export const ACCESS_KEYS_MAX = 8;

/** The most users that `accounts` may name. */
export const ROSTER_MAX = 10_000;

/** The users that the console lets in: a valid login with the store alone is not enough. */
export function roster() {
  const error = 'a list of {account, user, role}, one at least, each user once';
  const entry = z.strictObject(
    {
      account: z
        .string({ error: 'a text' })
        .refine((text) => text === '' || NAME.test(text), {
          error:
            'an account without blanks, colons and slashes, or an empty text where users have none',
        })
        .default(''),
      user: z
        .string({ error: 'a text' })
        .regex(NAME, { error: 'a user without blanks, colons and slashes' }),
      role: z.enum(ROLES, { error: `one of ${ROLES.join(', ')}` }),
      /** Access keys of S3 that may have the user's key as their secret, where it is none itself. */
      access_keys: z
        .array(z.string().regex(/^[^\s,/\p{Cc}]{1,260}$/u), {
          error: `a list of at most ${ACCESS_KEYS_MAX} access keys`,
        })
        .max(ACCESS_KEYS_MAX)
        .optional(),
    },
    { error: 'an object with account, user and role, access_keys perhaps, and nothing else' },
  );
  return distinct(entry, ROSTER_MAX, error, loginName).min(1, { error });
}

export type RosterEntry = z.infer<ReturnType<typeof roster>>[number];

/** The user as the store's login knows it: `account:user`, or the user where there is no account. */
export function loginName({ account, user }: { readonly account: string; readonly user: string }) {
  return account === '' ? user : `${account}:${user}`;
}

/** The role in the console for each role of a user in a project of Keystone. */
export function keystoneRoles() {
  const error = `an object of roles of Keystone with, for each, one of ${ROLES.join(', ')}`;
  return z.record(z.string().regex(/^[^\s\p{Cc}]{1,255}$/u, { error }), z.enum(ROLES, { error }), {
    error,
  });
}

/** Whether `auth_url` is version 3 of Keystone's API. */
export function isKeystone(authUrl: string): boolean {
  return /\/v3\/*$/.test(authUrl);
}

const NODE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The storage nodes of the cluster, as inspection and drills know them. */
export function clusterNodes() {
  const error = 'a list of {name, storage_ip, replication_ip, public_ip, devices}, each name once';
  const ip = z.union([z.ipv4(), z.ipv6()], { error: 'an IP address' });
  const service = z.strictObject({
    pid_file: z.string().min(1),
    argv: z.array(z.string()).min(1).max(64),
    env: z.record(z.string(), z.string()).default({}),
    /** The output of a service that was started again is appended there. */
    log_file: z.string().min(1).optional(),
  });
  const node = z.strictObject({
    name: z.string().regex(NODE_NAME, { error: 'a name of letters, digits, dots and hyphens' }),
    storage_ip: ip,
    replication_ip: ip.optional(),
    public_ip: ip.optional(),
    devices: z
      .array(z.string().regex(NODE_NAME, { error: 'a name of a device' }))
      .max(4096)
      .default([]),
    services: z.record(z.string().regex(NODE_NAME), service).default({}),
  });
  return distinct(node, 1000, error, ({ name }) => name).default([]);
}

const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;

/** Hosts of proxies, as names or addresses without port. */
export function hostNames() {
  const error = 'a list of different host names or addresses, without ports';
  // Such as `10.0.0.256`, which is neither a name nor an address: no URL can have it.
  const name = z
    .string()
    .regex(HOST_NAME)
    .refine((host) => URL.canParse(`http://${host}`));
  return distinct(z.union([z.ipv4(), z.ipv6(), name], { error }), 1000, error).default([]);
}

/** Texts by short names. */
export function texts() {
  const error = 'an object of texts';
  return z
    .record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, { error }), z.string({ error }).max(4096), {
      error,
    })
    .default({});
}
