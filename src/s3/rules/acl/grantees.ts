import { S3Error } from '../../errors.js';
import { isHeaderValue, isMangled } from '../header-values.js';
import { invalidArgument } from '../query-parameters.js';
import { groupOfUri, isGroupName, type Grantee } from './acl.js';

/** Grantees as requests name them, in headers and in documents. */

/** Characters; the ids are names of users, and a hundred of them have to fit in one header. */
const USER_ID_LENGTH_MAX = 256;

/**
 * A user by canonical id. Whether there is such a user is not known here: users of Keystone and
 * tempauth cannot be enumerated. The names that stored ACLs have for groups are refused, or a grant
 * to a user of that name would be read back as one to everybody.
 *
 * @param argument - for the answer: where the id stands
 * @throws S3Error `InvalidArgument`
 */
export function userGrantee(id: string, argument: string): Grantee {
  const legal = id !== '' && id.length <= USER_ID_LENGTH_MAX && isHeaderValue(id) && !isMangled(id);
  if (legal && !isGroupName(id)) return { kind: 'user', id };
  throw invalidArgument(argument, id, 'Invalid id');
}

/** @throws S3Error `InvalidArgument` for a URI of no group */
export function groupGrantee(uri: string, argument: string): Grantee {
  const group = groupOfUri(uri);
  if (group === undefined) throw invalidArgument(argument, uri, 'Invalid group uri');
  return { kind: 'group', group };
}

/** The service knows no e-mail addresses, hence none that matches. */
export function unresolvableEmail(): S3Error {
  return new S3Error('UnresolvableGrantByEmailAddress');
}
