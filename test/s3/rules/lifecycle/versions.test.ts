import { expect } from 'chai';
import { dueOfVersions, type KeyVersion } from '../../../../src/s3/rules/lifecycle/versions.js';
import { CLASSES, DAY, inDays, january, rules, type Parts } from './support.js';

interface Named extends KeyVersion {
  readonly name: string;
}

function version(name: string, day: number, more: Partial<KeyVersion> = {}): Named {
  return { name, kind: 'version', size: 10, lastModified: january(day) + DAY / 2, ...more };
}

function marker(name: string, day: number): Named {
  return version(name, day, { kind: 'delete-marker', size: 0 });
}

/** The actions that are due on a day of January: `expire_noncurrent b by 0`. */
function due(versions: readonly Named[], day: number, ...parts: readonly Parts[]): string[] {
  const found = dueOfVersions(rules(...parts), { key: 'k', versions }, january(day), CLASSES);
  return found.map(({ version: { name }, due: { action, ruleId, ...more } }) => {
    const to = 'storageClass' in more ? ` to ${more.storageClass}` : '';
    return `${action} ${name}${to} by ${ruleId}`;
  });
}

const NONCURRENT = { noncurrentVersionExpiration: { noncurrentDays: 2 } };

describe('lifecycle: versions of a key', () => {
  it('are noncurrent since their successor was written', () => {
    const versions = [version('c', 10), version('b', 5), version('a', 1)];
    expect(due(versions, 7, NONCURRENT)).to.deep.equal([]);
    // The 5th and two days, rounded up to midnight.
    expect(due(versions, 8, NONCURRENT)).to.deep.equal(['expire_noncurrent a by 0']);
    expect(due(versions, 13, NONCURRENT)).to.deep.equal([
      'expire_noncurrent b by 0',
      'expire_noncurrent a by 0',
    ]);
  });

  it('stay while there are not enough newer ones that are noncurrent', () => {
    const noncurrentVersionExpiration = { noncurrentDays: 2, newerNoncurrentVersions: 1 };
    const versions = [version('d', 10), marker('c', 9), version('b', 5), version('a', 1)];
    expect(due(versions, 20, { noncurrentVersionExpiration })).to.deep.equal([
      'expire_noncurrent a by 0',
    ]);
  });

  it('get a delete marker when the current one expires', () => {
    const versions = [version('b', 5), version('a', 1)];
    const expiration = inDays(2);
    expect(due(versions, 7, { expiration })).to.deep.equal([]);
    expect(due(versions, 8, { expiration })).to.deep.equal(['expire_current b by 0']);
    expect(due([marker('c', 6), ...versions], 30, { expiration })).to.deep.equal([]);
  });

  it('are none behind a delete marker that goes', () => {
    const expired = { expiration: { expiredObjectDeleteMarker: true } };
    expect(due([marker('a', 1)], 1, expired), 'noon').to.deep.equal([]);
    expect(due([marker('a', 1)], 2, expired)).to.deep.equal(['expire_marker a by 0']);
    expect(due([marker('a', 1)], 4, { expiration: inDays(2) })).to.deep.equal([
      'expire_marker a by 0',
    ]);
    expect(due([marker('b', 2), version('a', 1)], 9, expired)).to.deep.equal([]);
    const kept = { expiration: { expiredObjectDeleteMarker: false } };
    expect(due([marker('a', 1)], 9, kept)).to.deep.equal([]);
  });

  it('move to the class that is due, current and noncurrent ones by their own rules', () => {
    const versions = [version('b', 5), version('a', 1)];
    const transitions = [{ when: inDays(1), storageClass: 'STANDARD_IA' }];
    const noncurrentVersionTransitions = [{ noncurrentDays: 1, storageClass: 'GLACIER' }];
    expect(due(versions, 9, { transitions, noncurrentVersionTransitions })).to.deep.equal([
      'transition b to STANDARD_IA by 0',
      'transition a to GLACIER by 0',
    ]);
    const markers = [marker('c', 6), marker('b', 5), version('a', 1, { storageClass: 'GLACIER' })];
    expect(due(markers, 9, { transitions, noncurrentVersionTransitions })).to.deep.equal([]);
  });

  it('are told apart by their tags', () => {
    const versions = [version('c', 5), version('b', 4), version('a', 1)];
    const tags = [{ key: 'k', value: 'v' }];
    const found = dueOfVersions(
      rules({ ...NONCURRENT, filter: { tags } }),
      {
        key: 'k',
        versions,
        detailsOf: ({ name }) => ({ tags: new Map(name === 'a' ? [['k', 'v']] : []) }),
      },
      january(20),
      CLASSES,
    );
    expect(found.map(({ version: { name } }) => name)).to.deep.equal(['a']);
  });
});
