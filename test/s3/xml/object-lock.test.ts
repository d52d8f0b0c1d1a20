import { expect } from 'chai';
import type { Metadata } from '../../../src/backend/backend.js';
import {
  configurationPatch,
  objectLockPatch,
  storedObjectLock,
} from '../../../src/s3/bucket/configuration.js';
import type { ObjectLockConfiguration } from '../../../src/s3/rules/object-lock/configuration.js';
import { parseLegalHold, renderLegalHold } from '../../../src/s3/xml/legal-hold.js';
import {
  parseObjectLockConfiguration,
  renderObjectLockConfiguration,
} from '../../../src/s3/xml/object-lock-configuration.js';
import { parseRetention, renderRetention } from '../../../src/s3/xml/retention.js';
import { expectInvalidArgument, expectS3Error } from '../support.js';
import { DECLARATION, XMLNS } from './support.js';

const NOW = Date.UTC(2026, 0, 1);
const ENABLED = '<ObjectLockEnabled>Enabled</ObjectLockEnabled>';

function wrapped(root: string, inner: string): string {
  return `${DECLARATION}<${root} ${XMLNS}>${inner}</${root}>`;
}

function rule(inner: string): string {
  return `${ENABLED}<Rule><DefaultRetention>${inner}</DefaultRetention></Rule>`;
}

const CONFIGURATIONS: readonly (readonly [inner: string, value: ObjectLockConfiguration])[] = [
  [ENABLED, {}],
  [
    rule('<Mode>GOVERNANCE</Mode><Days>1</Days>'),
    { defaultRetention: { mode: 'GOVERNANCE', period: { days: 1 } } },
  ],
  [
    rule('<Mode>COMPLIANCE</Mode><Years>100</Years>'),
    { defaultRetention: { mode: 'COMPLIANCE', period: { years: 100 } } },
  ],
  [
    rule('<Mode>COMPLIANCE</Mode><Days>36500</Days>'),
    { defaultRetention: { mode: 'COMPLIANCE', period: { days: 36_500 } } },
  ],
];

const MALFORMED_CONFIGURATIONS: readonly string[] = [
  '',
  '<ObjectLockEnabled/>',
  '<ObjectLockEnabled>Disabled</ObjectLockEnabled>',
  '<ObjectLockEnabled>enabled</ObjectLockEnabled>',
  `${ENABLED}${ENABLED}`,
  `${ENABLED}<Other/>`,
  `${ENABLED}<Rule/>`,
  `${ENABLED}<Rule><DefaultRetention/></Rule>`,
  `${ENABLED}<Rule><Other/></Rule>`,
  `${rule('<Mode>GOVERNANCE</Mode><Days>1</Days>')}<Rule/>`,
  // Without ObjectLockEnabled.
  rule('<Mode>GOVERNANCE</Mode><Days>1</Days>').slice(ENABLED.length),
  rule('<Mode>GOVERNANCE</Mode>'),
  rule('<Days>1</Days>'),
  rule('<Mode>governance</Mode><Days>1</Days>'),
  rule('<Mode>OTHER</Mode><Days>1</Days>'),
  rule('<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>'),
  rule('<Mode>GOVERNANCE</Mode><Days>1</Days><Days>1</Days>'),
  rule('<Mode>GOVERNANCE</Mode><Days>x</Days>'),
  rule('<Mode>GOVERNANCE</Mode><Days>1.5</Days>'),
  rule('<Mode>GOVERNANCE</Mode><Days></Days>'),
  // Not in AWS's documents of 2006; what it means would be lost.
  rule('<Mode>GOVERNANCE</Mode><Days>1</Days><DefaultEventHold/>'),
];

const NOT_POSITIVE = 'Default retention period must be a positive integer value.';
const TOO_LARGE = 'Default retention period too large.';

const PERIODS: readonly (readonly [name: string, value: string, message: string])[] = [
  ['Days', '0', NOT_POSITIVE],
  ['Days', '-1', NOT_POSITIVE],
  ['Years', '0', NOT_POSITIVE],
  ['Years', '-1', NOT_POSITIVE],
  ['Days', '36501', TOO_LARGE],
  ['Days', '999999999', TOO_LARGE],
  ['Years', '101', TOO_LARGE],
];

