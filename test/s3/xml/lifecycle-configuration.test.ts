import { expect } from 'chai';
import {
  parseLifecycleConfiguration,
  renderLifecycleConfiguration,
} from '../../../src/s3/xml/lifecycle-configuration.js';
import type { LifecycleConfiguration } from '../../../src/s3/rules/lifecycle/configuration.js';
import { expectS3Error } from '../support.js';
import { XMLNS } from './support.js';

const NO_ACTIONS = {
  expiration: undefined,
  transitions: [],
  noncurrentVersionExpiration: undefined,
  noncurrentVersionTransitions: [],
  abortDaysAfterInitiation: undefined,
};

const NO_PREDICATES = {
  prefix: undefined,
  tags: [],
  sizeGreaterThan: undefined,
  sizeLessThan: undefined,
};

const ALL_IN_ONE: LifecycleConfiguration = {
  rules: [
    {
      id: 'logs & more',
      enabled: true,
      filter: {
        form: 'filter',
        prefix: 'logs/',
        tags: [
          { key: 'a', value: '1' },
          { key: 'b', value: '' },
        ],
        sizeGreaterThan: 0,
        sizeLessThan: 1_099_511_627_776_000,
        and: true,
      },
      expiration: { days: 90 },
      transitions: [
        { when: { days: 30 }, storageClass: 'STANDARD_IA' },
        { when: { days: 60 }, storageClass: 'GLACIER' },
      ],
      noncurrentVersionExpiration: { noncurrentDays: 9, newerNoncurrentVersions: 5 },
      noncurrentVersionTransitions: [
        { noncurrentDays: 3, newerNoncurrentVersions: undefined, storageClass: 'GLACIER' },
      ],
      abortDaysAfterInitiation: 7,
    },
  ],
};

const DOCUMENT =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  `<LifecycleConfiguration ${XMLNS}><Rule><ID>logs &amp; more</ID>` +
  '<Filter><And><Prefix>logs/</Prefix><Tag><Key>a</Key><Value>1</Value></Tag>' +
  '<Tag><Key>b</Key><Value></Value></Tag><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan>' +
  '<ObjectSizeLessThan>1099511627776000</ObjectSizeLessThan></And></Filter>' +
  '<Status>Enabled</Status><Expiration><Days>90</Days></Expiration>' +
  '<Transition><Days>30</Days><StorageClass>STANDARD_IA</StorageClass></Transition>' +
  '<Transition><Days>60</Days><StorageClass>GLACIER</StorageClass></Transition>' +
  '<NoncurrentVersionExpiration><NoncurrentDays>9</NoncurrentDays>' +
  '<NewerNoncurrentVersions>5</NewerNoncurrentVersions></NoncurrentVersionExpiration>' +
  '<NoncurrentVersionTransition><NoncurrentDays>3</NoncurrentDays>' +
  '<StorageClass>GLACIER</StorageClass></NoncurrentVersionTransition>' +
  '<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation>' +
  '</AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>';

/** Rules that read back as sent, and what they are. */
const RULES: readonly (readonly [xml: string, rule: object])[] = [
  [
    '<ID>v1</ID><Prefix>a/</Prefix><Status>Disabled</Status>' +
      '<Expiration><Date>2026-01-01T00:00:00.000Z</Date></Expiration>',
    {
      ...NO_ACTIONS,
      id: 'v1',
      enabled: false,
      filter: { form: 'prefix', prefix: 'a/', tags: [], and: false },
      expiration: { date: Date.UTC(2026, 0, 1) },
    },
  ],
  [
    '<ID>v2</ID><Filter></Filter><Status>Enabled</Status>' +
      '<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>',
    {
      ...NO_ACTIONS,
      id: 'v2',
      enabled: true,
      filter: { form: 'filter', ...NO_PREDICATES, and: false },
      expiration: { expiredObjectDeleteMarker: true },
    },
  ],
  [
    '<ID>tag</ID><Filter><Tag><Key>k</Key><Value>v</Value></Tag></Filter><Status>Enabled</Status>' +
      '<Transition><Date>2026-01-01T00:00:00.000Z</Date><StorageClass>COLD</StorageClass></Transition>',
    {
      ...NO_ACTIONS,
      id: 'tag',
      enabled: true,
      filter: {
        form: 'filter',
        ...NO_PREDICATES,
        tags: [{ key: 'k', value: 'v' }],
        and: false,
      },
      transitions: [{ when: { date: Date.UTC(2026, 0, 1) }, storageClass: 'COLD' }],
    },
  ],
];

function document(inner: string): Buffer {
  return Buffer.from(`<LifecycleConfiguration>${inner}</LifecycleConfiguration>`);
}

function rule(inner: string, filter = '<Filter/>', status = '<Status>Enabled</Status>'): string {
  return `<Rule>${filter}${status}${inner}</Rule>`;
}

const EXPIRE = '<Expiration><Days>1</Days></Expiration>';
const PREFIX = '<Prefix>a</Prefix>';
const TAG = '<Tag><Key>a</Key><Value>b</Value></Tag>';

