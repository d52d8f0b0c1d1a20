import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { eventually } from '../support/eventually.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SwiftClient } from '../support/swift-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { expectAnswer, versioning, VersionSteps } from '../integration/versions/bench.js';
import { useGateway, useSwiftClient } from './support.js';

const ACCOUNT = '/v1/AUTH_test';
/** Relative to the compiled file: the command of the same build. */
const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));
/** Both kinds. */
const ON = [{ 'x-versions-enabled': 'true' }, { 'x-versions-location': 'old' }] as const;
/** A page that tries to repair a key ends before this; five seconds are its bound. */
const PAGE_MS_MAX = 20_000;

interface Line {
  readonly action: string;
  readonly outcome: string;
  readonly key?: string;
}

describeWith(SWIFT_NEEDS, "Swift's own versioning and versions of S3", function () {
  this.timeout(120_000);
  const lab = useOnce(sharedSwiftLab);
  const { s3 } = useGateway(lab, { janitor_interval_ms: 0, swift_container_cache_ms: 0 });
  const steps = useOnce(() => new VersionSteps(s3()));
  const owner = useSwiftClient(lab);
  const gateway = useOnce(() => SwiftClient.gateway(lab()), 'close');

  function nameOf(what: string): string {
    return `${what}-${randomBytes(5).toString('hex')}`;
  }

  function turn(client: SwiftClient, bucket: string, headers: Readonly<Record<string, string>>) {
    return client.send('POST', `${ACCOUNT}/${bucket}`, { headers });
  }

  async function repair(...args: string[]): Promise<Line[]> {
    const all = [MAIN, 'repair', '--config', lab().state.gatewayConfig, ...args];
    const { code, stdout, stderr } = await new Promise<Record<string, unknown>>((resolve) => {
      execFile(process.execPath, all, (error, out, err) => {
        resolve({ code: error?.code ?? 0, stdout: out, stderr: err });
      });
    });
    expect(code, String(stderr)).to.equal(0);
    const lines = String(stdout).trim().split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Line);
  }

  it('is refused where the gateway keeps versions', async () => {
    const name = nameOf('kept');
    const bucket = await steps().bucket(name, 'Enabled');
    for (const headers of ON) {
      const refused = await turn(owner(), name, headers);
      expect([refused.status, refused.text]).to.deep.equal([
        403,
        'The S3 gateway keeps the versions of this bucket: Swift cannot keep versions of it as well\n',
      ]);
      const put = await owner().send('PUT', `${ACCOUNT}/${name}`, { headers });
      expect(put.status).to.equal(403);
    }
    expect((await turn(owner(), name, { 'x-versions-enabled': 'false' })).status).to.equal(204);
    await steps().put(`${bucket}/k`, 'one');
    await steps().mark(`${bucket}/k`);
    expectAnswer(await s3().get(`${bucket}/k`), 404, 'NoSuchKey');
    expect(await steps().versions(bucket)).to.have.length(2);
  });

  for (const headers of ON) {
    it(`is in the way of versions, with ${Object.keys(headers).join()}`, async () => {
      const name = nameOf('swifts');
      const bucket = await steps().bucket(name);
      expect((await turn(owner(), name, headers)).status).to.equal(204);
      const refused = await s3().put(`${bucket}?versioning`, versioning('Enabled'));
      expectAnswer(refused, 409, 'InvalidBucketState');
      expect(refused.text).to.contain("Swift's own versioning");
      await steps().put(`${bucket}/k`, 'as before');
      const off = Object.keys(headers).map((header) =>
        header === 'x-versions-enabled' ? [header, 'false'] : ['x-remove-versions-location', 'x'],
      );
      const turned = Object.fromEntries(off) as Record<string, string>;
      expect((await turn(owner(), name, turned)).status).to.equal(204);
      await steps().become(bucket, 'Enabled');
    });
  }

  it('leaves what a bucket that had it can go on with', async () => {
    const name = nameOf('had');
    const bucket = await steps().bucket(name);
    expect((await turn(owner(), name, { 'x-versions-enabled': 'true' })).status).to.equal(204);
    for (const key of ['deleted', 'written', 'read']) {
      for (const body of ['swift 1', 'swift 2']) {
        expect((await owner().send('PUT', `${ACCOUNT}/${name}/${key}`, { body })).status).to.equal(
          201,
        );
      }
    }
    expect((await turn(owner(), name, { 'x-versions-enabled': 'false' })).status).to.equal(204);
    await steps().become(bucket, 'Enabled');

    await steps().mark(`${bucket}/deleted`);
    expectAnswer(await s3().get(`${bucket}/deleted`), 404, 'NoSuchKey');
    const second = await steps().put(`${bucket}/written`, 's3');
    const got = await s3().get(`${bucket}/written`);
    expect([got.text, got.headers['x-amz-version-id']]).to.deep.equal(['s3', second]);
    expect(await steps().read(`${bucket}/read`)).to.equal('swift 2');
    expect(await steps().history(bucket, 'written')).to.deep.equal([
      `Version ${second} latest`,
      'Version null',
    ]);
    expect(await steps().read(`${bucket}/written?versionId=null`)).to.equal('swift 2');
    expect(await steps().read(`${bucket}/deleted?versionId=null`)).to.equal('swift 2');
  });

  for (const headers of ON) {
    const kind = Object.keys(headers).join();
    it(`leaves a bucket readable that has both, until it is mended: ${kind}`, async () => {
      const name = nameOf('both');
      const bucket = await steps().bucket(name, 'Enabled');
      expect((await owner().send('PUT', `${ACCOUNT}/old`)).status).to.be.oneOf([201, 202]);
      const one = await steps().put(`${bucket}/k`, 'one');
      const two = await steps().put(`${bucket}/k`, 'two');
      await steps().put(`${bucket}/z`, 'beside');
      // A proxy without the filter lets this through; the gateway itself may.
      expect((await turn(gateway(), name, headers)).status).to.equal(204);
      expectAnswer(await s3().put(`${bucket}/k`, 'three'), 409, 'InvalidBucketState');
      expectAnswer(await s3().delete(`${bucket}/k`), 409, 'InvalidBucketState');

      // The link goes as it does when a plain client deletes the key; Swift keeps it as a version.
      await owner().send('DELETE', `${ACCOUNT}/${name}/k`);
      const before = performance.now();
      const listed = await steps().versions(bucket);
      expect(performance.now() - before).to.be.below(PAGE_MS_MAX);
      expect(listed.map(({ key, id, latest }) => [key, id, latest]).slice(0, 2)).to.deep.equal([
        ['k', two, true],
        ['k', one, false],
      ]);
      expect(listed[2]?.key).to.equal('z');

      const planned = await repair('--bucket', name, '--account', 'AUTH_test', '--dry-run');
      expect(planned[0]).to.include({ action: 'end_store_versioning', outcome: 'planned' });
      const done = await repair('--bucket', name, '--account', 'AUTH_test');
      expect(done[0]).to.include({ action: 'end_store_versioning', outcome: 'done' });
      expect(await repair('--bucket', name, '--account', 'AUTH_test')).to.deep.equal([]);

      expect(await steps().read(`${bucket}/k`)).to.equal('two');
      await eventually(
        () => steps().history(bucket, 'k'),
        (history) => history.join() === [`Version ${two} latest`, `Version ${one}`].join(),
      );
      await steps().put(`${bucket}/k`, 'three');
      await steps().mark(`${bucket}/k`);
      expectAnswer(await s3().get(`${bucket}/k`), 404, 'NoSuchKey');
      expect(await steps().read(`${bucket}/k?versionId=${one}`)).to.equal('one');
    });
  }
});
