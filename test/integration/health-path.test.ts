import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

describe('integration: health on the S3 port', () => {
  it('is ready, and says that it drains while requests are still accepted', async () => {
    // Longer than it takes to look: the stop is hurried along by a second signal.
    const config = { s3_health_path: '/_health', drain_delay_ms: 600_000 };
    const service = await startService({ config, listeners: 1 });
    const look = async (): Promise<string> => {
      const response = await fetch(`${service.endpoint}/_health`);
      return `${response.status} ${(await response.text()).trim()}`;
    };
    try {
      expect(await look()).to.equal('200 ready');
      const before = await (await fetch(`${service.adminEndpoint}/metrics`)).text();
      expect(before).not.to.match(/^ringway_requests_total\{/m);
      process.kill(service.supervisorPid, 'SIGTERM');
      await eventually(look, (answer) => answer === '503 draining');
      expect((await fetch(`${service.endpoint}/bucket`)).status).to.equal(403);
    } finally {
      await service.kill9();
    }
  });
});
