import {
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { sdkOf } from '../multipart-bench.js';
import { expectAnswer, listedVersions, textOf, UNKNOWN_ID, useVersionsBench } from './bench.js';

/** An entry that the requests have written; newest first within each key. */
interface Truth {
  readonly key: string;
  readonly id: string;
  readonly kind: 'Version' | 'DeleteMarker';
}

const KEYS = [
  ...['a', 'a/', 'a/1', 'a/2', 'a/b/1', 'a//x', 'a0', 'b', 'b/1', 'c d+e%', 'd&<">'],
  ...['ü/1', 'ü/2', '日本', '🚀', '\ue000'],
];

describe('ListObjectVersions over the wire', () => {
  const bench = useVersionsBench();
  const bucket = '/listing';
  const truth: Truth[] = [];
  const sdk = useOnce(() => sdkOf(bench().service), 'destroy');

  before(async () => {
    await bench().bucket('listing');
    const versions = new Map<string, Truth[]>(KEYS.map((key) => [key, []]));
    const pathOf = (key: string) => `${bucket}/${encodeURIComponent(key)}`;
    const note = (key: string, id: string, kind: Truth['kind'] = 'Version') =>
      versions.get(key)!.unshift({ key, id, kind });
    // Some stay plain, some are adopted, some begin with a version.
    for (const [i, key] of KEYS.entries()) {
      if (i % 3 === 2) continue;
      await bench().put(pathOf(key), `plain ${key}`);
      note(key, 'null');
    }
    await bench().become(bucket, 'Enabled');
    for (const [i, key] of KEYS.entries()) {
      if (i % 3 === 0) continue;
      for (let n = 0; n <= i % 5; n++) note(key, await bench().put(pathOf(key), `${n} ${key}`));
      if (i % 4 === 1) note(key, await bench().mark(pathOf(key)), 'DeleteMarker');
    }
    const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    for (const key of [...KEYS].sort(bytewise)) truth.push(...versions.get(key)!);
  });

  async function page(query: string) {
    const answer = await bench().s3.get(`${bucket}?versions&encoding-type=url${query}`);
    expectAnswer(answer, 200);
    const { text } = answer;
    const entries = listedVersions(text).map(({ kind, key, id, latest }) => {
      return { key: decodeURIComponent(key), id, kind, latest };
    });
    const prefixes = [...text.matchAll(/<CommonPrefixes><Prefix>([^<]*)</g)].map(([, prefix]) =>
      decodeURIComponent(prefix!),
    );
    const next = textOf(text, 'NextKeyMarker');
    const nextId = textOf(text, 'NextVersionIdMarker');
    const truncated = textOf(text, 'IsTruncated') === 'true';
    const markers =
      `&key-marker=${encodeURIComponent(decodeURIComponent(next))}` +
      (nextId === '' ? '' : `&version-id-marker=${nextId}`);
    expect(truncated).to.equal(next !== '');
    return { text, entries, prefixes, truncated, markers };
  }

  /** Pages until there are no more. */
  async function concatenated(query: string) {
    const entries: Awaited<ReturnType<typeof page>>['entries'] = [];
    const prefixes: string[] = [];
    let markers = '';
    for (;;) {
      const read = await page(`${query}${markers}`);
      entries.push(...read.entries);
      prefixes.push(...read.prefixes);
      if (!read.truncated) return { entries, prefixes };
      expect(read.markers, 'a page gets on').to.not.equal(markers);
      markers = read.markers;
    }
  }

  function expected(prefix = '', delimiter = '') {
    const entries: (Truth & { readonly latest: boolean })[] = [];
    const prefixes = new Set<string>();
    for (const [i, one] of truth.entries()) {
      if (!one.key.startsWith(prefix)) continue;
      const cut = delimiter === '' ? -1 : one.key.indexOf(delimiter, prefix.length);
      if (cut !== -1) prefixes.add(one.key.slice(0, cut + delimiter.length));
      else entries.push({ ...one, latest: truth[i - 1]?.key !== one.key });
    }
    return { entries, prefixes: [...prefixes] };
  }

  it('lists every version in one page, by key and newest first', async () => {
    const { entries, truncated } = await page('');
    expect(truncated).to.be.false;
    expect(entries).to.deep.equal(expected().entries);
    expect(entries.length).to.be.greaterThan(35);
  });

  it('lists the same in pages of every size', async () => {
    const { entries } = expected();
    for (let size = 1; size <= entries.length + 1; size += size < 6 ? 1 : 5) {
      expect(await concatenated(`&max-keys=${size}`), `pages of ${size}`).to.deep.equal(expected());
    }
  });

  for (const [prefix, delimiter] of [
    ['', '/'],
    ['a', '/'],
    ['a/', '/'],
    ['a/', ''],
    ['a//', '/'],
    ['b', ''],
    ['', 'b'],
    ['', '//'],
    ['ü', '/'],
    ['ü/1', '/'],
    ['none', '/'],
    ['', '日'],
  ] as const) {
    it(`lists what begins with "${prefix}", cut at "${delimiter}"`, async () => {
      const query = `&prefix=${encodeURIComponent(prefix)}&delimiter=${encodeURIComponent(delimiter)}`;
      for (const size of [1, 2, 3, 1000]) {
        const listed = await concatenated(`${query}&max-keys=${size}`);
        expect(listed, `pages of ${size}`).to.deep.equal(expected(prefix, delimiter));
      }
    });
  }

  it('begins after each version that the markers name', async () => {
    for (const [i, { key, id }] of truth.entries()) {
      const markers = `&key-marker=${encodeURIComponent(key)}&version-id-marker=${id}`;
      const { entries } = await page(markers);
      expect(entries, `after ${key} ${id}`).to.deep.equal(expected().entries.slice(i + 1));
    }
  });

  it('begins after each key that the marker names, and after keys that are not there', async () => {
    for (const marker of [...KEYS, '', '0', 'a/0', 'zz', '\u{10ffff}']) {
      const { entries } = await page(`&key-marker=${encodeURIComponent(marker)}`);
      const after = expected().entries.filter(
        ({ key }) => Buffer.compare(Buffer.from(key), Buffer.from(marker)) > 0,
      );
      expect(entries, `after ${marker}`).to.deep.equal(after);
    }
  });

  it('begins somewhere sensible after a version that has gone', async () => {
    const gone = `&key-marker=b&version-id-marker=${UNKNOWN_ID}`;
    const { entries } = await page(gone);
    const following = expected().entries.filter(({ key: of }) => of > 'b');
    expect(entries.slice(-following.length)).to.deep.equal(following);
  });

  for (const input of [
    { MaxKeys: 1 },
    { MaxKeys: 7 },
    {},
    { MaxKeys: 2, Prefix: 'a/' },
    { MaxKeys: 2, Delimiter: '/' },
  ] satisfies Partial<ListObjectVersionsCommandInput>[]) {
    it(`gives the SDK the same: ${JSON.stringify(input)}`, async () => {
      const seen: string[] = [];
      const prefixes: (string | undefined)[] = [];
      let read: ListObjectVersionsCommandOutput | undefined;
      do {
        const markers = {
          KeyMarker: read?.NextKeyMarker,
          VersionIdMarker: read?.NextVersionIdMarker,
        };
        read = await sdk().send(
          new ListObjectVersionsCommand({ Bucket: 'listing', ...input, ...markers }),
        );
        const { Versions = [], DeleteMarkers = [], CommonPrefixes = [] } = read;
        for (const { Key, VersionId } of [...Versions, ...DeleteMarkers]) {
          seen.push(`${Key} ${VersionId}`);
        }
        prefixes.push(...CommonPrefixes.map(({ Prefix }) => Prefix));
      } while (read.IsTruncated);
      const { Prefix, Delimiter } = input as Partial<ListObjectVersionsCommandInput>;
      const want = expected(Prefix, Delimiter);
      expect(seen.sort()).to.deep.equal(want.entries.map(({ key, id }) => `${key} ${id}`).sort());
      expect(prefixes).to.deep.equal(want.prefixes);
    });
  }

  it('tells the SDK what each entry is', async () => {
    const output = await sdk().send(
      new ListObjectVersionsCommand({ Bucket: 'listing', Prefix: 'a/1', MaxKeys: 2 }),
    );
    expect(output).to.deep.include({ Name: 'listing', Prefix: 'a/1', MaxKeys: 2, KeyMarker: '' });
    for (const version of output.Versions ?? []) {
      expect(version.LastModified).to.be.instanceOf(Date);
      expect(version.ETag).to.match(/^"[0-9a-f]{32}"$/);
      expect(version.StorageClass).to.equal('STANDARD');
      expect(version.Owner?.ID).to.be.a('string');
    }
  });

  it('echoes its parameters, encoded or not', async () => {
    const query = '&prefix=c%20d&delimiter=%2B&max-keys=5&key-marker=b%26&version-id-marker=null';
    const plain = await bench().s3.get(`${bucket}?versions${query}`);
    expect(plain.text)
      .to.contain('<Prefix>c d</Prefix>')
      .and.contain('<KeyMarker>b&amp;</KeyMarker>');
    expect(plain.text).to.contain('<VersionIdMarker>null</VersionIdMarker><MaxKeys>5</MaxKeys>');
    expect(plain.text).to.contain('<Delimiter>+</Delimiter>').and.not.contain('<EncodingType>');
    const { text } = await page(query);
    expect(text).to.contain('<Prefix>c%20d</Prefix>').and.contain('<KeyMarker>b%26</KeyMarker>');
    expect(text).to.contain('<Delimiter>%2B</Delimiter><EncodingType>url</EncodingType>');
  });

  it('lists nothing with max-keys=0', async () => {
    const { entries, truncated } = await page('&max-keys=0');
    expect([entries, truncated]).to.deep.equal([[], false]);
    expectAnswer(await bench().s3.get('/absent?versions&max-keys=0'), 404, 'NoSuchBucket');
  });

  for (const [query, what] of [
    ['max-keys=-1', 'a negative size'],
    ['max-keys=x', 'no number'],
    ['max-keys=2147483648', 'a number that is too large'],
    ['encoding-type=base64', 'another encoding'],
    [`version-id-marker=${UNKNOWN_ID}`, 'a version without a key'],
    ['key-marker=a&version-id-marker=', 'an empty version'],
    ['key-marker=a&version-id-marker=NULL', 'a malformed version'],
    [`key-marker=a&version-id-marker=${UNKNOWN_ID}0`, 'a version that is too long'],
    [`versionId=${UNKNOWN_ID}`, 'a version of the bucket'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const answer = await bench().s3.get(`${bucket}?versions&${query}`);
      expectAnswer(answer, 400, 'InvalidArgument');
    });
  }

  it('lists the objects of a bucket without versions as null', async () => {
    const plain = await bench().bucket('unversioned');
    for (const key of ['a', 'b', 'c']) await bench().put(`${plain}/${key}`, key);
    expect(await bench().versions(plain)).to.have.length(3);
    const first = await bench().s3.get(`${plain}?versions&max-keys=1`);
    expect(textOf(first.text, 'NextKeyMarker')).to.equal('a');
    expect(textOf(first.text, 'NextVersionIdMarker')).to.equal('null');
    const second = await bench().versions(plain, '&key-marker=a&version-id-marker=null');
    expect(second.map(({ key, id }) => [key, id])).to.deep.equal([
      ['b', 'null'],
      ['c', 'null'],
    ]);
  });

  it('shows no markers and no noncurrent versions in ListObjects', async () => {
    const current = expected().entries.filter(({ latest, kind }) => latest && kind === 'Version');
    for (const query of ['', '?list-type=2', '?max-keys=1000', '?list-type=2&start-after=']) {
      const { text } = await bench().s3.get(`${bucket}${query}`);
      const keys = [...text.matchAll(/<Contents><Key>([^<]*)</g)].map(([, key]) => key);
      expect(keys.length, query).to.equal(current.length);
    }
  });
});
