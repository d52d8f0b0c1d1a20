import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith, pythonModule } from '../support/needs.js';
import { runProgram } from '../support/programs.js';
import type { S3TestClient } from '../support/s3-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { DropIn, toldOf } from './drop-in.js';
import { ENABLED } from './support.js';

const SCRIPT = join(process.cwd(), 'ops/s3api/copy_versions.py');
const ODD = encodeURIComponent('ü a\t+b');

describeWith([...SWIFT_NEEDS, pythonModule('boto3')], 'ops/s3api/copy_versions.py', function () {
  this.timeout(240_000);

  const dropIn = useOnce(() => DropIn.open(), 'close');
  const from = `from-${randomBytes(5).toString('hex')}`;
  const to = `to-${randomBytes(5).toString('hex')}`;

  before(async () => {
    const { theirs, ours } = dropIn();
    await expectDone(theirs.put(`/${from}`));
    await expectDone(theirs.put(`/${from}/${ODD}`, 'before versions'));
    await expectDone(theirs.put(`/${from}?versioning`, ENABLED));
    // Several within one second: only their ids tell which is older.
    for (const body of ['1', '2', '3']) {
      const headers = { 'content-type': `text/x-${body}`, 'x-amz-meta-n': body };
      await expectDone(
        theirs.send({ method: 'PUT', path: `/${from}/${ODD}`, body: Buffer.from(body), headers }),
      );
    }
    await expectDone(theirs.put(`/${from}/removed`, 'x'));
    await expectDone(theirs.send({ method: 'DELETE', path: `/${from}/removed` }));
    await expectDone(ours.put(`/${to}`));
  });

  function copy() {
    const { key } = dropIn().lab.user('test:tester');
    return runProgram('python3', [SCRIPT, from, to], {
      env: {
        ...{ OLD: dropIn().lab.state.s3api, NEW: dropIn().endpoint },
        ...{ AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: key },
        ...{ AWS_EC2_METADATA_DISABLED: 'true', BOTO_DISABLE_CRT: 'true', HOME: '/nonexistent' },
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
  }

  it('refuses a bucket that keeps no versions', async () => {
    const { code, stderr } = await copy();
    expect(code, stderr).to.equal(1);
    expect(stderr).to.contain(`${to}: expected a bucket that keeps versions`);
    expect(await versionsOf(dropIn().ours, to, ODD)).to.deep.equal([]);
  });

  it('copies versions in their order, what is deleted as deleted', async () => {
    await expectDone(dropIn().ours.put(`/${to}?versioning`, ENABLED));
    const { code, stdout, stderr } = await copy();
    expect(code, stderr).to.equal(0);
    expect(stdout).to.equal('6 versions and delete markers copied\n');
    const ids = await versionsOf(dropIn().ours, to, ODD);
    const bodies: string[] = [];
    for (const id of ids)
      bodies.push((await dropIn().ours.get(`/${to}/${ODD}?versionId=${id}`)).text);
    expect(bodies).to.deep.equal(['3', '2', '1', 'before versions']);
    const [ours, theirs] = [
      await dropIn().ours.get(`/${to}/${ODD}`),
      await dropIn().theirs.get(`/${from}/${ODD}`),
    ];
    expect(toldOf(ours)).to.deep.equal(toldOf(theirs));
    expect((await dropIn().ours.get(`/${to}/removed`)).status).to.equal(404);
    expect(await versionsOf(dropIn().ours, to, 'removed')).to.have.length(1);
  });

  it('copies nothing over what is there', async () => {
    const { code, stderr } = await copy();
    expect(code, stderr).to.equal(1);
    expect(stderr).to.contain(`${to}: expected a bucket without a version in it`);
  });
});

/** Ids of a key's versions, newest first, without delete markers. */
async function versionsOf(s3: S3TestClient, bucket: string, key: string): Promise<string[]> {
  const { text } = await s3.get(`/${bucket}?versions&prefix=${key}`);
  const versions = text.matchAll(/<Version>.*?<VersionId>([^<]+)<.*?<\/Version>/gs);
  return [...versions].map((match) => match[1] ?? '');
}

async function expectDone(answer: Promise<{ readonly status: number; readonly text: string }>) {
  const { status, text } = await answer;
  expect(status, text).to.be.oneOf([200, 204]);
}
