import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import { startService } from '../support/service.js';
import { IS_CLUSTER } from '../support/stack.js';
import { expectAnswer } from './versions/bench.js';

const VERSION_ID = '0123456789abcdef0123456789abcdef';

type Result = readonly [outcome: string, key: string];

describe('DeleteObjects over the wire', () => {
  const service = useOnce(startService);
  const s3 = useOnce(() => new S3TestClient(service()));

  before(async () => {
    await s3().put('/multi');
    await s3().put('/multi/bystander', 'as it was');
  });

  after(async () => {
    let keys: string[];
    try {
      keys = await keysInTheEnd();
    } finally {
      await s3().close();
      // First: a service that is left behind keeps the run from ending.
      expect(await service().stop()).to.equal(0);
    }
    expect(keys, 'nothing else was deleted').to.deep.equal(['bystander']);
  });

  /**
   * On a cluster, a container that was sharded while keys were deleted may list them until Swift's
   * object updater has run.
   */
  async function keysInTheEnd(): Promise<string[]> {
    const listed = async () => listedKeys((await s3().get('/multi')).text);
    return IS_CLUSTER ? eventually(listed, ({ length }) => length <= 1) : listed();
  }

  function send(body: string, headers?: Record<string, string>, bucket = 'multi') {
    const digest = { 'content-md5': createHash('md5').update(body).digest('base64') };
    const path = `/${bucket}?delete`;
    return s3().send({ method: 'POST', path, body, headers: headers ?? digest });
  }

  async function exists(key: string): Promise<boolean> {
    return (await s3().head(`/multi/${key}`)).status === 200;
  }

  it('answers each key in the order of the request, a missing one with an error', async () => {
    for (const key of ['a', 'c', 'd']) await s3().put(`/multi/${key}`, key);
    const answer = await send(documentOf(['d', 'missing', 'c', 'a']));
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'application/xml']);
    expect(resultsOf(answer)).to.deep.equal([
      ['Deleted', 'd'],
      ['NoSuchKey', 'missing'],
      ['Deleted', 'c'],
      ['Deleted', 'a'],
    ]);
    expect(answer.text).to.contain(
      '<Error><Key>missing</Key><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>',
    );
    for (const key of ['a', 'c', 'd']) expect(await exists(key), key).to.be.false;
  });

  it('names failures only when it is to be quiet', async () => {
    await s3().put('/multi/quiet', '');
    const answer = await send(documentOf(['quiet', 'missing'], '<Quiet>true</Quiet>'));
    expect(resultsOf(answer)).to.deep.equal([['NoSuchKey', 'missing']]);
    expect(await exists('quiet')).to.be.false;
  });

  it('deletes a key once that is named twice, with one outcome', async () => {
    await s3().put('/multi/twice', '');
    const answer = await send(
      `<Delete><Object><Key>twice</Key></Object><Object><Key>gone</Key></Object>` +
        `<Object><Key>twice</Key><VersionId>null</VersionId></Object>` +
        `<Object><Key>gone</Key></Object></Delete>`,
    );
    expect(resultsOf(answer)).to.deep.equal([
      ['Deleted', 'twice'],
      ['NoSuchKey', 'gone'],
      ['Deleted', 'twice'],
      ['NoSuchKey', 'gone'],
    ]);
    expect(answer.text).to.contain('<Key>twice</Key><VersionId>null</VersionId></Deleted>');
  });

  it('gives keys that cannot be deleted errors of their own, and deletes the others', async () => {
    await s3().put('/multi/fine', '');
    await s3().put('/multi/versioned', '');
    const object = (key: string, version: string): string =>
      `<Object><Key>${key}</Key><VersionId>${version}</VersionId></Object>`;
    const answer = await send(
      `<Delete>${object('versioned', VERSION_ID)}${object('versioned', 'what')}` +
        `<Object><Key>${'日'.repeat(342)}</Key></Object><Object><Key>fine</Key></Object></Delete>`,
    );
    expect(answer.status).to.equal(200);
    expect(resultsOf(answer)).to.deep.equal([
      ['NoSuchVersion', 'versioned'],
      ['InvalidArgument', 'versioned'],
      ['KeyTooLongError', '日'.repeat(342)],
      ['Deleted', 'fine'],
    ]);
    expect(answer.text).to.contain(
      `<VersionId>${VERSION_ID}</VersionId><Code>NoSuchVersion</Code>`,
    );
    expect(await exists('versioned')).to.be.true;
    expect((await s3().delete('/multi/versioned')).status).to.equal(204);
  });

  it('takes keys exactly as they are', async () => {
    const keys = [' padded ', 'a&b<c>"d"', '../up', 'a//b', '+%2F', '日本 🚀', 'line\nfeed'];
    for (const key of keys) await s3().put(`/multi/${encodeURIComponent(key)}`, 'x');
    const answer = await send(documentOf(keys.map(escape)));
    expect(answer.text).to.not.contain('<Error>');
    expect(listedKeys((await s3().get('/multi')).text)).to.deep.equal(['bystander']);
  });

  it('deletes a thousand keys, and reads the document on its thread', async function () {
    // On a cluster that shares two busy processors with its client, it took a minute.
    this.timeout(300_000);
    const keys = Array.from({ length: 1000 }, (_, i) => `many/${String(i).padStart(4, '0')}`);
    // Few are there: on a cluster each of them takes three disks.
    const queue = keys.filter((_, i) => i % 10 === 3).values();
    const writers = Array.from({ length: 8 }, () => new S3TestClient(service()));
    await Promise.all(
      writers.map(async (writer) => {
        for (const key of queue) await writer.put(`/multi/${key}`, 'x');
        await writer.close();
      }),
    );
    const answer = await send(documentOf(keys));
    expect(resultsOf(answer)).to.deep.equal(
      keys.map((key, i) => [i % 10 === 3 ? 'Deleted' : 'NoSuchKey', key]),
    );
    const metrics = await (await fetch(`${service().adminEndpoint}/metrics`)).text();
    expect(metrics).to.match(/^ringway_pool_run_seconds_count [1-9]/m);
  });

  describe('deletes nothing', () => {
    before(() => s3().put('/multi/kept', ''));

    after(async () => {
      expect(await exists('kept')).to.be.true;
      await s3().delete('/multi/kept');
    });

    const body = documentOf(['kept']);
    const thousandAndOne = documentOf(Array.from({ length: 1001 }, () => 'kept'));
    const md5 = (text: string) => ({
      'content-md5': createHash('md5').update(text).digest('base64'),
    });

    for (const [what, document, headers, status, code] of [
      ['without a digest of the body', body, {}, 400, 'InvalidRequest'],
      ['with the wrong Content-MD5', body, md5('other'), 400, 'BadDigest'],
      ['with a malformed Content-MD5', body, { 'content-md5': 'x' }, 400, 'InvalidDigest'],
      ['with the wrong checksum', body, { 'x-amz-checksum-crc32': 'AAAAAA==' }, 400, 'BadDigest'],
      ['with If-Match', body, { ...md5(body), 'if-match': '"x"' }, 501, 'NotImplemented'],
      ['with 1001 keys', thousandAndOne, undefined, 400, 'MalformedXML'],
      ['without keys', '<Delete></Delete>', undefined, 400, 'MalformedXML'],
      ['with an empty key', documentOf(['kept', '']), undefined, 400, 'MalformedXML'],
      ['with half a document', body.slice(0, -3), undefined, 400, 'MalformedXML'],
      [
        'with a document type',
        `<!DOCTYPE Delete [<!ENTITY k "kept">]>${documentOf(['&k;'])}`,
        undefined,
        400,
        'MalformedXML',
      ],
      [
        'with a condition of directory buckets on a key',
        documentOf(['kept'], '<Object><Key>kept</Key><Size>9</Size></Object>'),
        undefined,
        501,
        'NotImplemented',
      ],
      [
        'with more than 2 MiB',
        documentOf(['kept'], ' '.repeat(2 * 1024 * 1024)),
        undefined,
        400,
        'MaxMessageLengthExceeded',
      ],
    ] as const) {
      it(what, async () => {
        expectAnswer(await send(document, headers), status, code);
        expect(await exists('kept')).to.be.true;
      });
    }

    it('in a bucket that is not there', async () => {
      expectAnswer(await send(body, undefined, 'absent'), 404, 'NoSuchBucket');
    });
  });

  it('takes a checksum of any algorithm in the place of Content-MD5', async () => {
    const body = documentOf(['missing']);
    const sha256 = createHash('sha256').update(body).digest('base64');
    const answer = await send(body, { 'x-amz-checksum-sha256': sha256 });
    expect(resultsOf(answer)).to.deep.equal([['NoSuchKey', 'missing']]);
  });
});

function documentOf(keys: readonly string[], rest = ''): string {
  const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('');
  return `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects}${rest}</Delete>`;
}

function escape(key: string): string {
  return key
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\n', '&#10;');
}

/** Each entry of the result, in order: `Deleted` or the error's code, and the key. */
function resultsOf({ text }: S3Answer): Result[] {
  const entries = text.matchAll(/<(Deleted|Error)><Key>([^<]*)<\/Key>(.*?)<\/\1>/g);
  return [...entries].map(([, kind = '', key = '', rest = '']) => [
    kind === 'Deleted' ? kind : (/<Code>([^<]*)</.exec(rest)?.[1] ?? ''),
    key,
  ]);
}

function listedKeys(listing: string): string[] {
  return [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map((match) => match[1] ?? '');
}
