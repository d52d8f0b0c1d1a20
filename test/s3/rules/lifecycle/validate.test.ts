import { expect } from 'chai';
import type { LifecycleRule } from '../../../../src/s3/rules/lifecycle/configuration.js';
import { validateLifecycle } from '../../../../src/s3/rules/lifecycle/validate.js';
import { s3ErrorOf } from '../../support.js';
import { DAY, rules, type Parts } from './support.js';

const CLASSES = ['STANDARD', 'STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE'];
const MIDNIGHT = Date.UTC(2026, 0, 1);

const EXPIRE: Parts = { expiration: { days: 1 } };
const V1: Parts['filter'] = { form: 'prefix', prefix: 'a/' };
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
  ['overlapping filters', [EXPIRE, { ...EXPIRE, filter: { prefix: 'a' } }]],
  [
    'prefixes of version 1 that do not overlap',
    [
      { ...EXPIRE, filter: V1 },
      { ...EXPIRE, filter: { form: 'prefix', prefix: 'b/' } },
      { abortDaysAfterInitiation: 1, filter: { form: 'prefix', prefix: '' } },
    ],
  ],
  ['sizes', [{ ...EXPIRE, filter: { sizeGreaterThan: 0, sizeLessThan: 1 } }]],
  ['a prefix of 1024 bytes', [{ ...EXPIRE, filter: { prefix: 'x'.repeat(1024) } }]],
  ['two tags', [{ ...EXPIRE, filter: { tags: [TAG, { key: 'l', value: '' }], and: true } }]],
];

