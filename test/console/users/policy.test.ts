import { expect } from 'chai';
import type { Role } from '../../../console/config/keys.js';
import { ApiError } from '../../../console/server/api-error.js';
import { readConf } from '../../../console/surfaces/users/conf-file.js';
import { editConf } from '../../../console/surfaces/users/edit-conf.js';
import { admitChange, admitEdit } from '../../../console/surfaces/users/policy.js';
import type { Group, UserChange } from '../../../console/surfaces/users/user-change.js';

const CONF = `[filter:tempauth]
user_admin_admin = adminkey .admin .reseller_admin
user_test_boss = bosskey .admin
user_test_strong = strongkey .admin .reseller_reader
user_test_tester = testing
user_other_user = otherkey .admin
`;

function verdict(role: Role, asked: UserChange, conf = CONF): string {
  const actor = { account: 'test', user: 'boss', role };
  try {
    admitChange(actor, asked);
    admitEdit(actor, readConf(conf).users, editConf(conf, asked, 'a-key-of-enough-length'));
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'ok';
}

const add = (account: string, ...groups: Group[]): UserChange => ({
  action: 'add',
  account,
  user: 'new',
  groups,
});
const rekey = (account: string, user: string): UserChange => ({
  action: 'change',
  account,
  user,
  new_key: true,
});
const demote = (account: string, user: string): UserChange => ({
  action: 'change',
  account,
  user,
  groups: [],
  new_key: false,
});
const remove = (account: string, user: string): UserChange => ({ action: 'remove', account, user });

describe('console users: rights', () => {
  for (const [title, asked, admin, operator] of [
    ['a user of the own account', add('test'), 'ok', 'ok'],
    ['an admin of the own account', add('test', '.admin'), 'ok', 'ok'],
    ['a user of another account', add('other'), 'forbidden', 'ok'],
    ['a reseller', add('test', '.reseller_admin'), 'forbidden', 'ok'],
    ['a reader of everything', add('test', '.reseller_reader'), 'forbidden', 'ok'],
    ['a key of a colleague', rekey('test', 'tester'), 'ok', 'ok'],
    ['a key of a colleague who may do more', rekey('test', 'strong'), 'forbidden', 'ok'],
    ['a key in another account', rekey('other', 'user'), 'forbidden', 'ok'],
    ['the own key', rekey('test', 'boss'), 'ok', 'ok'],
    ['a removal', remove('test', 'tester'), 'ok', 'ok'],
    ['a removal of oneself', remove('test', 'boss'), 'conflict', 'conflict'],
    ['a removal of the last reseller', remove('admin', 'admin'), 'forbidden', 'conflict'],
    ['groups without the last reseller', demote('admin', 'admin'), 'forbidden', 'conflict'],
    ['a key of the last reseller', rekey('admin', 'admin'), 'forbidden', 'ok'],
  ] as [string, UserChange, string, string][]) {
    it(`decides about ${title}`, () => {
      expect(verdict('admin', asked)).to.equal(admin);
      expect(verdict('operator', asked)).to.equal(operator);
    });
  }

  it('keeps the last user', () => {
    const conf = '[filter:tempauth]\nuser_test_tester = testing\n';
    expect(verdict('operator', remove('test', 'tester'), conf)).to.equal('conflict');
  });
});
