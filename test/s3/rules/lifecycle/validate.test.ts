import { expect } from 'chai';
import type { LifecycleRule } from '../../../../src/s3/rules/lifecycle/configuration.js';
import { validateLifecycle } from '../../../../src/s3/rules/lifecycle/validate.js';
import { expectS3Error } from '../../support.js';
import { CLASSES, DAY, rules, type Parts } from './support.js';

const MIDNIGHT = Date.UTC(2026, 0, 1);

const EXPIRE: Parts = { expiration: { days: 1 } };

type Filter = NonNullable<Parts['filter']>;

function expire(filter: Filter): Parts {
  return { ...EXPIRE, filter };
}

function byPrefix(prefix: string): Filter {
  return { form: 'prefix', prefix };
}

const V1 = byPrefix('a/');
const TAG = { key: 'k', value: 'v' };

function transition(storageClass: string, days: number): LifecycleRule['transitions'][number] {
  return { when: { days }, storageClass };
}

function transitionAt(storageClass: string, date: number): LifecycleRule['transitions'][number] {
  return { when: { date }, storageClass };
}

const ACCEPTED: readonly (readonly [what: string, parts: readonly Parts[]])[] = [
  ['an expiration', [EXPIRE]],
  ['an expiration at midnight', [{ expiration: { date: MIDNIGHT } }]],
  ['a delete marker', [{ expiration: { expiredObjectDeleteMarker: true } }]],
  ['an id of 255', [{ ...EXPIRE, id: 'x'.repeat(255) }]],
  ['transition after 0 days', [{ transitions: [transition('GLACIER', 0)] }]],
  [
    'transitions in any order',
    [{ transitions: [transition('GLACIER', 60), transition('STANDARD_IA', 30)] }],
  ],
  [
    'all actions of one rule',
    [
      {
        expiration: { days: 91 },
        transitions: [transition('GLACIER', 90)],
        noncurrentVersionExpiration: { noncurrentDays: 9, newerNoncurrentVersions: 500 },
        noncurrentVersionTransitions: [{ noncurrentDays: 8, storageClass: 'GLACIER' }],
        abortDaysAfterInitiation: 1,
      },
    ],
  ],
  [
    'a marker next to transitions by date',
    [
      {
        expiration: { expiredObjectDeleteMarker: true },
        transitions: [transitionAt('GLACIER', MIDNIGHT)],
      },
    ],
  ],
  ['overlapping filters', [EXPIRE, expire({ prefix: 'a' })]],
  [
    'prefixes of version 1 that do not overlap',
    [expire(V1), expire(byPrefix('b/')), { abortDaysAfterInitiation: 1, filter: byPrefix('') }],
  ],
  ['sizes', [expire({ sizeGreaterThan: 0, sizeLessThan: 1 })]],
  ['a prefix of 1024 bytes', [expire({ prefix: 'x'.repeat(1024) })]],
  ['two tags', [expire({ tags: [TAG, { key: 'l', value: '' }], and: true })]],
];

type Refusal = readonly [parts: readonly Parts[], message: string];

