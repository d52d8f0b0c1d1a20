import { expect } from 'chai';
import { partList, UploadBench } from '../integration/multipart-bench.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS, type SwiftLab } from '../support/swift-lab.js';

describeWith(SWIFT_NEEDS, 'a part that Swift does not list yet', function () {
  this.timeout(120_000);

  const bench = new UploadBench();
  let lab: SwiftLab;
  let containerServers: string[];

  before(async () => {
    lab = await sharedSwiftLab();
    const names = (await lab.status()).map(({ name }) => name);
    containerServers = names.filter((name) => name.startsWith('container-server'));
    await bench.start();
  });

  after(async () => {
    await lab.startServices(...containerServers);
    await bench.stop();
  });

  it('is completed like any other, with its checksum', async () => {
    const path = '/parts/unlisted';
    const uploadId = await bench.create(path, { 'x-amz-checksum-algorithm': 'SHA256' });
    const old = await bench.checkedPart(path, uploadId, 1, Buffer.from('old'));
    // Object servers keep what they have to tell until an updater runs, and none does.
    await lab.stopServices(...containerServers);
    const etag = await bench.checkedPart(path, uploadId, 1, Buffer.from('new'));
    await lab.startServices(...containerServers);

    const { text } = await bench.s3.get(`${path}?uploadId=${uploadId}`);
    expect(text, 'the listing lags').to.contain(old.replaceAll('"', '&quot;'));
    const refused = await bench.complete(path, uploadId, partList([old]));
    expect([refused.status, refused.code]).to.deep.equal([400, 'InvalidPart']);
    const done = await bench.complete(path, uploadId, partList([etag]));
    expect([done.status, done.code]).to.deep.equal([200, undefined]);
    expect(done.text).to.contain('<ChecksumSHA256>');
    expect((await bench.s3.get(path)).text).to.equal('new');
  });
});
