import { expect } from 'chai';
import type { Exchange, HttpResponse, RequestHead } from '../../../src/http/exchange.js';
import { TrustedProxies } from '../../../src/http/trusted-proxies.js';
import { ListenerHealth } from '../../../src/processes/listener-health.js';
import { Addressing } from '../../../src/s3/endpoint/addressing.js';
import { withHealthPath, type S3Health } from '../../../src/s3/request/health-path.js';
import { isValidBucketName } from '../../../src/s3/rules/bucket-name.js';
import { parseKey } from '../../../src/config/schema.js';
import { requestHead } from '../../support/requests.js';

const addressing = new Addressing(
  { baseDomains: ['s3.example.com'], externalHosts: [] },
  new TrustedProxies([]),
);

/** The answer; `passed on` when it is S3's to answer. */
async function ask(
  request: RequestHead,
  { path = '/_health', health = 'ready' }: { path?: string; health?: S3Health } = {},
): Promise<string> {
  let answer = 'passed on';
  const respond = (response: HttpResponse) => {
    answer = `${response.status} ${(response.body as string).trim()}`;
    return Promise.resolve({ bytesSent: 0, abortedBy: null });
  };
  const handler = withHealthPath({ path, addressing, health: () => health }, () => undefined);
  await handler({ request, respond } as unknown as Exchange);
  return answer;
}

describe('s3: health path', () => {
  const check = requestHead('GET', '/_health', { host: '10.0.0.1:8000' });

  it('tells how the listener is', async () => {
    expect(await ask(check)).to.equal('200 ready');
    expect(await ask(check, { health: 'draining' })).to.equal('503 draining');
    expect(await ask(check, { health: 'unavailable' })).to.equal('503 unavailable');
    expect(await ask(requestHead('HEAD', '/_health?x=1', { host: 'a' }))).to.equal('200 ready');
  });

  it('takes nothing from S3', async () => {
    const others = [
      requestHead('PUT', '/_health', { host: 'a' }),
      requestHead('GET', '/_health/', { host: 'a' }),
      requestHead('GET', '/_healthy', { host: 'a' }),
      requestHead('GET', '/', { host: 'a' }),
      requestHead('GET', '/_health', { host: 'bucket.s3.example.com' }),
    ];
    for (const request of others) expect(await ask(request)).to.equal('passed on');
    expect(await ask(requestHead('GET', '', { host: 'a' }), { path: '' })).to.equal('passed on');
  });

  it('can be configured for no path that a bucket could have', () => {
    const paths = ['/_health', '/_health-check', '/healthcheck', '/health', '/', '/a/_health', 'x'];
    for (const path of paths) {
      const accepted = parseKey('s3_health_path', path).ok;
      expect(accepted, path).to.equal(path.startsWith('/_'));
      if (accepted) expect(isValidBucketName(path.slice(1)), path).to.equal(false);
    }
  });
});

describe('listener: health', () => {
  it('goes by the last probe while it is fresh, and by a drain that is near', () => {
    let now = 0;
    const health = new ListenerHealth(100, () => now);
    expect(health.current).to.equal('unavailable');
    health.probed([{ name: 'backend', ok: true }]);
    expect(health.current).to.equal('ready');
    now = 301;
    expect(health.current).to.equal('unavailable');
    health.probed([
      { name: 'backend', ok: true },
      { name: 'identity', ok: false },
    ]);
    expect(health.current).to.equal('unavailable');
    health.leave();
    expect(health.current).to.equal('draining');
  });
});