describe('s3 xml: ObjectLockConfiguration', () => {
  const parse = (inner: string) =>
    parseObjectLockConfiguration(Buffer.from(wrapped('ObjectLockConfiguration', inner)));

  for (const [inner, value] of CONFIGURATIONS) {
    it(`is read and rendered: ${inner}`, () => {
      expect(parse(inner)).to.deep.equal(value);
      expect(renderObjectLockConfiguration(value)).to.equal(
        wrapped('ObjectLockConfiguration', inner),
      );
    });

    it(`comes back as stored: ${inner}`, () => {
      expect(storedObjectLock(objectLockPatch(value) as Metadata)).to.deep.equal(value);
    });
  }

  it('has elements in any order, and white space around values', () => {
    const inner =
      '<Rule>\n<DefaultRetention><Days> 3 </Days><Mode> GOVERNANCE </Mode></DefaultRetention>' +
      '</Rule>\n<ObjectLockEnabled> Enabled </ObjectLockEnabled>';
    expect(parse(inner).defaultRetention).to.deep.equal({
      mode: 'GOVERNANCE',
      period: { days: 3 },
    });
  });

  for (const inner of MALFORMED_CONFIGURATIONS) {
    it(`is malformed: ${inner || 'empty'}`, () => {
      expectS3Error(() => parse(inner), 'MalformedXML');
    });
  }

  for (const [name, value, message] of PERIODS) {
    it(`is refused with ${name} ${value}`, () => {
      const inner = rule(`<Mode>GOVERNANCE</Mode><${name}>${value}</${name}>`);
      const error = expectInvalidArgument(() => parse(inner), name, value);
      expect(error.message).to.equal(message);
    });
  }

  it('is absent of a bucket without locks', () => {
    expect(storedObjectLock({})).to.equal(undefined);
  });

  it('fails closed when what is stored cannot be read', () => {
    const stored = configurationPatch('object-lock', '<Other/>') as Metadata;
    const error = expectS3Error(() => storedObjectLock(stored), 'InternalError');
    expect(error.cause).to.include({ code: 'MalformedXML' });
  });
});

describe('s3 xml: Retention', () => {
  const parse = (inner: string) => parseRetention(Buffer.from(wrapped('Retention', inner)), NOW);
  const until = (date: string) =>
    `<Mode>GOVERNANCE</Mode><RetainUntilDate>${date}</RetainUntilDate>`;

  it('is read and rendered', () => {
    const inner = until('2030-01-01T00:00:00.000Z');
    const retention = { mode: 'GOVERNANCE', retainUntil: Date.UTC(2030, 0, 1) } as const;
    expect(parse(inner)).to.deep.equal(retention);
    expect(renderRetention(retention)).to.equal(wrapped('Retention', inner));
  });

  it('is rounded up to a second, so that what is shown can be sent back', () => {
    const parsed = parse(until('2030-01-01T00:00:00.123456Z'));
    expect(parsed?.retainUntil).to.equal(Date.UTC(2030, 0, 1, 0, 0, 1));
  });

  for (const inner of ['', '\n', '<Mode/><RetainUntilDate/>', '<Mode></Mode>']) {
    it(`asks for removal: ${JSON.stringify(inner)}`, () => {
      expect(parse(inner)).to.equal(undefined);
    });
  }

  for (const inner of [
    '<Mode>GOVERNANCE</Mode>',
    '<RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate>',
    '<Mode>governance</Mode><RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate>',
    '<Mode>LEGAL</Mode><RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate>',
    until('2030-01-01'),
    until('2030-01-01T00:00:00'),
    until('tomorrow'),
    `${until('2030-01-01T00:00:00Z')}<Mode>GOVERNANCE</Mode>`,
    `${until('2030-01-01T00:00:00Z')}<EventHold>ON</EventHold>`,
  ]) {
    it(`is malformed: ${inner}`, () => {
      expectS3Error(() => parse(inner), 'MalformedXML');
    });
  }

  for (const [date, message] of [
    ['2026-01-01T00:00:00Z', 'The retain until date must be in the future!'],
    ['2020-01-01T00:00:00Z', 'The retain until date must be in the future!'],
    ['2126-01-01T00:00:01Z', 'The retain until date must be at most 100 years in the future'],
  ] as const) {
    it(`is refused until ${date}`, () => {
      const error = expectInvalidArgument(() => parse(until(date)), 'RetainUntilDate', date);
      expect(error.message).to.equal(message);
    });
  }
});

describe('s3 xml: LegalHold', () => {
  const parse = (inner: string) => parseLegalHold(Buffer.from(wrapped('LegalHold', inner)));

  for (const status of ['ON', 'OFF'] as const) {
    it(`is read and rendered: ${status}`, () => {
      const inner = `<Status>${status}</Status>`;
      expect(parse(inner)).to.equal(status);
      expect(renderLegalHold(status)).to.equal(wrapped('LegalHold', inner));
    });
  }

  for (const inner of [
    '',
    '<Status/>',
    '<Status>on</Status>',
    '<Status>TRUE</Status>',
    '<Status>ON</Status><Status>ON</Status>',
    '<Status>ON</Status><Other/>',
  ]) {
    it(`is malformed: ${inner || 'empty'}`, () => {
      expectS3Error(() => parse(inner), 'MalformedXML');
    });
  }
});
