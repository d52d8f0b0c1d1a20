import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { openCluster } from '../contract/swift.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';

const CONTEXT = { requestId: 'updates' };
const GATEWAYS = 3;
const CHANGES = 12;

describeWith(SWIFT_NEEDS, 'updates of one object of Swift by several gateways', function () {
  this.timeout(120_000);

  const gateways = useOnce(
    async () => {
      const lab = await sharedSwiftLab();
      return Promise.all(Array.from({ length: GATEWAYS }, () => openCluster(lab)));
    },
    (opened) => Promise.all(opened.map((gateway) => gateway.close())),
  );

  it('lose no change that was acknowledged', async () => {
    const [first] = gateways();
    const container = { account: 'AUTH_test', container: `u-${randomBytes(6).toString('hex')}` };
    const ref = { ...container, object: 'key' };
    const body = Buffer.from('body');
    await first?.backend.createContainer(CONTEXT, container, {});
    await first?.backend.putObject(CONTEXT, ref, {
      size: body.length,
      contentType: 'text/plain',
      systemMetadata: { before: 'x' },
      body,
    });
    const names = Array.from({ length: CHANGES }, (_, i) => `change-${i}`);
    const done = await Promise.allSettled(
      names.map(async (name, i) => {
        const update = { systemMetadata: { [name]: 'made' } };
        await gateways()[i % GATEWAYS]?.backend.updateObject(CONTEXT, ref, update);
      }),
    );
    const told = names.filter((_, i) => done[i]?.status === 'fulfilled');
    const head = await first?.backend.headObject(CONTEXT, ref, { newest: true });
    expect(head?.systemMetadata).to.include({ before: 'x' });
    expect(told.filter((name) => head?.systemMetadata[name] !== 'made')).to.deep.equal([]);
    expect(told.length).to.be.above(CHANGES / 2);
  });
});
