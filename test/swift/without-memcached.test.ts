import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import type { S3TestClient } from '../support/s3-client.js';
import { startService } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { ENABLED, s3Of } from './support.js';

describeWith(SWIFT_NEEDS, 'the gateway while memcached is away', function () {
  this.timeout(120_000);

  const bucket = `no-memcached-${randomBytes(5).toString('hex')}`;
  const versioned = `${bucket}-versions`;
  const lab = useOnce(sharedSwiftLab, 'heal');

  before(async () => {
    await withGateway(async (s3) => {
      expect((await s3.put(`/${bucket}`)).status).to.equal(200);
      expect((await s3.put(`/${bucket}/a`, 'old')).status).to.equal(200);
      expect((await s3.put(`/${versioned}`)).status).to.equal(200);
      expect((await s3.put(`/${versioned}?versioning`, ENABLED)).status).to.equal(200);
    });
    await lab().killServices('memcached');
  });

  async function withGateway(
    use: (s3: S3TestClient) => Promise<void>,
    keys: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const config = { ...lab().gatewayKeys(), ...keys };
    const service = await startService({ config, listeners: 1 });
    const s3 = s3Of(lab(), service.endpoint);
    try {
      await use(s3);
    } finally {
      await s3.close();
      await service.stop();
    }
  }

  it('starts, reads, lists, writes and deletes; what has to be exclusive is refused', async () => {
    await withGateway(async (s3) => {
      expect((await s3.get(`/${bucket}/a`)).text).to.equal('old');
      expect((await s3.put(`/${bucket}/a`, 'new')).status).to.equal(200);
      expect((await s3.head(`/${bucket}/a`)).status).to.equal(200);
      expect((await s3.get(`/${bucket}/a`)).text).to.equal('new');
      const large = randomBytes(300_000);
      expect((await s3.put(`/${bucket}/large`, large)).status).to.equal(200);
      expect((await s3.get(`/${bucket}/large`)).body.equals(large)).to.equal(true);
      const { text } = await s3.get(`/${bucket}?list-type=2`);
      expect(text).to.include('<Key>a</Key>').and.to.include('<Key>large</Key>');
      expect((await s3.delete(`/${bucket}/large`)).status).to.equal(204);
      expect((await s3.get(`/${bucket}/large`)).status).to.equal(404);
      expect((await s3.put(`/${bucket}-new`)).status).to.equal(200);
      expect((await s3.put(`/${versioned}/a`, 'x')).code).to.equal('ServiceUnavailable');
    });
  });

  it('is not held up by one that is paused', async () => {
    await lab().startServices('memcached');
    await lab().pauseServices('memcached');
    try {
      // A proxy that waits for memcached as Swift does takes four seconds for each.
      const keys = { swift_headers_timeout_ms: 2500, swift_proxy_hedge_percent: 0 };
      await withGateway(async (s3) => {
        for (let i = 0; i < 3; i++) {
          expect((await s3.put(`/${bucket}/paused-${i}`, 'new')).status).to.equal(200);
          expect((await s3.get(`/${bucket}/paused-${i}`)).text).to.equal('new');
          expect((await s3.get(`/${bucket}?list-type=2`)).status).to.equal(200);
        }
      }, keys);
    } finally {
      await lab().resumeServices('memcached');
    }
  });
});