const MALFORMED: readonly string[] = [
  '',
  '<Other/>',
  `${rule(EXPIRE)}<Other/>`,
  rule(`${EXPIRE}<Other/>`),
  rule(EXPIRE, ''),
  rule(EXPIRE, `${PREFIX}<Filter/>`),
  rule(EXPIRE, `${PREFIX}${PREFIX}`),
  rule(EXPIRE, '<Filter/><Filter/>'),
  rule(EXPIRE, `<Filter>${PREFIX}${TAG}</Filter>`),
  rule(EXPIRE, `<Filter>${TAG}${TAG}</Filter>`),
  rule(EXPIRE, `<Filter>${PREFIX}<And>${PREFIX}${TAG}</And></Filter>`),
  rule(EXPIRE, `<Filter><And/></Filter>`),
  rule(EXPIRE, `<Filter><And>${PREFIX}</And></Filter>`),
  rule(EXPIRE, `<Filter><And>${PREFIX}${PREFIX}</And></Filter>`),
  rule(EXPIRE, `<Filter><And>${PREFIX}<Other/></And></Filter>`),
  rule(EXPIRE, '<Filter><Tag/></Filter>'),
  rule(EXPIRE, '<Filter><Tag><Key>a</Key></Tag></Filter>'),
  rule(EXPIRE, '<Filter><ObjectSizeLessThan>1k</ObjectSizeLessThan></Filter>'),
  rule(EXPIRE, '<Filter><ObjectSizeLessThan>99999999999999999</ObjectSizeLessThan></Filter>'),
  rule(EXPIRE, '<Filter/>', ''),
  ...['enabled', 'disabled', 'invalid', ''].map((status) =>
    rule(EXPIRE, '<Filter/>', `<Status>${status}</Status>`),
  ),
  rule('<ID>a</ID><ID>b</ID>'),
  rule(`${EXPIRE}${EXPIRE}`),
  rule('<Expiration/>'),
  rule('<Expiration><Days>1</Days><Days>1</Days></Expiration>'),
  rule('<Expiration><Days>1</Days><Date>2026-01-01</Date></Expiration>'),
  rule(
    '<Expiration><Days>1</Days><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>',
  ),
  rule('<Expiration><ExpiredObjectDeleteMarker>yes</ExpiredObjectDeleteMarker></Expiration>'),
  ...['', 'x', '1.5', '1e3', '1 0'].map((days) =>
    rule(`<Expiration><Days>${days}</Days></Expiration>`),
  ),
  ...['20260101', 'Fri, 01 Jan 2016 00:00:00 GMT', '2026-02-30', ''].map((date) =>
    rule(`<Expiration><Date>${date}</Date></Expiration>`),
  ),
  rule('<Transition><Days>1</Days></Transition>'),
  rule('<Transition><StorageClass>COLD</StorageClass></Transition>'),
  rule(
    '<Transition><Days>1</Days><Date>2026-01-01</Date><StorageClass>COLD</StorageClass></Transition>',
  ),
  rule('<NoncurrentVersionExpiration/>'),
  rule(
    '<NoncurrentVersionExpiration><NewerNoncurrentVersions>1</NewerNoncurrentVersions></NoncurrentVersionExpiration>',
  ),
  rule(
    '<NoncurrentVersionTransition><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionTransition>',
  ),
  rule('<AbortIncompleteMultipartUpload/>'),
];

describe('s3 xml: LifecycleConfiguration', () => {
  it('is rendered as AWS does', () => {
    expect(renderLifecycleConfiguration(ALL_IN_ONE)).to.equal(DOCUMENT);
  });

  it('is read', () => {
    expect(parseLifecycleConfiguration(Buffer.from(DOCUMENT))).to.deep.equal(ALL_IN_ONE);
  });

  for (const [xml, expected] of RULES) {
    it(`reads back as sent: ${xml}`, () => {
      const configuration = parseLifecycleConfiguration(document(`<Rule>${xml}</Rule>`));
      expect(configuration).to.deep.equal({ rules: [expected] });
      expect(renderLifecycleConfiguration(configuration)).to.contain(`<Rule>${xml}</Rule>`);
    });
  }

  it('has elements in any order, and white space around values', () => {
    const body = document(
      '<Rule>\n<Expiration><Days> 3 </Days></Expiration><Status> Enabled </Status>' +
        '<Filter>\n<Prefix> a </Prefix>\n</Filter><ID> x </ID></Rule>',
    );
    const [read] = parseLifecycleConfiguration(body).rules;
    expect(read).to.deep.include({ id: 'x', enabled: true, expiration: { days: 3 } });
    // White space belongs to a prefix.
    expect(read?.filter.prefix).to.equal(' a ');
  });

  it('gives ids to rules without one', () => {
    let count = 0;
    const body = document(`${rule(EXPIRE)}${rule(`<ID></ID>${EXPIRE}`)}${rule(EXPIRE)}`);
    const ids = (newId?: () => string) =>
      parseLifecycleConfiguration(body, newId).rules.map(({ id }) => id);
    expect(ids(() => `id${count++}`)).to.deep.equal(['id0', 'id1', 'id2']);
    const random = ids();
    expect(new Set(random).size).to.equal(3);
    for (const id of random) expect(id).to.match(/^[\w+/]{48}$/);
  });

  it('has up to a thousand rules', () => {
    const body = (count: number) => document(rule(EXPIRE).repeat(count));
    expect(parseLifecycleConfiguration(body(1000)).rules).to.have.length(1000);
    expectS3Error(() => parseLifecycleConfiguration(body(1001)), 'MalformedXML');
  });

  for (const inner of MALFORMED) {
    it(`is malformed: ${inner || 'no rules'}`, () => {
      expectS3Error(() => parseLifecycleConfiguration(document(inner)), 'MalformedXML');
    });
  }
});
