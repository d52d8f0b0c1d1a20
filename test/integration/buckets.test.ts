import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { readXml, S3TestClient } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';
import { expectAnswer } from './versions/bench.js';

describe('buckets over the wire', () => {
  const service = useOnce(
    () => startService({ config: { region: 'eu-north-7', location: 'hall-3' } }),
    stopCleanly,
  );
  const s3 = useOnce(() => new S3TestClient(service(), 'eu-north-7'), 'close');

  it('creates, finds, lists, locates and deletes a bucket', async () => {
    const created = await s3().put('/first-bucket');
    expect(created.status).to.equal(200);
    expect(created.headers.location).to.equal('/first-bucket');
    await s3().put('/another-bucket/');

    const head = await s3().head('/first-bucket');
    expect(head.status).to.equal(200);
    expect(head.headers['x-amz-bucket-region']).to.equal('eu-north-7');

    expect(await bucketNames(s3())).to.deep.equal(['another-bucket', 'first-bucket']);
    const location = await s3().get('/first-bucket?location');
    expect(location.text).to.contain('>hall-3</LocationConstraint>');

    expect((await s3().delete('/another-bucket')).status).to.equal(204);
    expect(await bucketNames(s3())).to.deep.equal(['first-bucket']);
    expect((await s3().head('/another-bucket')).status).to.equal(404);
  });

  it('says of a bucket whether it keeps versions', async () => {
    await s3().put('/kept');
    const versioning = async () =>
      (await s3().head('/kept')).headers['x-ringway-bucket-versioning'];
    expect(await versioning()).to.equal(undefined);
    for (const status of ['Enabled', 'Suspended']) {
      await s3().put(
        '/kept?versioning',
        `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>${status}</Status></VersioningConfiguration>`,
      );
      const known = await eventually(versioning, (said) => said === status);
      expect(known).to.equal(status);
    }
    await s3().delete('/kept');
  });

  it('pages through buckets by continuation token', async () => {
    for (const name of ['page-a', 'page-b', 'page-c']) await s3().put(`/${name}`);
    const pages = await pagesOf(s3(), '/?max-buckets=2&prefix=page-');
    expect(pages).to.deep.equal([['page-a', 'page-b'], ['page-c']]);
  });

  it('fills its pages with buckets, whatever their companion containers', async () => {
    const names = ['full-a', 'full-b', 'full-c'];
    const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    for (const name of names) {
      await s3().put(`/${name}`);
      await s3().put(`/${name}?versioning`, enabled);
      expect((await s3().put(`/${name}/key`, 'a version')).status).to.equal(200);
      const begun = await s3().send({ method: 'POST', path: `/${name}/key?uploads` });
      expect(begun.status).to.equal(200);
    }
    for (let size = 1; size <= names.length; size++) {
      const pages = await pagesOf(s3(), `/?prefix=full-&max-buckets=${String(size)}`);
      const expected = [];
      for (let at = 0; at < names.length; at += size) expected.push(names.slice(at, at + size));
      expect(pages, `pages of ${String(size)}`).to.deep.equal(expected);
    }
    // The names of companions begin so, and are those of no bucket.
    const companions = listing((await s3().get('/?prefix=full-a%2B')).text);
    expect(companions).to.deep.equal({ names: [], token: undefined });
    await s3().delete('/full-a/key');
  });

  it('answers requests with the region of buckets, and knows of no other', async () => {
    await s3().put('/regional');
    const here = await s3().get('/?prefix=regional&bucket-region=eu-north-7');
    expect(here.text).to.contain('<Name>regional</Name>');
    expect(here.text).to.contain('<BucketRegion>eu-north-7</BucketRegion>');
    expect(here.text).to.contain('<Prefix>regional</Prefix>');
    const elsewhere = await s3().get('/?max-buckets=1&bucket-region=us-west-2');
    expect(listing(elsewhere.text)).to.deep.equal({ names: [], token: undefined });
    expect((await s3().get('/')).text).not.to.contain('BucketRegion');
  });

  it('begins at the beginning with an empty continuation token', async () => {
    const all = listing((await s3().get('/')).text);
    expect(listing((await s3().get('/?continuation-token=')).text)).to.deep.equal(all);
  });

  for (const value of ['0', '10001', '-1', 'ten', '']) {
    it(`refuses max-buckets=${value}`, async () => {
      const answer = await s3().get(`/?max-buckets=${value}`);
      expectAnswer(answer, 400, 'InvalidArgument');
      expect(answer.text).to.contain('<ArgumentName>max-buckets</ArgumentName>');
    });
  }

  it('takes its own location as constraint and refuses others', async () => {
    const configuration = (text: string): string =>
      `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${text}</LocationConstraint></CreateBucketConfiguration>`;
    expect((await s3().put('/placed', configuration('hall-3'))).status).to.equal(200);
    const elsewhere = await s3().put('/misplaced', configuration('us-west-2'));
    expect(elsewhere.code).to.equal('IllegalLocationConstraintException');
    expect((await s3().put('/broken', '<CreateBucket')).code).to.equal('MalformedXML');
    expect((await s3().head('/misplaced')).status).to.equal(404);
    expect((await s3().head('/broken')).status).to.equal(404);
  });

  it('answers 409 for a bucket that exists, and for one that is not empty', async () => {
    await s3().put('/taken');
    await s3().put('/taken/key', 'body');
    expectAnswer(await s3().put('/taken'), 409, 'BucketAlreadyOwnedByYou');
    expectAnswer(await s3().delete('/taken'), 409, 'BucketNotEmpty');
    expect((await s3().get('/taken/key')).text).to.equal('body');
  });

  for (const [name, path] of [
    ['too short', '/ab'],
    ['upper case', '/Bucket'],
    ['an address', '/192.168.0.1'],
    ['the companion of another', '/first-bucket%2Bsegments'],
    ['an escape in it', '/a%20b'],
  ] as const) {
    it(`refuses a name that is ${name} before any backend call`, async () => {
      for (const method of ['PUT', 'GET', 'DELETE']) {
        expectAnswer(await s3().send({ method, path }), 400, 'InvalidBucketName');
      }
    });
  }

  it('answers NoSuchBucket to every operation on a missing bucket', async () => {
    for (const [method, path] of [
      ['GET', '/missing-bucket'],
      ['GET', '/missing-bucket?list-type=2&max-keys=0'],
      ['GET', '/missing-bucket?location'],
      ['DELETE', '/missing-bucket'],
      ['GET', '/missing-bucket/key'],
      ['PUT', '/missing-bucket/key'],
      ['DELETE', '/missing-bucket/key'],
    ] as const) {
      const answer = await s3().send({ method, path });
      expect([answer.status, answer.code], `${method} ${path}`).to.deep.equal([
        404,
        'NoSuchBucket',
      ]);
    }
  });
});

/** Follows the continuation tokens. */
async function pagesOf(s3: S3TestClient, path: string): Promise<(readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let token: string | undefined;
  do {
    const next = token === undefined ? '' : `&continuation-token=${token}`;
    const page = listing((await s3.get(path + next)).text);
    pages.push(page.names);
    token = page.token;
  } while (token !== undefined);
  return pages;
}

async function bucketNames(s3: S3TestClient): Promise<readonly string[]> {
  return listing((await s3.get('/')).text).names;
}

function listing(text: string) {
  const { ListAllMyBucketsResult: result } = readXml(text) as {
    ListAllMyBucketsResult: {
      Buckets: { Bucket?: { Name: string }[] } | '';
      ContinuationToken?: string;
    };
  };
  const buckets = result.Buckets === '' ? [] : (result.Buckets.Bucket ?? []);
  return { names: buckets.map(({ Name }) => Name), token: result.ContinuationToken };
}
