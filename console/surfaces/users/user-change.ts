import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** The groups that give a user more rights, as the proxies know them. */
export const GROUPS = ['.admin', '.reseller_admin', '.reseller_reader'] as const;
export type Group = (typeof GROUPS)[number];

const groups = z
  .array(z.enum(GROUPS))
  .max(GROUPS.length)
  .refine((all) => new Set(all).size === all.length, { error: 'each group once' });

/** Names as the proxies may have them: no slash, which ends an account in a path, and no colon. */
const NAME = /^[^/:\p{Cc}\s](?:[^/:\p{Cc}]{0,126}[^/:\p{Cc}\s])?$/u;
const account = z.string().regex(NAME, { error: 'a name of an account' });
const user = z.string().regex(NAME, { error: 'a name of a user' });

/** Swift's tempauth compares names with headers that it has not decoded: others cannot log in. */
const ASCII = /^[\x20-\x7e]*$/;
const plain = { error: 'letters, digits and signs of ASCII' };

export const CHANGE = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('add'),
    account: account.regex(ASCII, plain),
    user: user.regex(ASCII, plain),
    groups,
  }),
  z.strictObject({
    action: z.literal('change'),
    account,
    user,
    /** The groups among {@link GROUPS}; groups of other names stay. */
    groups: groups.optional(),
    new_key: z.boolean().default(false),
  }),
  z.strictObject({ action: z.literal('remove'), account, user }),
]);

export type UserChange = z.infer<typeof CHANGE>;

/** Whether the change makes a key. */
export function makesKey(change: UserChange): boolean {
  return change.action === 'add' || (change.action === 'change' && change.new_key);
}

/**
 * 32 random bytes. Nothing in it is a blank, a percent sign or a line end, with which a proxy
 * would read another key, or not start at all.
 */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

const KEY = /^[A-Za-z0-9._~+=-]{12,128}$/;

/** Whether a key stands in a configuration as it is. */
export function isPlainKey(key: string): boolean {
  return KEY.test(key);
}
