/**
 * Users of tempauth. `account:user` is also the S3 access key of s3api and of Ringway, and `key` its
 * secret key. The names of the first four are those that Swift's own test suites expect.
 */
export const USERS = [
  { account: 'admin', user: 'admin', key: 'admin', groups: ['.admin', '.reseller_admin'] },
  { account: 'test', user: 'tester', key: 'testing', groups: ['.admin'] },
  { account: 'test', user: 'tester2', key: 'testing2', groups: [] },
  { account: 'test2', user: 'tester3', key: 'testing3', groups: ['.admin'] },
  { account: 'test5', user: 'tester5', key: 'testing5', groups: ['.admin'] },
  { account: 'test6', user: 'tester6', key: 'testing6', groups: ['.admin'] },
];

/** The gateway's own, which may act in every account. */
export const SERVICE_USER = {
  account: 'gateway',
  user: 'gw',
  key: 'gwkey',
  groups: ['.reseller_admin'],
};
