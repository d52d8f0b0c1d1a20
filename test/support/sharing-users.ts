import type { TestUser } from './service.js';
import { IS_CLUSTER } from './stack.js';

/** The keys with which a user logs in to the console and signs S3 requests. */
export interface Login {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly account: string;
  readonly user: string;
}

/** An owner of an account; and a user of it whose rights are those of access rules. */
export const [OWNER, FRIEND]: readonly [Login, Login] = IS_CLUSTER
  ? // Users of the lab's tempauth.
    [
      { accessKey: 'test:tester', secretKey: 'testing', account: 'test', user: 'tester' },
      { accessKey: 'test:tester2', secretKey: 'testing2', account: 'test', user: 'tester2' },
    ]
  : [
      { accessKey: 'OWNERSKEY', secretKey: 'a-secret-of-owner', account: 'main', user: 'owner' },
      { accessKey: 'FRIENDSKEY', secretKey: 'a-secret-of-friend', account: 'main', user: 'friend' },
    ];

/** As access rules name the friend. */
export const FRIEND_ID = `${FRIEND.account}:${FRIEND.user}`;

/** Both, for a service on the embedded store; a cluster knows them. */
export const USERS: readonly TestUser[] = [
  credential(OWNER, 'owner'),
  credential(FRIEND, 'member'),
];

function credential(
  { accessKey, secretKey, account, user }: Login,
  role: TestUser['role'],
): TestUser {
  return { accessKey, secretKey, role, account: `AUTH_${account}`, user: `${account}:${user}` };
}