const REFUSED: readonly (readonly [parts: readonly Parts[], code: string, message: string])[] = [
  [
    [{ ...EXPIRE, id: 'x'.repeat(256) }],
    'InvalidArgument',
    'ID length should not exceed allowed limit of 255',
  ],
  [
    [
      { ...EXPIRE, id: 'a' },
      { ...EXPIRE, id: 'a' },
    ],
    'InvalidArgument',
    'Rule ID must be unique. Found same ID for more than one rule',
  ],
  [
    [{ ...EXPIRE, filter: V1 }, EXPIRE],
    'InvalidRequest',
    'Filter element can only be used in Lifecycle V2.',
  ],
  [
    [EXPIRE, { ...EXPIRE, filter: V1 }],
    'InvalidRequest',
    'Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.',
  ],
  [[{}], 'InvalidRequest', 'At least one action needs to be specified in a rule'],
  [
    [
      { ...EXPIRE, filter: { form: 'prefix', prefix: 'a' } },
      { ...EXPIRE, filter: { form: 'prefix', prefix: 'b' } },
      { ...EXPIRE, filter: { form: 'prefix', prefix: '' } },
    ],
    'InvalidRequest',
    "Found overlapping prefixes '' and 'a' for same action type 'Expiration'",
  ],
  [
    [
      { abortDaysAfterInitiation: 1, filter: { form: 'prefix', prefix: 'foo/bar/buu' } },
      { abortDaysAfterInitiation: 1, filter: { form: 'prefix', prefix: 'foo/bar' } },
    ],
    'InvalidRequest',
    "Found overlapping prefixes 'foo/bar' and 'foo/bar/buu' for same action type 'AbortIncompleteMultipartUpload'",
  ],

  [
    [{ ...EXPIRE, filter: { prefix: 'ä'.repeat(513) } }],
    'InvalidRequest',
    'The maximum size of a prefix is 1024.',
  ],
  [
    [{ ...EXPIRE, filter: { tags: [TAG, { ...TAG, value: 'w' }] } }],
    'InvalidRequest',
    'Duplicate Tag Keys are not allowed.',
  ],
  [
    [{ ...EXPIRE, filter: { tags: [{ key: '', value: 'v' }] } }],
    'InvalidRequest',
    "A Tag's Key must be a length between 1 and 128.",
  ],
  [
    [{ ...EXPIRE, filter: { tags: [{ key: 'k', value: 'v'.repeat(257) }] } }],
    'InvalidRequest',
    "A Tag's Value must be a length between 0 and 256.",
  ],
  [
    [{ ...EXPIRE, filter: { sizeLessThan: 0 } }],
    'InvalidRequest',
    "'ObjectSizeLessThan' should be between 1 and 1099511627776000.",
  ],
  [
    [{ ...EXPIRE, filter: { sizeGreaterThan: -1 } }],
    'InvalidRequest',
    "'ObjectSizeGreaterThan' should be between 0 and 1099511627776000.",
  ],
  [
    [{ ...EXPIRE, filter: { sizeGreaterThan: 5, sizeLessThan: 5 } }],
    'InvalidRequest',
    "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.",
  ],

  ...[0, -1].map(
    (days) =>
      [
        [{ expiration: { days } }],
        'InvalidArgument',
        "'Days' for Expiration action must be a positive integer",
      ] as const,
  ),
  [[{ expiration: { days: 2_147_483_648 } }], 'MalformedXML', ''],
  [[{ expiration: { date: MIDNIGHT + 1 } }], 'InvalidArgument', "'Date' must be at midnight GMT"],
  [
    [{ expiration: { expiredObjectDeleteMarker: false }, filter: { tags: [TAG] } }],
    'InvalidRequest',
    'ExpiredObjectDeleteMarker cannot be specified with Tags.',
  ],
  [
    [{ expiration: { expiredObjectDeleteMarker: true }, filter: { sizeLessThan: 1 } }],
    'InvalidRequest',
    'ExpiredObjectDeleteMarker cannot be specified with Object Size.',
  ],
  [
    [{ abortDaysAfterInitiation: 0 }],
    'InvalidArgument',
    "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer",
  ],
  [
    [{ abortDaysAfterInitiation: 1, filter: { tags: [TAG] } }],
    'InvalidRequest',
    'AbortIncompleteMultipartUpload cannot be specified with Tags.',
  ],
  [
    [{ abortDaysAfterInitiation: 1, filter: { sizeGreaterThan: 1 } }],
    'InvalidRequest',
    'AbortIncompleteMultipartUpload cannot be specified with Object Size.',
  ],
  [
    [{ noncurrentVersionExpiration: { noncurrentDays: 0 } }],
    'InvalidArgument',
    "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
  ],
  [
    [{ noncurrentVersionExpiration: { noncurrentDays: 1, newerNoncurrentVersions: 0 } }],
    'InvalidArgument',
    "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be a positive integer",
  ],
  [
    [
      {
        noncurrentVersionExpiration: { noncurrentDays: 1, newerNoncurrentVersions: 1 },
        filter: V1,
      },
    ],
    'InvalidRequest',
    'NewerNoncurrentVersions element can only be used in Lifecycle V2.',
  ],

  [[{ transitions: [transition('STANDARD', 1)] }], 'MalformedXML', ''],
  [[{ transitions: [transition('OTHER', 1)] }], 'InvalidStorageClass', ''],
  [
    [{ noncurrentVersionTransitions: [{ noncurrentDays: 1, storageClass: 'OTHER' }] }],
    'InvalidStorageClass',
    '',
  ],
  [
    [{ transitions: [transition('GLACIER', -1)] }],
    'InvalidArgument',
    "'Days' in Transition action must be nonnegative",
  ],
  [
    [{ transitions: [transitionAt('GLACIER', MIDNIGHT + 1000)] }],
    'InvalidArgument',
    "'Date' must be at midnight GMT",
  ],
  [
    [{ transitions: [transition('STANDARD_IA', 29)] }],
    'InvalidArgument',
    "'Days' in Transition action must be greater than or equal to 30 for storageClass 'STANDARD_IA'",
  ],
  [
    [{ noncurrentVersionTransitions: [{ noncurrentDays: -1, storageClass: 'GLACIER' }] }],
    'InvalidArgument',
    "'NoncurrentDays' in NoncurrentVersionTransition action must be nonnegative",
  ],
  [
    [{ transitions: [transition('GLACIER', 1), transition('GLACIER', 2)], filter: { prefix: '' } }],
    'InvalidRequest',
    "'StorageClass' must be different for 'Transition' actions in same 'Rule' with filter '(prefix=)'",
  ],
  [
    [{ transitions: [transition('GLACIER', 1), transitionAt('DEEP_ARCHIVE', MIDNIGHT)] }],
    'InvalidRequest',
    "Found mixed 'Date' and 'Days' based Transition actions in lifecycle rule for filter '()'",
  ],
  [
    [{ expiration: { date: MIDNIGHT }, transitions: [transition('GLACIER', 1)], filter: V1 }],
    'InvalidRequest',
    "Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule for prefix 'a/'",
  ],
  [
    [{ expiration: { days: 9 }, transitions: [transition('GLACIER', 9)], filter: { prefix: 'a' } }],
    'InvalidArgument',
    "'Days' in the Expiration action for filter '(prefix=a)' must be greater than 'Days' in the Transition action",
  ],
  [
    [{ expiration: { date: MIDNIGHT }, transitions: [transitionAt('GLACIER', MIDNIGHT)] }],
    'InvalidArgument',
    "'Date' in the Expiration action for filter '()' must be later than 'Date' in the Transition action",
  ],
  [
    [{ transitions: [transition('DEEP_ARCHIVE', 30), transition('GLACIER', 30)] }],
    'InvalidArgument',
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
    'InvalidArgument',
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
    'InvalidArgument',
    "'NoncurrentDays' in the NoncurrentVersionExpiration action for filter '(tag=k:v and ObjectSizeGreaterThan=1 and ObjectSizeLessThan=9)' must be greater than 'NoncurrentDays' in the NoncurrentVersionTransition action",
  ],
];

describe('s3 rules: lifecycle configurations', () => {
  for (const [what, parts] of ACCEPTED) {
    it(`may have ${what}`, () => {
      validateLifecycle(rules(...parts), CLASSES);
    });
  }

  for (const [parts, code, message] of REFUSED) {
    it(`${code}: ${message || JSON.stringify(parts)}`, () => {
      const error = s3ErrorOf(() => {
        validateLifecycle(rules(...parts), CLASSES);
      });
      expect(error).to.deep.include({ code, message });
    });
  }

  it('are checked in disabled rules, too', () => {
    const given = rules({ enabled: false, expiration: { days: 0 } });
    const error = s3ErrorOf(() => {
      validateLifecycle(given, CLASSES);
    });
    expect(error).to.deep.include({
      code: 'InvalidArgument',
      details: { ArgumentName: 'Days', ArgumentValue: '0' },
    });
  });
});
