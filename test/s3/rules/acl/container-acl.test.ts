import { expect } from 'chai';
import fc from 'fast-check';
import {
  aclElements,
  aclOfSegments,
  containerAclAllows,
  type ContainerAccess,
} from '../../../../src/s3/rules/acl/container-acl.js';
import {
  mirrorInContainer,
  reconcileWithContainer,
} from '../../../../src/s3/rules/acl/container-mirror.js';
import { ANONYMOUS, type Requester } from '../../../../src/s3/rules/acl/requester.js';
import { acl, inShort, member } from './support.js';

const ALL: readonly ContainerAccess[] = ['read objects', 'list', 'write'];
const BOB = member('test:bob');
const CAROL = {
  ...member('test:carol'),
  keystone: { projectId: 'p1', userId: 'u1', roles: ['reader'] },
} as const;

const DECISIONS: readonly (readonly [
  read: string,
  write: string,
  requester: Requester,
  allowed: readonly ContainerAccess[],
  referrer?: string,
])[] = [
  ['', '', ANONYMOUS, []],
  ['', '', BOB, []],
  ['.r:*', '', ANONYMOUS, ['read objects']],
  ['.r:*,.rlistings', '', ANONYMOUS, ['read objects', 'list']],
  ['.rlistings', '', ANONYMOUS, []],
  [' .r:* , .rlistings ', '', ANONYMOUS, ['read objects', 'list']],
  ['.referrer:*,.rlistings', '', ANONYMOUS, ['read objects', 'list']],
  ['.r:*,.rlistings', '', BOB, ['read objects', 'list']],
  ['.r:*', '.r:*', ANONYMOUS, ['read objects']],
  ['.r:example.com', '', ANONYMOUS, []],
  ['.r:example.com', '', ANONYMOUS, ['read objects'], 'example.com'],
  ['.r:example.com', '', ANONYMOUS, [], 'www.example.com'],
  ['.r:.example.com', '', ANONYMOUS, ['read objects'], 'www.example.com'],
  ['.r:*.example.com', '', ANONYMOUS, ['read objects'], 'www.example.com'],
  // Swift's referrer_allowed knows no denial of all hosts.
  ['.r:*,.r:-*', '', ANONYMOUS, ['read objects']],
  ['.r:.example.com', '', ANONYMOUS, [], 'notexample.com'],
  ['.r:*,.r:-thief.com', '', ANONYMOUS, [], 'thief.com'],
  ['.r:*,.r:-.thief.com', '', ANONYMOUS, [], 'www.thief.com'],
  ['.r:-thief.com,.r:*', '', ANONYMOUS, ['read objects'], 'thief.com'],
  ['test:bob', '', BOB, ['read objects', 'list']],
  ['test:bob', '', member('test:eve'), []],
  ['', 'test:bob', BOB, ['write']],
  ['test', 'test', BOB, ALL],
  ['test', 'test', member('tester:bob'), []],
  ['test:*', '*:bob', BOB, ALL],
  ['*:*', '*:*', BOB, ALL],
  ['*:*', '*:*', ANONYMOUS, []],
  ['.r:*', '', member('.r:*'), ['read objects']],
  ['test:carol', 'p1:u1', CAROL, ALL],
  ['p1:*', '*:u1', CAROL, ALL],
  ['*:*', '*:carol', CAROL, ALL],
  ['p2:u1,p1:u2,u1:p1,*:', 'test:dave', CAROL, []],
  ['reader', 'Reader', CAROL, ALL],
  // No role, but a project.
  ['test,p1,carol,u1,', 'writer', CAROL, []],
];

describe('s3 rules: container ACLs', () => {
  for (const [read, write, requester, allowed, referrer] of DECISIONS) {
    const who = requester.kind === 'user' ? requester.id : 'anonymous';
    const from = referrer === undefined ? '' : ` from ${referrer}`;
    it(`read "${read}", write "${write}": ${who}${from} may ${allowed.join(', ') || 'nothing'}`, () => {
      const result = ALL.filter((access) =>
        containerAclAllows({ read, write }, requester, access, referrer),
      );
      expect(result).to.deep.equal(allowed);
    });
  }
});

const NONE = { read: '', write: '' };
const FULL = 'test:owner FULL_CONTROL';