const INVALID_REQUESTS: readonly Refusal[] = [
  [[expire(V1), EXPIRE], 'Filter element can only be used in Lifecycle V2.'],
  [
    [EXPIRE, expire(V1)],
    'Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.',
  ],
  [[{}], 'At least one action needs to be specified in a rule'],
  [
    [expire(byPrefix('a')), expire(byPrefix('b')), expire(byPrefix(''))],
    "Found overlapping prefixes '' and 'a' for same action type 'Expiration'",
  ],
  [
    [
      { abortDaysAfterInitiation: 1, filter: byPrefix('foo/bar/buu') },
      { abortDaysAfterInitiation: 1, filter: byPrefix('foo/bar') },
    ],
    "Found overlapping prefixes 'foo/bar' and 'foo/bar/buu' for same action type 'AbortIncompleteMultipartUpload'",
  ],
  [[expire({ prefix: 'ä'.repeat(513) })], 'The maximum size of a prefix is 1024.'],
  [[expire({ tags: [TAG, { ...TAG, value: 'w' }] })], 'Duplicate Tag Keys are not allowed.'],
  [
    [expire({ tags: [{ key: '', value: 'v' }] })],
    "A Tag's Key must be a length between 1 and 128.",
  ],
  [
    [expire({ tags: [{ key: 'k', value: 'v'.repeat(257) }] })],
    "A Tag's Value must be a length between 0 and 256.",
  ],
  [[expire({ sizeLessThan: 0 })], "'ObjectSizeLessThan' should be between 1 and 1099511627776000."],
  [
    [expire({ sizeGreaterThan: -1 })],
    "'ObjectSizeGreaterThan' should be between 0 and 1099511627776000.",
  ],
  [
    [expire({ sizeGreaterThan: 5, sizeLessThan: 5 })],
    "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.",
  ],
  [
    [{ expiration: { expiredObjectDeleteMarker: false }, filter: { tags: [TAG] } }],
    'ExpiredObjectDeleteMarker cannot be specified with Tags.',
  ],
  [
    [{ expiration: { expiredObjectDeleteMarker: true }, filter: { sizeLessThan: 1 } }],
    'ExpiredObjectDeleteMarker cannot be specified with Object Size.',
  ],
  [
    [{ abortDaysAfterInitiation: 1, filter: { tags: [TAG] } }],
    'AbortIncompleteMultipartUpload cannot be specified with Tags.',
  ],
  [
    [{ abortDaysAfterInitiation: 1, filter: { sizeGreaterThan: 1 } }],
    'AbortIncompleteMultipartUpload cannot be specified with Object Size.',
  ],
  [
    [
      {
        noncurrentVersionExpiration: { noncurrentDays: 1, newerNoncurrentVersions: 1 },
        filter: V1,
      },
    ],
    'NewerNoncurrentVersions element can only be used in Lifecycle V2.',
  ],
  [
    [{ transitions: [transition('GLACIER', 1), transition('GLACIER', 2)], filter: { prefix: '' } }],
    "'StorageClass' must be different for 'Transition' actions in same 'Rule' with filter '(prefix=)'",
  ],
  [
    [{ transitions: [transition('GLACIER', 1), transitionAt('DEEP_ARCHIVE', MIDNIGHT)] }],
    "Found mixed 'Date' and 'Days' based Transition actions in lifecycle rule for filter '()'",
  ],
  [
    [{ expiration: { date: MIDNIGHT }, transitions: [transition('GLACIER', 1)], filter: V1 }],
    "Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule for prefix 'a/'",
  ],
];

