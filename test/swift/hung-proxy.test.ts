import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import type { S3Answer, S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { s3Of } from './support.js';

/** Of two proxies one is paused, then both. */
describeWith(SWIFT_NEEDS, "the gateway while Swift's proxies hang", function () {
  this.timeout(180_000);

  const bucket = `hung-proxy-${randomBytes(5).toString('hex')}`;
  const keys = Array.from({ length: 8 }, (_, i) => `/${bucket}/key-${i}`);
  const lab = useOnce(sharedSwiftLab);
  let service: Service;
  let s3: S3TestClient;
  /** Of those that work at the same time: a client has one connection. */
  const clients: S3TestClient[] = [];

  afterEach(async () => {
    await lab().resumeServices('proxy-1', 'proxy-2');
    await Promise.all(clients.splice(0).map((each) => each.close()));
    await service.stop();
  });

  function client(): S3TestClient {
    const opened = s3Of(lab(), service.endpoint);
    clients.push(opened);
    return opened;
  }

  async function start(config: Readonly<Record<string, unknown>>): Promise<void> {
    // Less than an operator's, so that the test is over sooner.
    const quick = { probe_interval_ms: 500, swift_probe_timeout_ms: 700 };
    const given = { ...lab().gatewayKeys(), ...quick, ...config };
    service = await startService({ config: given, listeners: 1 });
    s3 = client();
  }

  async function admin(path: string): Promise<string> {
    return (await fetch(service.adminEndpoint + path)).text();
  }

  async function putAll(suffix: string): Promise<void> {
    for (const key of keys) expect((await s3.put(key, key + suffix)).status).to.equal(200);
  }

  it('serves reads and writes while one does', async () => {
    // Longer than this test may take: nothing of what has to move may wait for it.
    await start({ swift_headers_timeout_ms: 600_000 });
    expect((await s3.put(`/${bucket}`)).status).to.equal(200);
    await putAll('');
    const isOut = (): boolean => service.output().includes('it stands still');
    const untilOut = async (send: (own: S3TestClient) => Promise<S3Answer>): Promise<number[]> => {
      const own = client();
      const statuses: number[] = [];
      while (!isOut()) statuses.push((await send(own)).status);
      return statuses;
    };
    const readers = keys.slice(0, 3).map((key) => untilOut((own) => own.get(key)));
    // Of keys of their own: what the hung proxy was sent it does when it goes on, so late that it
    // replaces what was written since.
    const writers = [0, 1, 2].map((i) => untilOut((own) => own.put(`/${bucket}/late-${i}`, 'x')));
    await lab().pauseServices('proxy-1');
    for (const statuses of await Promise.all(readers)) {
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
    }
    await putAll(' again');
    for (const key of keys) expect((await s3.get(key)).text).to.equal(`${key} again`);
    expect(service.output()).to.include('a proxy is left out');
    const metrics = await admin('/metrics');
    expect(metrics).to.match(/ringway_backend_failures_total\{cause="(?:hung|timeout)"\} [1-9]/);
    expect(await admin('/readyz?verbose')).to.match(
      /backend calls: ok, .*(?:hung|timeout).*\n[^]*\nready\n$/,
    );
    await lab().resumeServices('proxy-1');
    for (const statuses of await Promise.all(writers)) {
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
    }
    await eventually(
      () => Promise.resolve(service.output()),
      (output) => output.includes('a proxy is well again'),
    );
  });

  it('fails in time while both do, and says so', async () => {
    await start({ swift_headers_timeout_ms: 1000 });
    const [key = ''] = keys;
    await lab().pauseServices('proxy-1', 'proxy-2');
    const answers = await Promise.all([s3.get(key), client().put(`/${bucket}/late`, 'x')]);
    expect(answers.map(({ status }) => status)).to.deep.equal([503, 503]);
    await eventually(
      () => admin('/readyz'),
      (state) => state === 'unavailable\n',
    );
    await lab().resumeServices('proxy-1', 'proxy-2');
    await eventually(
      () => admin('/readyz'),
      (state) => state === 'ready\n',
    );
    expect((await s3.get(key)).text).to.equal(`${key} again`);
  });
});
