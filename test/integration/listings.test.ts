import { expect } from 'chai';
import fc from 'fast-check';
import { encodeUriComponentAws, encodeUriPath } from '../../src/lib/uri.js';
import { useOnce } from '../support/fixture.js';
import { readXml, S3TestClient } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';
import { STACK } from '../support/stack.js';

interface Page {
  readonly names: readonly string[];
  readonly next: string | undefined;
}

/** Reads one page of a listing; `query` begins with `&` unless it is empty. */
type ReadPage = (s3: S3TestClient, query: string, next: string | undefined) => Promise<Page>;

const ALPHABET = [
  'a',
  'b',
  '/',
  ' ',
  '+',
  '%',
  '?',
  '#',
  '.',
  '~',
  'é',
  '☃',
  '𝒳',
  '\uffff',
  '&',
  '<',
];

const keyArbitrary = fc
  .array(fc.constantFrom(...ALPHABET), { minLength: 1, maxLength: 6 })
  .map((characters) => characters.join(''));

const caseArbitrary = fc.record({
  keys: fc.uniqueArray(keyArbitrary, { minLength: 0, maxLength: 14 }),
  prefix: fc.oneof(
    fc.constant(''),
    keyArbitrary.map((key) => key.slice(0, 2)),
  ),
  delimiter: fc.constantFrom('', '/', 'a', '//', '☃'),
});

describe('listings over the wire', () => {
  const service = useOnce(startService, stopCleanly);
  const s3 = useOnce(() => new S3TestClient(service()), 'close');
  let buckets = 0;

  for (const [version, readPage] of [
    ['ListObjects', readPageV1],
    ['ListObjectsV2', readPageV2],
  ] as const) {
    it(`${version}: pages of every size concatenate to the sorted truth`, async () => {
      await fc.assert(
        fc.asyncProperty(caseArbitrary, async ({ keys, prefix, delimiter }) => {
          const bucket = `listing-${String((buckets += 1))}`;
          await s3().put(`/${bucket}`);
          for (const key of keys) await s3().put(`/${bucket}/${encodeUriPath(key)}`, key);
          const truth = oracle(keys, prefix, delimiter);
          for (let size = 1; size <= truth.length + 1; size++) {
            const query =
              `&prefix=${encodeUriComponentAws(prefix)}&max-keys=${String(size)}` +
              (delimiter === '' ? '' : `&delimiter=${encodeUriComponentAws(delimiter)}`);
            expect(await readAll(s3(), readPage, bucket, query, size)).to.deep.equal(truth);
          }
        }),
        { numRuns: STACK === 'embedded' ? 60 : 6 },
      );
    });
  }

  it('echoes the parameters, and encodes names when asked to', async () => {
    await s3().put('/echo');
    await s3().put('/echo/a%20b/%01', 'x');
    const { text } = await s3().get(
      '/echo?list-type=2&prefix=a%20b%2F&delimiter=%2B&max-keys=7&start-after=a&fetch-owner=true&encoding-type=url',
    );
    expect(text).to.contain('<Prefix>a%20b/</Prefix>');
    expect(text).to.contain('<Delimiter>%2B</Delimiter>');
    expect(text).to.contain('<MaxKeys>7</MaxKeys>');
    expect(text).to.contain('<StartAfter>a</StartAfter>');
    expect(text).to.contain('<EncodingType>url</EncodingType>');
    expect(text).to.contain('<Key>a%20b/%01</Key>');
    expect(text).to.contain('<Owner><ID>main:RINGWAYTESTKEY</ID>');
  });

  it('takes empty parameters for none, and echoes all but the delimiter', async () => {
    await s3().put('/blank');
    for (const key of ['a/b', 'c']) await s3().put(`/blank/${key}`, 'x');
    const v1 = (await s3().get('/blank?prefix=&delimiter=&marker=&max-keys=1')).text;
    expect(v1).to.contain('<Marker></Marker>').and.not.to.contain('<Delimiter');
    expect(v1).to.contain('<Key>a/b</Key>').and.to.contain('<IsTruncated>true</IsTruncated>');
    // Only who groups by a delimiter is told where to go on: others go on from the last key.
    expect(v1).not.to.contain('NextMarker').and.not.to.contain('CommonPrefixes');

    const v2 = (await s3().get('/blank?list-type=2&prefix=&delimiter=&continuation-token=')).text;
    expect(v2).to.contain('<ContinuationToken></ContinuationToken>');
    expect(v2).to.contain('<Key>a/b</Key>').and.not.to.contain('<Delimiter');
    expect(v2).to.contain('<KeyCount>2</KeyCount>').and.to.contain('<IsTruncated>false<');
    const after = (await s3().get('/blank?list-type=2&continuation-token=&start-after=b')).text;
    expect(after).to.contain('<KeyCount>1</KeyCount>').and.to.contain('<StartAfter>b</StartAfter>');
    expect((await s3().get('/blank?list-type=2&start-after=')).text)
      .to.contain('<StartAfter></StartAfter>')
      .and.to.contain('<KeyCount>2</KeyCount>');

    const versions = (await s3().get('/blank?versions&delimiter=&key-marker=&version-id-marker='))
      .text;
    expect(versions).to.contain('<Key>a/b</Key>').and.not.to.contain('<Delimiter');
    expect(versions).not.to.contain('CommonPrefixes');

    await s3().send({ method: 'POST', path: '/blank/d/e?uploads' });
    const uploads = (await s3().get('/blank?uploads&delimiter=&key-marker=&upload-id-marker='))
      .text;
    expect(uploads).to.contain('<Key>d/e</Key>').and.not.to.contain('<Delimiter');
    expect(uploads).not.to.contain('CommonPrefixes');
  });

  for (const query of [
    'max-keys=-1',
    'max-keys=ten',
    'list-type=2&max-keys=',
    'encoding-type=xml',
    'list-type=2&continuation-token=a%2Fkey',
    'list-type=3',
  ]) {
    it(`refuses ?${query}`, async () => {
      await s3().put('/refusing');
      const answer = await s3().get(`/refusing?${query}`);
      expect([answer.status, answer.code]).to.deep.equal([400, 'InvalidArgument']);
    });
  }

  it('clamps max-keys to 1000 and answers none for 0', async () => {
    await s3().put('/clamped');
    await s3().put('/clamped/key', '');
    expect((await s3().get('/clamped?max-keys=5000')).text).to.contain('<MaxKeys>1000</MaxKeys>');
    const none = await s3().get('/clamped?list-type=2&max-keys=0');
    expect(none.text).to.contain('<KeyCount>0</KeyCount>');
    expect(none.text).to.contain('<IsTruncated>false</IsTruncated>');
  });

  async function readPageV1(client: S3TestClient, query: string, next: string | undefined) {
    const marker = next === undefined ? '' : `&marker=${encodeUriComponentAws(next)}`;
    const result = parse((await client.get(`${query}${marker}`)).text);
    const last = result.names.at(-1);
    // Without a delimiter there is no NextMarker: clients take the last key (AWS's documentation).
    const nextMarker = result.nextMarker ?? last;
    return { names: result.names, next: result.truncated ? nextMarker : undefined };
  }

  async function readPageV2(client: S3TestClient, query: string, next: string | undefined) {
    const token = next === undefined ? '' : `&continuation-token=${encodeUriComponentAws(next)}`;
    const result = parse((await client.get(`${query}&list-type=2${token}`)).text);
    expect(result.token === undefined).to.equal(!result.truncated);
    return { names: result.names, next: result.token };
  }
});

