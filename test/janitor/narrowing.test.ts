import { expect } from 'chai';
import fc from 'fast-check';
import { objectPrefixes, withoutTags } from '../../src/janitor/rule-reach.js';
import { dueAction } from '../../src/s3/rules/lifecycle/evaluate.js';
import { CLASSES, CREATED, DAY, inDays, OBJECT, rules } from '../s3/rules/lifecycle/support.js';

const NOW = CREATED + 10 * DAY;
const EXPIRES = { expiration: inDays(1) };

/** Few letters, so that prefixes meet keys and one another. */
const TEXT = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '😀'), maxLength: 4 });
const TAGS = fc.subarray([
  { key: 'k', value: 'v' },
  { key: 'k', value: 'w' },
]);

const CONFIGURATION = fc
  .array(
    fc.record({
      enabled: fc.boolean(),
      expiration: fc.option(fc.record({ days: fc.integer({ min: 1, max: 20 }) }), {
        nil: undefined,
      }),
      transitions: fc.subarray([{ when: inDays(3), storageClass: 'GLACIER' }]),
      filter: fc.record({ prefix: fc.option(TEXT, { nil: undefined }), tags: TAGS }),
    }),
    { maxLength: 5 },
  )
  .map((parts) => rules(...parts));

describe('janitor: narrowing', () => {
  it('never passes over an object that rules want', () => {
    fc.assert(
      fc.property(
        CONFIGURATION,
        TEXT,
        fc.constantFrom('v', 'w', 'x'),
        (configuration, key, tag) => {
          const object = { ...OBJECT, key, tags: new Map([['k', tag]]) };
          if (dueAction(configuration, object, NOW, CLASSES) === undefined) return;
          const listed = objectPrefixes(configuration).filter((prefix) => key.startsWith(prefix));
          expect(listed, 'listed once').to.have.length(1);
          const untagged = { ...object, tags: new Map<string, string>() };
          expect(dueAction(withoutTags(configuration), untagged, NOW, CLASSES)).not.to.equal(
            undefined,
          );
        },
      ),
    );
  });

  it('lists in byte order, which a marker needs', () => {
    const configuration = rules(
      ...['\u{1F600}', '\uFFFD', 'b', 'a/', 'a/b'].map((prefix) => {
        return { ...EXPIRES, filter: { prefix } };
      }),
    );
    expect(objectPrefixes(configuration)).to.deep.equal(['a/', 'b', '\uFFFD', '\u{1F600}']);
  });

  it('lists nothing where rules are not about objects', () => {
    const configuration = rules(
      { ...EXPIRES, enabled: false },
      { abortDaysAfterInitiation: 1 },
      { expiration: { expiredObjectDeleteMarker: true } },
      { noncurrentVersionExpiration: { noncurrentDays: 1 } },
    );
    expect(objectPrefixes(configuration)).to.deep.equal([]);
    expect(objectPrefixes(rules(EXPIRES, { ...EXPIRES, filter: { prefix: 'a' } }))).to.deep.equal([
      '',
    ]);
  });
});
