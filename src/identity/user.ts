import { z } from 'zod';
import { isUserName } from '../config/credentials.js';
import type { Principal } from '../s3/auth/principal.js';

/** The user that an access key belongs to, as Keystone reports it. */
export interface IdentityUser {
  readonly userId: string;
  readonly principal: Principal;
}

/** How projects and roles become accounts and owners. */
export interface IdentityMapping {
  /** The prefix of account names in front of the project's id, e.g. `AUTH_`. */
  readonly accountPrefix: string;
  /** Lower case. */
  readonly ownerRoles: readonly string[];
}

/** They are parts of accounts and paths. */
export const ID = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);
const NAME = z.string();
const PARTY = z.object({ id: ID, name: NAME, domain: z.object({ id: z.string() }) });

/** The answer to `POST /v3/s3tokens`, as far as it is used. */
const TOKEN = z.object({
  token: z.object({
    user: PARTY,
    project: PARTY,
    roles: z.array(z.object({ name: NAME })),
  }),
});

/** The id of Keystone's default domain, whose names Swift's ACLs know; see {@link userName}. */
const DEFAULT_DOMAIN = 'default';

/** @returns undefined for anything but the document of a token that is scoped to a project */
export function readUser(
  json: unknown,
  accessKey: string,
  { accountPrefix, ownerRoles }: IdentityMapping,
): IdentityUser | undefined {
  const result = TOKEN.safeParse(json);
  if (!result.success) return undefined;
  const { user, project, roles } = result.data.token;
  const roleNames = roles.map(({ name }) => name.toLowerCase());
  const isOwner = roleNames.some((name) => ownerRoles.includes(name));
  return {
    userId: user.id,
    principal: {
      accessKey,
      account: `${accountPrefix}${project.id}`,
      role: isOwner ? 'owner' : 'member',
      user: userName(user, project),
      keystone: { projectId: project.id, userId: user.id, roles: roleNames },
    },
  };
}

/**
 * `project:user` by names, as s3api writes them into ACLs. Two domains may have the same names, so
 * that outside of the default one it is the ids that count, as in Swift's keystoneauth.
 */
function userName(user: z.infer<typeof PARTY>, project: z.infer<typeof PARTY>): string {
  const byName = `${project.name}:${user.name}`;
  const isDefault = user.domain.id === DEFAULT_DOMAIN && project.domain.id === DEFAULT_DOMAIN;
  return isDefault && isUserName(byName) ? byName : `${project.id}:${user.id}`;
}
