import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { complete, initiate, uploadPart } from './drop-in.js';
import { s3Of } from './support.js';

const state = (status: string): string =>
  `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;

/** A listener's requests now and then come on top: the cheapest of some runs has none of them. */
const RUNS = 4;

type Counts = Readonly<Record<string, number>>;

/** docs/versions.md tells these sums. */
describeWith(SWIFT_NEEDS, 'requests to Swift, with versions and without', function () {
  this.timeout(120_000);

  const bucket = `cost-${randomBytes(5).toString('hex')}`;
  const lab = useOnce(sharedSwiftLab);
  const start = (): Promise<Service> => {
    const config = { ...lab().gatewayKeys(), swift_container_cache_ms: 60_000 };
    return startService({ config, listeners: 1 });
  };
  const service = useOnce(start, 'stop');
  const s3 = useOnce(() => s3Of(lab(), service().endpoint), 'close');
  let another: Service | undefined;
  const other = async (): Promise<Service> => (another = await start());

  before(async () => {
    await done(s3().put(`/${bucket}`));
    await done(s3().put(`/${bucket}?versioning`, state('Enabled')));
    await done(s3().put(`/${bucket}/source`, 'source'));
  });

  after(() => another?.stop());

  /** By method, since the service started. */
  async function requests(): Promise<Counts> {
    const text = await (await fetch(`${service().adminEndpoint}/metrics`)).text();
    const counts: Record<string, number> = {};
    const samples = text.matchAll(
      /^ringway_backend_requests_total\{[^}]*method="([A-Z]+)"[^}]*\} (\d+)$/gm,
    );
    for (const [, method = '', count] of samples) {
      counts[method] = (counts[method] ?? 0) + Number(count);
    }
    return counts;
  }

  /** Of the cheapest of some runs. */
  async function cost(act: (run: number) => Promise<unknown>, prepare = act): Promise<Counts> {
    let least: { readonly sum: number; readonly counts: Counts } | undefined;
    for (let run = 0; run < RUNS; run++) {
      await prepare(run);
      const before = await requests();
      await act(run);
      const after = await requests();
      const counts = Object.fromEntries(
        Object.entries(after)
          .map(([method, count]) => [method, count - (before[method] ?? 0)] as const)
          .filter(([, count]) => count > 0),
      );
      const sum = Object.values(counts).reduce((all, count) => all + count, 0);
      if (least === undefined || sum < least.sum) least = { sum, counts };
    }
    return least?.counts ?? {};
  }

  async function done(sent: ReturnType<S3TestClient['put']>): Promise<void> {
    const { status, text } = await sent;
    expect(status, text).to.be.within(200, 204);
  }

  const nothing = (): Promise<void> => Promise.resolve();
  const put = (key: string) => done(s3().put(`/${bucket}/${key}`, 'a version'));
  const remove = (key: string) => done(s3().send({ method: 'DELETE', path: `/${bucket}/${key}` }));

  it('are one each for a GET, HEAD, PUT and listing of an ordinary bucket', async () => {
    const path = `/ordinary-${bucket}`;
    await done(s3().put(path));
    const acts = [
      ['PUT', `${path}/key`],
      ['GET', `${path}/key`],
      ['HEAD', `${path}/key`],
      ['GET', `${path}?list-type=2`],
    ] as const;
    for (const [method, target] of acts) {
      const counts = await cost(() => done(s3().send({ method, path: target })));
      expect(counts, `${method} ${target}`).to.deep.equal({ [method]: 1 });
    }
  });

  it('are three for a PUT, while its index waits', async () => {
    expect(await cost(() => put('put'))).to.deep.equal({ PUT: 3 });
  });

  it('are two for a PUT of a new key, and three for a larger one', async () => {
    expect(await cost((run) => put(`new-${run}`), nothing)).to.deep.equal({ PUT: 2 });
    const large = 'x'.repeat(16_385);
    const putLarge = (run: number) => done(s3().put(`/${bucket}/large-${run}`, large));
    expect(await cost(putLarge, nothing)).to.deep.equal({ PUT: 3 });
  });

  it('are four for a PUT of a key that the listener does not know', async () => {
    const { endpoint } = await other();
    const { key: secretKey } = (await sharedSwiftLab()).user('test:tester');
    const theirs = new S3TestClient({ endpoint, accessKey: 'test:tester', secretKey });
    const prepare = (run: number) => done(theirs.put(`/${bucket}/unknown-${run}`, 'theirs'));
    expect(await cost((run) => put(`unknown-${run}`), prepare)).to.deep.equal({ PUT: 3, GET: 1 });
    await theirs.close();
  });

  it('are one each for a GET and a HEAD of a key with one version', async () => {
    await put('single');
    for (const method of ['GET', 'HEAD']) {
      const path = `/${bucket}/single`;
      expect(await cost(() => done(s3().send({ method, path })))).to.deep.equal({ [method]: 1 });
    }
  });

  it('are three for a DELETE of a key that is not there', async () => {
    const counts = await cost((run) => remove(`absent-${run}`), nothing);
    expect(counts).to.deep.equal({ PUT: 1, GET: 1, HEAD: 1 });
  });

  it('are three for a DELETE', async () => {
    const counts = await cost(
      () => remove('delete'),
      () => put('delete'),
    );
    expect(counts).to.deep.equal({ PUT: 2, DELETE: 1 });
  });

  it('are three for a CopyObject, while its index waits', async () => {
    const headers = { 'x-amz-copy-source': `/${bucket}/source` };
    const path = `/${bucket}/copy`;
    const counts = await cost(() => done(s3().send({ method: 'PUT', path, headers })));
    // The source is looked at twice: for its ACL, and for what is copied.
    expect(counts).to.deep.equal({ PUT: 3, HEAD: 2 });
  });

  it('are five for a PUT while versioning is suspended', async () => {
    await done(s3().put(`/${bucket}?versioning`, state('Suspended')));
    expect(await cost(() => put('suspended'))).to.deep.equal({ PUT: 4, DELETE: 1 });
    await done(s3().put(`/${bucket}?versioning`, state('Enabled')));
  });

  it('are four for a CompleteMultipartUpload, beside what any upload takes', async () => {
    const plain = `plain-${randomBytes(5).toString('hex')}`;
    await done(s3().put(`/${plain}`));
    const completion = (place: string) => {
      const path = `/${place}/parts`;
      let upload = { id: '', etag: '' };
      const prepare = async (): Promise<void> => {
        const id = await initiate(s3(), path);
        upload = { id, etag: await uploadPart(s3(), path, id, 1, Buffer.from('a part')) };
      };
      return cost(() => complete(s3(), path, upload.id, [upload.etag]), prepare);
    };
    const ordinary = await completion(plain);
    const versioned = await completion(bucket);
    const both = JSON.stringify([ordinary, versioned]);
    const more = (method: string) => (versioned[method] ?? 0) - (ordinary[method] ?? 0);
    expect([more('PUT'), more('GET'), more('DELETE')], both).to.deep.equal([3, 0, 0]);
    // Without versions the bucket is looked at again, when the upload has taken more than a moment.
    expect(more('HEAD'), both).to.be.oneOf([0, -1]);
  });
});