async function readAll(
  s3: S3TestClient,
  readPage: ReadPage,
  bucket: string,
  query: string,
  size: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  let next: string | undefined;
  do {
    const page = await readPage(s3, `/${bucket}?encoding-type=url${query}`, next);
    expect(page.names.length).to.be.at.most(size);
    if (page.next !== undefined) expect(page.names.length).to.equal(size);
    names.push(...page.names);
    next = page.next;
  } while (next !== undefined);
  return names;
}

/** The expected listing: keys and roll-ups, in the byte order of their UTF-8. */
function oracle(keys: readonly string[], prefix: string, delimiter: string): readonly string[] {
  const names = new Set<string>();
  for (const key of keys) {
    if (!key.startsWith(prefix)) continue;
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    names.add(end === -1 ? key : key.slice(0, end + delimiter.length));
  }
  return [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

interface ListBucketResult {
  readonly Contents?: readonly { readonly Key: string }[];
  readonly CommonPrefixes?: readonly { readonly Prefix: string }[];
  readonly IsTruncated: string;
  readonly NextMarker?: string;
  readonly NextContinuationToken?: string;
}

function parse(text: string) {
  const { ListBucketResult: result } = readXml(text) as { ListBucketResult: ListBucketResult };
  const keys = (result.Contents ?? []).map(({ Key }) => decodeURIComponent(Key));
  const prefixes = (result.CommonPrefixes ?? []).map(({ Prefix }) => decodeURIComponent(Prefix));
  return {
    names: [...keys, ...prefixes].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    truncated: result.IsTruncated === 'true',
    nextMarker: result.NextMarker === undefined ? undefined : decodeURIComponent(result.NextMarker),
    token: result.NextContinuationToken,
  };
}
