import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service, type TestUser } from '../support/service.js';

/** An account with an owner, two members and anonymous readers, and an owner of another account. */

const SECRET = 'a-secret-of-a-test-user';
const USERS: readonly TestUser[] = [
  member('ANNASKEY', 'main:anna'),
  member('ANNASOTHERKEY', 'main:anna'),
  member('BENSKEY', 'main:ben'),
  { accessKey: 'STRANGERSKEY', secretKey: SECRET, account: 'AUTH_other', role: 'owner' },
];

/** The service's own credential has no name: see `canonicalId`. */
export const OWNER_ID = 'main:RINGWAYTESTKEY';
export const ANNA_ID = 'main:anna';

export interface AclBench {
  readonly owner: S3TestClient;
  readonly anna: S3TestClient;
  /** Anna with another access key. */
  readonly annaToo: S3TestClient;
  readonly ben: S3TestClient;
  readonly stranger: S3TestClient;
}

function member(accessKey: string, user: string): TestUser {
  return { accessKey, secretKey: SECRET, account: 'AUTH_main', role: 'member', user };
}

/** Registers hooks in the current suite. @returns the users, once they ran */
export function useAclBench(): () => AclBench {
  let service: Service | undefined;
  let bench: AclBench | undefined;

  before(async () => {
    const config = { anonymous_account: 'AUTH_main' };
    const started = await startService({ config, users: USERS });
    service = started;
    const as = (accessKey: string) =>
      new S3TestClient({ endpoint: started.endpoint, accessKey, secretKey: SECRET });
    bench = {
      owner: new S3TestClient(started),
      anna: as('ANNASKEY'),
      annaToo: as('ANNASOTHERKEY'),
      ben: as('BENSKEY'),
      stranger: as('STRANGERSKEY'),
    };
  });

  after(async () => {
    if (bench !== undefined)
      await Promise.all(Object.values(bench).map((s3: S3TestClient) => s3.close()));
    await service?.stop();
  });

  return () => {
    if (bench === undefined) throw new Error('only tests and hooks may use the bench');
    return bench;
  };
}

/** A document as PUT `?acl` takes it; a grantee is a group's URI or a user's id. */
export function policy(owner: string, grants: readonly (readonly [string, string])[]): string {
  const list = grants.map(([grantee, permission]) => {
    const [type, element] = grantee.startsWith('http') ? ['Group', 'URI'] : ['CanonicalUser', 'ID'];
    return (
      `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}">` +
      `<${element}>${grantee}</${element}></Grantee><Permission>${permission}</Permission></Grant>`
    );
  });
  return (
    `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Owner><ID>${owner}</ID></Owner>` +
    `<AccessControlList>${list.join('')}</AccessControlList></AccessControlPolicy>`
  );
}

export const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';
export const AUTHENTICATED_USERS = 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers';
