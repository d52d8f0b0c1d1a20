import { expect } from 'chai';
import { S3Error } from '../../../src/s3/errors.js';
import {
  parseCommit,
  parseIndex,
  renderCommit,
  renderIndex,
} from '../../../src/s3/versions/documents.js';
import type { Commit, VersionEntry, VersionIndex } from '../../../src/s3/versions/version-entry.js';

const NAMES = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
  string,
];
const VERSION: VersionEntry = {
  id: NAMES[0],
  name: NAMES[0],
  kind: 'version',
  lastModified: 1_700_000_000_123,
  size: 5,
  etag: '5d41402abc4b2a76b9719d911017c592-2',
  storageClass: 'GLACIER',
  checksumAlgorithm: 'CRC32',
  owner: 'main:anna',
  uploadId: 'upload',
  locks: { retention: 'GOVERNANCE;2100', hold: null },
  touched: NAMES[3],
};
const NULL: VersionEntry = {
  id: 'null',
  name: NAMES[1],
  kind: 'version',
  lastModified: 1,
  size: 0,
  etag: 'x',
  adopted: { etag: 'x', lastModified: 1 },
};
const MARKER: VersionEntry = {
  id: NAMES[2],
  name: NAMES[2],
  kind: 'delete-marker',
  lastModified: 2,
  size: 0,
  etag: '',
};
const INDEX: VersionIndex = {
  generation: 7,
  commit: NAMES[3],
  recent: [NAMES[2]],
  removed: [NAMES[1].replace('b', 'e')],
  entries: [MARKER, VERSION, NULL],
};
const COMMIT: Commit = {
  generation: 8,
  id: NAMES[0],
  parent: NAMES[3],
  change: {
    add: [MARKER],
    place: [NULL],
    remove: [{ name: NAMES[1] }, { name: NAMES[0], touched: NAMES[3] }],
    touch: [{ name: NAMES[2], locks: { hold: 'ON' } }],
    move: [{ name: NAMES[2], storageClass: 'GLACIER' }],
  },
};

describe('s3/versions/documents', () => {
  it('reads an index back as it was written', () => {
    expect(plain(parseIndex(renderIndex(INDEX)))).to.deep.equal(plain(INDEX));
  });

  it('writes an index in one way only', () => {
    const again = renderIndex(parseIndex(renderIndex(INDEX)));
    expect(again.toString()).to.equal(renderIndex(INDEX).toString());
    const index = { ...INDEX, recent: [], removed: [], entries: [MARKER, NULL] };
    expect(renderIndex(index).toString()).to.equal(
      '{"format":1,"generation":7,"commit":"dddddddddddddddddddddddddddddddd","recent":[],"removed":[],' +
        '"entries":[{"name":"cccccccccccccccccccccccccccccccc","kind":"delete-marker","lastModified":2},' +
        '{"name":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","id":"null","size":0,"etag":"x","lastModified":1,' +
        '"adopted":{"etag":"x","lastModified":1}}]}',
    );
  });

  it('reads a commit back', () => {
    expect(plain(parseCommit(renderCommit(COMMIT)))).to.deep.equal(plain(COMMIT));
  });

  const good = JSON.parse(renderIndex(INDEX).toString()) as Record<string, unknown>;
  const entry = { name: NAMES[0], size: 1, etag: 'x', lastModified: 1 };
  const damaged: Readonly<Record<string, unknown>> = {
    nothing: undefined,
    'no object': [],
    'an unknown format': { ...good, format: 2 },
    'an unknown field': { ...good, more: 1 },
    'no generation': { ...good, generation: undefined },
    'generation 0': { ...good, generation: 0 },
    'a commit that is none': { ...good, commit: 'x' },
    'an entry without an ETag': { ...good, entries: [{ ...entry, etag: undefined }] },
    'an entry with an unknown field': { ...good, entries: [{ ...entry, more: 1 }] },
    'a negative size': { ...good, entries: [{ ...entry, size: -1 }] },
    'a delete marker of some size': { ...good, entries: [{ ...entry, kind: 'delete-marker' }] },
    'a lock that is no text': { ...good, entries: [{ ...entry, locks: { hold: 1 } }] },
    'a size beyond what numbers tell apart': { ...good, entries: [{ ...entry, size: 2 ** 53 }] },
    'a name that is none': { ...good, entries: [{ ...entry, name: 'null' }] },
    'an id that is not its name': { ...good, entries: [{ ...entry, id: NAMES[1] }] },
    'a version twice': { ...good, entries: [entry, entry] },
    'two versions null': {
      ...good,
      entries: [
        { ...entry, id: 'null' },
        { ...entry, id: 'null', name: NAMES[1] },
      ],
    },
  };
  for (const [what, document] of Object.entries(damaged)) {
    it(`does not read an index with ${what}`, () => {
      const bytes = Buffer.from(document === undefined ? '{"format":1' : JSON.stringify(document));
      expect(() => parseIndex(bytes))
        .to.throw(S3Error)
        .with.property('code', 'InternalError');
    });
  }

  it('does not read a commit with anything else', () => {
    const document = JSON.parse(renderCommit(COMMIT).toString()) as object;
    const bytes = Buffer.from(JSON.stringify({ ...document, change: { remove: ['x'] } }));
    expect(() => parseCommit(bytes)).to.throw(S3Error);
  });
});

/** Without what is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
