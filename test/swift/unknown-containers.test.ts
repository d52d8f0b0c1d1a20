import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useGateway } from './support.js';

const ACCOUNT_SERVERS = ['account-server.node1', 'account-server.node2'];
const CONTAINER_SERVERS = ['container-server.node1', 'container-server.node2'];

/**
 * Swift answers a PUT, POST or DELETE of an object with 404 when it cannot read the container, or
 * the account before it, and looks for the object in the default policy when it reads.
 */
describeWith(SWIFT_NEEDS, 'containers that Swift cannot look up', function () {
  this.timeout(120_000);

  const bucket = `unknown-${randomBytes(5).toString('hex')}`;
  const lab = useOnce(sharedSwiftLab);
  // A policy that is not the default.
  const { s3 } = useGateway(lab, { swift_storage_policy: 'silver' });

  before(async () => {
    expect((await s3().put(`/${bucket}`)).status).to.equal(200);
    expect((await s3().put(`/${bucket}/kept`, 'kept')).status).to.equal(200);
  });

  afterEach(() => lab().heal());

  for (const [what, servers] of [
    ['account', ACCOUNT_SERVERS],
    ['container', CONTAINER_SERVERS],
  ] as const) {
    it(`denies and deletes nothing while no ${what} server answers`, async () => {
      await lab().killServices(...servers, 'memcached');
      await lab().startServices('memcached');
      const path = `/${bucket}/kept`;
      const statuses = {
        get: (await s3().get(path)).status,
        put: (await s3().put(`/${bucket}/new`, 'new')).status,
        delete: (await s3().delete(path)).status,
      };
      expect(statuses).to.deep.equal({ get: 503, put: 503, delete: 503 });
      await lab().heal();
      const kept = await eventually(
        () => s3().get(path),
        ({ status }) => status !== 503,
      );
      expect(kept.text).to.equal('kept');
    });
  }
});
