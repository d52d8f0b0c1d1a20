import type { RosterEntry } from '../../config/keys.js';
import { ApiError } from '../../server/api-error.js';
import type { ConfUser } from './conf-file.js';
import type { EditedConf } from './edit-conf.js';
import type { UserChange } from './user-change.js';

const OWNS_EVERYTHING = '.reseller_admin';
const RESELLERS = [OWNS_EVERYTHING, '.reseller_reader'];

/** Whether a user sees another one: operators see all of them, admins those of their account. */
export function sees(actor: RosterEntry, user: Pick<ConfUser, 'account'>): boolean {
  return actor.role === 'operator' || user.account === actor.account;
}

/**
 * Checks the requested change, before anything is read.
 * @throws ApiError forbidden
 */
export function admitChange(actor: RosterEntry, change: UserChange): void {
  const forbidden = (message: string) => new ApiError('forbidden', message);
  if (!sees(actor, change)) throw forbidden('Your role can only manage users of your own account.');
  const groups = change.action === 'remove' ? [] : (change.groups ?? []);
  if (actor.role !== 'operator' && groups.some((group) => RESELLERS.includes(group))) {
    throw forbidden('Your role does not allow granting access to other accounts.');
  }
}

/**
 * The result of a change.
 * @throws ApiError forbidden where it would lend the rights of others; conflict where it could not
 *   be reverted
 */
export function admitEdit(
  actor: RosterEntry,
  users: readonly ConfUser[],
  { before, after }: EditedConf,
): void {
  const isReseller = before?.groups.some((group) => RESELLERS.includes(group)) === true;
  if (actor.role !== 'operator' && isReseller) {
    throw new ApiError(
      'forbidden',
      'That user has permissions in other accounts. Contact an operator.',
    );
  }
  const isSelf = before?.account === actor.account && before.user === actor.user;
  if (after === undefined && isSelf) {
    throw new ApiError('conflict', 'You cannot remove yourself. Contact another operator.');
  }
  const owners = users.filter(({ groups }) => groups.includes(OWNS_EVERYTHING));
  const [owner] = owners;
  const isLastOwner = owners.length === 1 && owner?.option === before?.option;
  if (isLastOwner && after?.groups.includes(OWNS_EVERYTHING) !== true) {
    throw new ApiError(
      'conflict',
      'This is the last user with full access (.reseller_admin). At least one is required.',
    );
  }
}
