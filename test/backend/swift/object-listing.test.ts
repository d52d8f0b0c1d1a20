import { expect } from 'chai';
import fc from 'fast-check';
import { ContainerHeads } from '../../../src/backend/swift/container-heads.js';
import { listObjects } from '../../../src/backend/swift/listings.js';
import type { SwiftRequest } from '../../../src/backend/swift/transport.js';
import { codeOf } from '../../support/failure.js';
import { byBytes, expectedPage, shown } from '../../contract/listing-oracle.js';
import { INFO, type ScriptedAnswer, ScriptedTransport } from './support/scripted-transport.js';

const REF = { account: 'AUTH_a', container: 'c' };
const CONTEXT = { requestId: 'test' };
const MD5 = '5d41402abc4b2a76b9719d911017c592';

/** Where UTF-16 order and UTF-8 order differ, and the characters that Swift fails at. */
const character = fc.constantFrom('a', 'b', '/', '0', 'é', '\ud7ff', '\ue000', '😀', '\u{10ffff}');
const text = (max: number): fc.Arbitrary<string> =>
  fc.array(character, { maxLength: max }).map((characters) => characters.join(''));

/** Lists as swift/container/backend.py does, with its failures. */
function swiftListing(names: readonly string[], { query = '' }: SwiftRequest): ScriptedAnswer {
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  const get = (name: string): string => parameters.get(name) ?? '';
  const [prefix, delimiter, marker] = [get('prefix'), get('delimiter'), get('marker')];
  const end = get('end_marker');
  if (/[\ud7ff\u{10ffff}]$/u.test(prefix)) return { status: 500 };
  const limit = Number(get('limit'));
  const entries: object[] = [];
  let rolledUp: string | undefined;
  for (const name of [...names].sort(byBytes)) {
    if (entries.length === limit) break;
    if (!name.startsWith(prefix) || byBytes(name, marker) <= 0) continue;
    if (end !== '' && byBytes(name, end) >= 0) continue;
    const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    if (at === -1) {
      entries.push({ name, hash: MD5, bytes: 1, content_type: 'a/b', last_modified: TIME });
      continue;
    }
    if (/[\ud7ff\u{10ffff}]$/u.test(delimiter)) return { status: 500 };
    const subdir = name.slice(0, at + delimiter.length);
    if (subdir !== rolledUp && subdir !== marker) entries.push({ subdir });
    rolledUp = subdir;
  }
  return { status: 200, body: JSON.stringify(entries) };
}

const TIME = '2026-11-20T07:34:10.291760';

function list(names: readonly string[], query: object, listingLimit = INFO.listingLimit) {
  const transport = new ScriptedTransport((request) => swiftListing(names, request));
  const heads = new ContainerHeads(transport, 0);
  const limits = { ...INFO, listingLimit };
  const parts = { transport, limits, heads, storagePolicy: undefined };
  return listObjects(parts, CONTEXT, REF, { limit: 10, ...query });
}

describe('swift: listing objects', () => {
  it('is what an oracle says, for any names, queries and limits of the cluster', async () => {
    const queries = fc.record({
      prefix: text(2),
      delimiter: text(2),
      marker: text(4),
      limit: fc.integer({ min: 1, max: 8 }),
    });
    const names = fc.uniqueArray(
      text(5).filter((name) => name !== ''),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(names, queries, fc.integer({ min: 1, max: 12 }), async (all, query, max) => {
        const page = await list(all, query, max);
        const got = { shown: shown(page.entries), truncated: page.truncated };
        expect(got).to.deep.equal(expectedPage(all, query));
      }),
      { numRuns: 2000 },
    );
  });

  it('has what middlewares of Swift made of entries', async () => {
    const base = { bytes: 10, content_type: 'a/b', last_modified: TIME };
    const entries = [
      { ...base, name: 'attributes', hash: `${MD5}; rw_class=COLD; rw_x=a%3Bb` },
      { ...base, name: 'hard link', hash: MD5, symlink_etag: 'e', symlink_bytes: 77 },
      { ...base, name: 's3api apart', hash: MD5, s3_etag: '"abc-2"', slo_etag: '"def"' },
      { ...base, name: 's3api within', hash: `${MD5}; s3_etag=abc-2`, slo_etag: '"def"' },
      { ...base, name: 'slo', hash: MD5, slo_etag: '"def"' },
    ];
    const answer = { status: 200, body: JSON.stringify(entries) };
    const transport = new ScriptedTransport(() => answer);
    const heads = new ContainerHeads(transport, 0);
    const parts = { transport, limits: INFO, heads, storagePolicy: undefined };
    const page = await listObjects(parts, CONTEXT, REF, { limit: 10 });
    const told = page.entries.map((entry) =>
      entry.kind === 'object'
        ? [entry.object.etag, entry.object.size, entry.object.attributes]
        : entry.prefix,
    );
    expect(told).to.deep.equal([
      [MD5, 10, { class: 'COLD', x: 'a;b' }],
      ['e', 77, {}],
      ['abc-2', 10, {}],
      ['abc-2', 10, {}],
      ['def-N', 10, {}],
    ]);
  });

  it('of a missing container is NoSuchContainer, also for what can match nothing', async () => {
    const transport = new ScriptedTransport(() => ({ status: 404 }));
    const heads = new ContainerHeads(transport, 0);
    const parts = { transport, limits: INFO, heads, storagePolicy: undefined };
    for (const prefix of ['', 'x'.repeat(2000)]) {
      const listed = listObjects(parts, CONTEXT, REF, { limit: 1, prefix });
      expect(await codeOf(listed)).to.equal('NoSuchContainer');
    }
  });
});