const INVALID_ARGUMENTS: readonly Refusal[] = [
  [[{ ...EXPIRE, id: 'x'.repeat(256) }], 'ID length should not exceed allowed limit of 255'],
  [
    [
      { ...EXPIRE, id: 'a' },
      { ...EXPIRE, id: 'a' },
    ],
    'Rule ID must be unique. Found same ID for more than one rule',
  ],
  [[{ expiration: { days: 0 } }], "'Days' for Expiration action must be a positive integer"],
  [[{ expiration: { days: -1 } }], "'Days' for Expiration action must be a positive integer"],
  [[{ expiration: { date: MIDNIGHT + 1 } }], "'Date' must be at midnight GMT"],
  [
    [{ abortDaysAfterInitiation: 0 }],
    "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer",
  ],
  [
    [{ noncurrentVersionExpiration: { noncurrentDays: 0 } }],
    "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
  ],
  [
    [{ noncurrentVersionExpiration: { noncurrentDays: 1, newerNoncurrentVersions: 0 } }],
    "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be a positive integer",
  ],
  [
    [{ transitions: [transition('GLACIER', -1)] }],
    "'Days' in Transition action must be nonnegative",
  ],
  [[{ transitions: [transitionAt('GLACIER', MIDNIGHT + 1000)] }], "'Date' must be at midnight GMT"],
  [
    [{ transitions: [transition('STANDARD_IA', 29)] }],
    "'Days' in Transition action must be greater than or equal to 30 for storageClass 'STANDARD_IA'",
  ],
  [
    [{ noncurrentVersionTransitions: [{ noncurrentDays: -1, storageClass: 'GLACIER' }] }],
    "'NoncurrentDays' in NoncurrentVersionTransition action must be nonnegative",
  ],
  [
    [{ expiration: { days: 9 }, transitions: [transition('GLACIER', 9)], filter: { prefix: 'a' } }],
    "'Days' in the Expiration action for filter '(prefix=a)' must be greater than 'Days' in the Transition action",
  ],
  [
    [{ expiration: { date: MIDNIGHT }, transitions: [transitionAt('GLACIER', MIDNIGHT)] }],
    "'Date' in the Expiration action for filter '()' must be later than 'Date' in the Transition action",
  ],
  [
    [{ transitions: [transition('DEEP_ARCHIVE', 30), transition('GLACIER', 30)] }],
    "'Days' in the 'Transition' action for StorageClass 'DEEP_ARCHIVE' for filter '()' must be greater than 'Days' in the 'Transition' action for StorageClass 'GLACIER' for filter '()'",
  ],
  [
    [
      {
        transitions: [
          transitionAt('GLACIER', MIDNIGHT + DAY),
          transitionAt('DEEP_ARCHIVE', MIDNIGHT),
        ],
      },
    ],
    "'Date' in the 'Transition' action for StorageClass 'DEEP_ARCHIVE' for filter '()' must be greater than 'Date' in the 'Transition' action for StorageClass 'GLACIER' for filter '()'",
  ],
  [
    [
      {
        noncurrentVersionExpiration: { noncurrentDays: 5 },
        noncurrentVersionTransitions: [{ noncurrentDays: 5, storageClass: 'GLACIER' }],
        filter: { tags: [TAG], sizeGreaterThan: 1, sizeLessThan: 9, and: true },
      },
    ],
    "'NoncurrentDays' in the NoncurrentVersionExpiration action for filter '(tag=k:v and ObjectSizeGreaterThan=1 and ObjectSizeLessThan=9)' must be greater than 'NoncurrentDays' in the NoncurrentVersionTransition action",
  ],
];

const OTHERS: readonly (readonly [parts: readonly Parts[], code: string])[] = [
  [[{ expiration: { days: 2_147_483_648 } }], 'MalformedXML'],
  [[{ transitions: [transition('STANDARD', 1)] }], 'MalformedXML'],
  [[{ transitions: [transition('OTHER', 1)] }], 'InvalidStorageClass'],
  [
    [{ noncurrentVersionTransitions: [{ noncurrentDays: 1, storageClass: 'OTHER' }] }],
    'InvalidStorageClass',
  ],
];

describe('s3 rules: lifecycle configurations', () => {
  for (const [what, parts] of ACCEPTED) {
    it(`may have ${what}`, () => {
      validateLifecycle(rules(...parts), CLASSES);
    });
  }

  function expectRefused(
    parts: readonly Parts[],
    code: string,
    details?: Readonly<Record<string, string>>,
  ): string {
    const validate = () => {
      validateLifecycle(rules(...parts), CLASSES);
    };
    return expectS3Error(validate, code, details).message;
  }

  for (const [code, refusals] of [
    ['InvalidRequest', INVALID_REQUESTS],
    ['InvalidArgument', INVALID_ARGUMENTS],
  ] as const) {
    for (const [parts, message] of refusals) {
      it(`${code}: ${message}`, () => {
        expect(expectRefused(parts, code)).to.equal(message);
      });
    }
  }

  for (const [parts, code] of OTHERS) {
    it(`${code}: ${JSON.stringify(parts)}`, () => {
      expect(expectRefused(parts, code)).to.equal('');
    });
  }

  it('are checked in disabled rules, too', () => {
    const disabled = [{ enabled: false, expiration: { days: 0 } }];
    expectRefused(disabled, 'InvalidArgument', { ArgumentName: 'Days', ArgumentValue: '0' });
  });
});
