import { z } from 'zod';
import { IdentityUnavailable, type KeystoneAnswer } from './keystone.js';
import type { ServiceTokens } from './service-token.js';
import { ID, type IdentityMapping } from './user.js';

const ROLES = z.object({ roles: z.array(z.object({ id: ID, name: z.string() })) });
const ASSIGNMENTS = z.object({
  role_assignments: z.array(
    z.object({ scope: z.object({ project: z.object({ id: ID }).optional() }) }),
  ),
});

/** Some 500 bytes for each user with a role in a project. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** As many as `identity_accounts` can name. */
export const PROJECTS_MAX = 10_000;

/**
 * The accounts of all projects in which a user has one of the owners' roles, also by a group or by
 * inheritance. Asks `GET /v3/roles` and, for each of the roles that there are, `GET
 * /v3/role_assignments?effective`, which Keystone answers to its administrators.
 *
 * @returns in order, each once, {@link PROJECTS_MAX} at most
 * @throws IdentityUnavailable when Keystone does not tell
 */
export async function projectAccounts(
  tokens: ServiceTokens,
  { accountPrefix, ownerRoles }: IdentityMapping,
): Promise<readonly string[]> {
  const { roles } = read(ROLES, await get(tokens, '/roles'));
  const projects = new Set<string>();
  for (const { id, name } of roles) {
    if (!ownerRoles.includes(name.toLowerCase())) continue;
    const answer = await get(tokens, `/role_assignments?effective&role.id=${id}`);
    for (const { scope } of read(ASSIGNMENTS, answer).role_assignments) {
      if (scope.project !== undefined) projects.add(scope.project.id);
    }
  }
  const accounts = [...projects].sort().map((id) => `${accountPrefix}${id}`);
  return accounts.slice(0, PROJECTS_MAX);
}

function get(tokens: ServiceTokens, path: string): Promise<KeystoneAnswer> {
  return tokens.ask({
    purpose: 'accounts',
    method: 'GET',
    path,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
}

function read<T>(schema: z.ZodType<T>, { status, json }: KeystoneAnswer): T {
  const result = schema.safeParse(json);
  if (status === 200 && result.success) return result.data;
  const hint = status === 403 ? ': identity_user needs the role admin for it' : '';
  throw new IdentityUnavailable(`it does not tell its projects (${status})${hint}`);
}