const MIRRORS: readonly (readonly [
  grants: readonly string[],
  read: string,
  write: string,
  mirroredRead: string,
  mirroredWrite: string,
])[] = [
  [[FULL], '', '', '', ''],
  // Exactly what s3api writes for public-read.
  [['AllUsers READ', FULL], '', '', '.r:*,.rlistings', ''],
  [['AllUsers READ', 'AllUsers WRITE', FULL], '', '', '.r:*,.rlistings', '*:*'],
  [['AllUsers FULL_CONTROL'], '', '', '.r:*,.rlistings', '*:*'],
  [['AuthenticatedUsers READ', FULL], '', '', '*:*', ''],
  [['AuthenticatedUsers WRITE', FULL], '', '', '', '*:*'],
  [['AllUsers READ_ACP', FULL], '', '', '', ''],
  [['LogDelivery WRITE', FULL], '', '', '', ''],
  [['test:bob FULL_CONTROL'], '', '', '', ''],
  // Closing takes away what opening added, and nothing else.
  [[FULL], '.r:*,.rlistings', '*:*', '', ''],
  [
    [FULL],
    '.r:*,.rlistings,test:bob,.r:-thief.com',
    'test:bob',
    'test:bob,.r:-thief.com',
    'test:bob',
  ],
  [['AllUsers READ'], 'test:bob', 'test:eve', '.r:*,.rlistings,test:bob', 'test:eve'],
  [['AllUsers READ'], '.r:*,.rlistings', '', '.r:*,.rlistings', ''],
];

const RECONCILED: readonly (readonly [
  grants: readonly string[],
  read: string,
  write: string,
  expected: readonly string[],
])[] = [
  [[FULL], '', '', [FULL]],
  [['AllUsers READ', FULL], '.r:*,.rlistings', '', ['AllUsers READ', FULL]],
  // Opened by a Swift user.
  [[FULL], '.r:*,.rlistings', '', [FULL, 'AllUsers READ']],
  [[FULL], '*:*', '*:*', [FULL, 'AuthenticatedUsers READ', 'AuthenticatedUsers WRITE']],
  // Objects are readable then, the bucket is not.
  [[FULL], '.r:*', '', [FULL]],
  // Closed by a Swift user.
  [['AllUsers READ', FULL], '', '', [FULL]],
  [['AllUsers WRITE', 'AuthenticatedUsers READ', FULL], '', '', [FULL]],
  [
    ['AllUsers FULL_CONTROL'],
    '.r:*,.rlistings',
    '',
    ['AllUsers READ_ACP', 'AllUsers WRITE_ACP', 'AllUsers READ'],
  ],
  [['AllUsers WRITE'], '', '*:*', ['AllUsers WRITE']],
  [['LogDelivery WRITE', 'test:bob READ'], '', '', ['LogDelivery WRITE', 'test:bob READ']],
];

describe('s3 rules: bucket ACLs and container ACLs', () => {
  for (const [grants, read, write, mirroredRead, mirroredWrite] of MIRRORS) {
    it(`${grants.join(', ')} over "${read}" and "${write}"`, () => {
      const mirrored = mirrorInContainer({ read, write }, acl(...grants));
      expect(mirrored).to.deep.equal({ read: mirroredRead, write: mirroredWrite });
    });
  }

  for (const [grants, read, write, expected] of RECONCILED) {
    it(`${grants.join(', ')} with "${read}" and "${write}" set by Swift`, () => {
      const reconciled = reconcileWithContainer(acl(...grants), { read, write });
      expect(inShort(reconciled)).to.deep.equal(expected);
    });
  }

  const anyGrants = fc.uniqueArray(
    fc.constantFrom(
      ...['AllUsers', 'AuthenticatedUsers', 'LogDelivery', 'test:bob'].flatMap((who) =>
        ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'].map((what) => `${who} ${what}`),
      ),
    ),
  );

  it('agree right after the bucket ACL was set', () => {
    fc.assert(
      fc.property(anyGrants, (grants) => {
        const given = acl(...grants);
        const container = mirrorInContainer(NONE, given);
        expect(inShort(reconcileWithContainer(given, container))).to.include.members(grants);
        // Setting it again changes nothing.
        expect(mirrorInContainer(container, given)).to.deep.equal(container);
      }),
    );
  });

  it('keep what Swift users wrote', () => {
    const element = fc.constantFrom('test:bob', 'other', '.r:-thief.com', '.r:example.com', 'a:*');
    fc.assert(
      fc.property(anyGrants, fc.array(element), (grants, elements) => {
        const current = { read: elements.join(','), write: elements.join(',') };
        const mirrored = mirrorInContainer(current, acl(...grants));
        const last = aclElements(mirrored.read).slice(-elements.length || Infinity);
        expect(last).to.deep.equal(elements);
        const closed = mirrorInContainer(mirrored, acl());
        expect(closed).to.deep.equal(current);
      }),
    );
  });

  it('opens the parts to readers of the objects, and shows their names to no user', () => {
    for (const [read, ofSegments] of [
      ['', ''],
      ['.r:*,.rlistings,test:bob', '.r:*,test:bob'],
      [' .rlistings , .ref:example.com ', '.r:example.com'],
    ] as const) {
      const acl = aclOfSegments({ read, write: '*:*' }, false);
      expect(acl).to.deep.equal({ read: ofSegments, write: '*:*' });
    }
  });
});
