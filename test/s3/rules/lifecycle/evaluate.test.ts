import { expect } from 'chai';
import fc from 'fast-check';
import { dueAction, expirationOf } from '../../../../src/s3/rules/lifecycle/evaluate.js';
import { tagsMatter } from '../../../../src/s3/rules/lifecycle/filter.js';
import { expirationHeaders } from '../../../../src/s3/rules/lifecycle/headers.js';
import { daysAfter } from '../../../../src/s3/rules/lifecycle/schedule.js';
import {
  CLASSES,
  CREATED,
  DAY,
  inDays,
  january,
  OBJECT,
  rules,
  shown,
  type Parts,
} from './support.js';

describe('s3 rules: lifecycle time', () => {
  const TIMES: readonly (readonly [start: number, days: number, due: number])[] = [
    // "… and you specify 3 days in the transition rule, then … 1/19/2014 00:00 UTC".
    [CREATED, 3, january(19)],
    [CREATED, 0, january(16)],
    [january(15), 1, january(17)],
    [january(16) - 1, 1, january(17)],
    [Date.UTC(2024, 1, 28, 12), 1, Date.UTC(2024, 2, 1)],
  ];

  for (const [start, days, due] of TIMES) {
    it(`${new Date(start).toISOString()} and ${days} days`, () => {
      expect(daysAfter(start, days)).to.equal(due);
    });
  }

  it('is a midnight, never early, and at most a day late', () => {
    const start = fc.integer({ min: 0, max: 4_102_444_800_000 });
    fc.assert(
      fc.property(start, fc.integer({ min: 0, max: 36_500 }), (from, days) => {
        const due = daysAfter(from, days);
        expect(due % DAY).to.equal(0);
        expect(due - from - days * DAY).to.be.within(1, DAY);
      }),
    );
  });
});

describe('s3 rules: lifecycle filters', () => {
  const FILTERS: readonly (readonly [filter: Parts['filter'], meets: boolean])[] = [
    [{}, true],
    [{ prefix: '' }, true],
    [{ prefix: 'logs/' }, true],
    [{ prefix: 'logs/a.txt' }, true],
    [{ prefix: 'logs/a.txt2' }, false],
    [{ prefix: 'Logs/' }, false],
    [{ form: 'prefix', prefix: 'logs' }, true],
    [{ form: 'prefix', prefix: 'x' }, false],
    [{ tags: [{ key: 'k', value: 'v' }] }, true],
    [{ tags: [{ key: 'k', value: 'V' }] }, false],
    [{ tags: [{ key: 'K', value: 'v' }] }, false],
    [{ tags: [{ key: 'l', value: '' }] }, true],
    [{ tags: [{ key: 'm', value: '' }] }, false],
    [
      {
        tags: [
          { key: 'k', value: 'v' },
          { key: 'l', value: 'x' },
        ],
      },
      false,
    ],
    [{ sizeGreaterThan: 99 }, true],
    [{ sizeGreaterThan: 100 }, false],
    [{ sizeLessThan: 101 }, true],
    [{ sizeLessThan: 100 }, false],
    [{ prefix: 'logs/', tags: [{ key: 'k', value: 'v' }], sizeLessThan: 101, and: true }, true],
    [{ prefix: 'logs/', tags: [{ key: 'k', value: 'v' }], sizeLessThan: 99, and: true }, false],
  ];

  for (const [filter, meets] of FILTERS) {
    it(`${JSON.stringify(filter)} ${meets ? 'takes' : 'leaves'} the object`, () => {
      const given = rules({ filter: filter ?? {}, expiration: inDays(1) });
      expect(expirationOf(given, OBJECT) !== undefined).to.equal(meets);
    });
  }

  it('tell whether tags have to be known', () => {
    const tags = [{ key: 'k', value: 'v' }];
    const matter = (deps: Parts) =>
      tagsMatter(rules({ expiration: inDays(1), ...deps }), { key: 'logs/a', size: 1 });
    expect(matter({})).to.be.false;
    expect(matter({ filter: { tags } })).to.be.true;
    expect(matter({ filter: { tags, prefix: 'logs/' } })).to.be.true;
    expect(matter({ filter: { tags, prefix: 'x' } })).to.be.false;
    expect(matter({ filter: { tags, sizeGreaterThan: 1 } })).to.be.false;
    expect(matter({ filter: { tags }, enabled: false })).to.be.false;
  });
});

