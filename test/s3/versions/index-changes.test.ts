import { expect } from 'chai';
import { applyCommit, holdsCommit } from '../../../src/s3/versions/index-changes.js';
import {
  NO_INDEX,
  RECENT_COMMITS_MAX,
  REMOVED_NAMES_MAX,
  type Commit,
  type VersionChange,
  type VersionEntry,
  type VersionIndex,
} from '../../../src/s3/versions/version-entry.js';

/** The higher the number, the newer, and the smaller the name. */
function version(number: number, more: Partial<VersionEntry> = {}): VersionEntry {
  const name = nameOf(number);
  const lastModified = number * 1000;
  return { id: name, name, kind: 'version', lastModified, size: 1, etag: 'x', ...more };
}

function nameOf(number: number): string {
  return (1000 - number).toString(16).padStart(32, '0');
}

function commit(index: VersionIndex, change: VersionChange, id = `c${index.generation}`): Commit {
  return { generation: index.generation + 1, id, parent: index.commit, change };
}

function after(...changes: VersionChange[]): VersionIndex {
  return changes.reduce((index, change) => applyCommit(index, commit(index, change)), NO_INDEX);
}

function numbersIn({ entries }: VersionIndex): number[] {
  return entries.map(({ name }) => 1000 - Number.parseInt(name, 16));
}

describe('s3/versions/index-changes', () => {
  it('puts what is added before all others, the newest first', () => {
    const index = after({ add: [version(5)] }, { add: [version(3), version(2)] });
    expect(numbersIn(index)).to.deep.equal([3, 2, 5]);
    expect(index).to.include({ generation: 2, commit: 'c1' });
    expect(index.recent).to.deep.equal(['c0']);
  });

  it('places what was written past us by its time', () => {
    const before = { add: [version(5), version(3)] };
    expect(numbersIn(after(before, { place: [version(4)] }))).to.deep.equal([5, 4, 3]);
    expect(numbersIn(after(before, { place: [version(6)] }))).to.deep.equal([6, 5, 3]);
    expect(numbersIn(after(before, { place: [version(1)] }))).to.deep.equal([5, 3, 1]);
  });

  it('has one version null, the newest', () => {
    const id = 'null';
    const index = after({ add: [version(1, { id }), version(2)] }, { add: [version(3, { id })] });
    expect(numbersIn(index)).to.deep.equal([3, 2]);
    expect(index.removed).to.deep.equal([nameOf(1)]);
  });

  it('removes what was decided on, and not what was touched since', () => {
    const before: VersionChange[] = [
      { add: [version(2), version(1)] },
      { touch: [{ name: nameOf(1), locks: { hold: 'ON' } }] },
    ];
    const seen = { remove: [{ name: nameOf(1) }, { name: nameOf(2) }] };
    expect(numbersIn(after(...before, seen))).to.deep.equal([1]);
    const known = { remove: [{ name: nameOf(1), touched: 'c1' }] };
    expect(numbersIn(after(...before, known))).to.deep.equal([2]);
  });

  it('rules out what is not there yet', () => {
    const index = after({ add: [version(3)] }, { remove: [{ name: nameOf(9) }] });
    expect(numbersIn(index)).to.deep.equal([3]);
    expect(index.removed).to.deep.equal([nameOf(9)]);
  });

  it('tells which commits have led to it', () => {
    const index = after({ add: [version(1)] }, { add: [version(2)] });
    expect(['c0', 'c1', 'c2'].map((id) => holdsCommit(index, id))).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it('lets a copy of a plain object give way to what took its place', () => {
    const adopted = { etag: 'x', lastModified: 5000 };
    const copy = version(5, { id: 'null', adopted });
    const successor = version(4, { id: 'null', adopted });
    expect(numbersIn(after({ place: [copy] }, { place: [successor] }))).to.deep.equal([4]);
    expect(numbersIn(after({ place: [successor] }, { place: [copy] }))).to.deep.equal([4]);
  });

  it('lets nothing that is placed take the place of what was touched', () => {
    const id = 'null';
    const adopted = { etag: 'x', lastModified: 5000 };
    for (const former of [version(1, { id }), version(5, { id, adopted })]) {
      const locked = [{ add: [former] }, { touch: [{ name: former.name, locks: { hold: 'ON' } }] }];
      const place = [version(9, { id, adopted: former.adopted })];
      const index = after(...locked, { place });
      expect(index.entries.map(({ name }) => name)).to.deep.equal([former.name]);
    }
  });

  it('remembers a bounded number of commits and names', () => {
    const changes = Array.from({ length: 100 }, (_, number) => ({
      add: [version(number + 1)],
      remove: [{ name: nameOf(number) }],
    }));
    const { recent, removed } = after(...changes);
    expect(recent).to.have.lengthOf(RECENT_COMMITS_MAX);
    expect(removed).to.have.lengthOf(REMOVED_NAMES_MAX);
    expect(removed[0]).to.equal(nameOf(99));
  });
});