describe('s3 rules: lifecycle expiration', () => {
  const TABLE: readonly (readonly [what: string, parts: readonly Parts[], due: string])[] = [
    ['no rule', [], 'never'],
    ['a rule without expiration', [{ abortDaysAfterInitiation: 1 }], 'never'],
    ['a disabled rule', [{ enabled: false, expiration: inDays(1) }], 'never'],
    ['a delete marker', [{ expiration: { expiredObjectDeleteMarker: true } }], 'never'],
    ['days', [{ expiration: inDays(3) }], `0 ${january(19)}`],
    ['a date', [{ expiration: { date: january(30) } }], `0 ${january(30)}`],
    ['a date before the object', [{ expiration: { date: january(1) } }], `0 ${january(1)}`],
    [
      'the earliest of several rules',
      [{ expiration: inDays(9) }, { expiration: inDays(3) }, { expiration: { date: january(20) } }],
      `1 ${january(19)}`,
    ],
    [
      'the first of rules with the same time',
      [{ expiration: inDays(3) }, { expiration: { date: january(19) } }, { expiration: inDays(3) }],
      `0 ${january(19)}`,
    ],
  ];

  for (const [what, parts, due] of TABLE) {
    it(`by ${what}`, () => {
      const expiration = expirationOf(rules(...parts), OBJECT);
      const shown = expiration === undefined ? 'never' : `${expiration.ruleId} ${expiration.at}`;
      expect(shown).to.equal(due);
    });
  }

  it('is announced in a header', () => {
    const given = rules({ id: 'Delete after 3 days', expiration: inDays(3) });
    expect(expirationHeaders(expirationOf(given, OBJECT))).to.deep.equal([
      [
        'x-amz-expiration',
        'expiry-date="Sun, 19 Jan 2014 00:00:00 GMT", rule-id="Delete after 3 days"',
      ],
    ]);
    expect(expirationHeaders(undefined)).to.deep.equal([]);
  });

  it('is announced in ASCII whatever the id', () => {
    const [[, value] = ['', '']] = expirationHeaders({ ruleId: 'a"ä\n+%/', at: january(1) });
    expect(value).to.match(/rule-id="a%22%C3%A4%0A\+%\/"$/);
  });
});

function transitions(...pairs: readonly (readonly [storageClass: string, days: number])[]): Parts {
  return {
    transitions: pairs.map(([storageClass, days]) => ({ when: { days }, storageClass })),
  };
}

describe('s3 rules: lifecycle actions that are due', () => {
  /** Default: at the end of the month, in STANDARD. */
  interface When {
    readonly now?: number;
    readonly storageClass?: string;
  }
  const BEFORE: When = { now: january(19) - 1 };
  const AT: When = { now: january(19) };

  const TABLE: readonly (readonly [
    what: string,
    parts: readonly Parts[],
    action: string,
    when?: When,
  ])[] = [
    ['nothing to do', [], 'nothing'],
    ['before an expiration', [{ expiration: inDays(3) }], 'nothing', BEFORE],
    ['at an expiration', [{ expiration: inDays(3) }], 'expire by 0', AT],
    ['before a transition', [transitions(['GLACIER', 3])], 'nothing', BEFORE],
    ['at a transition', [transitions(['GLACIER', 3])], 'to GLACIER by 0', AT],
    ['a disabled rule', [{ ...transitions(['GLACIER', 0]), enabled: false }], 'nothing'],
    [
      'expiration and transition at once',
      [transitions(['GLACIER', 3]), { expiration: inDays(3) }],
      'expire by 1',
      AT,
    ],
    [
      'an expiration after a transition',
      [{ ...transitions(['GLACIER', 3]), expiration: inDays(5) }],
      'to GLACIER by 0',
      AT,
    ],
    [
      'the coldest of several',
      [transitions(['DEEP_ARCHIVE', 2], ['STANDARD_IA', 0]), transitions(['GLACIER', 3])],
      'to DEEP_ARCHIVE by 0',
    ],
    [
      'the coldest that is due',
      [transitions(['DEEP_ARCHIVE', 30], ['STANDARD_IA', 0]), transitions(['GLACIER', 3])],
      'to GLACIER by 1',
    ],
    [
      'one class by two rules',
      [transitions(['GLACIER', 3]), transitions(['GLACIER', 1])],
      'to GLACIER by 1',
    ],
    ['a class it has', [transitions(['GLACIER', 1])], 'nothing', { storageClass: 'GLACIER' }],
    [
      'a class warmer than its own',
      [transitions(['GLACIER', 1])],
      'nothing',
      { storageClass: 'DEEP_ARCHIVE' },
    ],
    [
      'a class colder than its own',
      [transitions(['DEEP_ARCHIVE', 1])],
      'to DEEP_ARCHIVE by 0',
      { storageClass: 'GLACIER' },
    ],
    ['a class not configured any more', [transitions(['GONE', 1])], 'nothing'],
    [
      'a class next to its own, which is gone',
      [transitions(['GLACIER', 1])],
      'to GLACIER by 0',
      { storageClass: 'GONE' },
    ],
    ['both classes gone', [transitions(['GONE', 1])], 'nothing', { storageClass: 'OTHER' }],
  ];

  for (const [what, parts, action, when = {}] of TABLE) {
    const { now = january(31), storageClass = 'STANDARD' } = when;
    it(`${what}: ${action}`, () => {
      const object = { ...OBJECT, storageClass };
      expect(shown(dueAction(rules(...parts), object, now, CLASSES))).to.equal(action);
    });
  }

  it('expires exactly from the announced time on', () => {
    const given = rules({ expiration: inDays(3) }, { expiration: { date: january(18) } });
    const at = expirationOf(given, OBJECT)?.at ?? 0;
    expect(shown(dueAction(given, OBJECT, at - 1, CLASSES))).to.equal('nothing');
    expect(shown(dueAction(given, OBJECT, at, CLASSES))).to.equal('expire by 1');
  });
});
