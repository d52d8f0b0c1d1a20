import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS, type SwiftLab } from '../support/swift-lab.js';

/** Of two proxies one is paused, then both. */
describeWith(SWIFT_NEEDS, "the gateway while Swift's proxies hang", function () {
  this.timeout(120_000);

  const bucket = `hung-proxy-${randomBytes(5).toString('hex')}`;
  const keys = Array.from({ length: 24 }, (_, i) => `/${bucket}/key-${i}`);
  let lab: SwiftLab;
  let service: Service;
  let s3: S3TestClient;

  before(async () => {
    lab = await sharedSwiftLab();
    await lab.heal();
  });
  afterEach(async () => {
    await lab.heal();
    await s3.close();
    await service.stop();
  });

  async function start(config: Readonly<Record<string, unknown>>): Promise<void> {
    // Less than an operator's, so that the test is over sooner.
    const quick = { probe_interval_ms: 500, swift_probe_timeout_ms: 700 };
    const given = { ...lab.gatewayKeys(), ...quick, ...config };
    service = await startService({ config: given, listeners: 1 });
    const { key: secretKey } = lab.user('test:tester');
    s3 = new S3TestClient({ endpoint: service.endpoint, accessKey: 'test:tester', secretKey });
  }

  async function admin(path: string): Promise<string> {
    return (await fetch(service.adminEndpoint + path)).text();
  }

  it('serves reads and writes while one does', async () => {
    // Longer than this test may take: nothing is to wait for it.
    await start({ swift_headers_timeout_ms: 600_000 });
    expect((await s3.put(`/${bucket}`)).status).to.equal(200);
    for (const key of keys) expect((await s3.put(key, key)).status).to.equal(200);
    const statuses: number[] = [];
    const isOut = (): boolean => service.output().includes('it stands still');
    const writers = keys.slice(0, 6).map(async (key) => {
      while (!isOut()) statuses.push((await s3.put(key, key)).status, (await s3.get(key)).status);
    });
    await lab.pauseServices('proxy-1');
    await Promise.all(writers);
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    const writes = keys.map(async (key) => (await s3.put(key, `${key} again`)).status);
    expect(new Set(await Promise.all(writes))).to.deep.equal(new Set([200]));
    const reads = keys.map(async (key) => (await s3.get(key)).text);
    expect(await Promise.all(reads)).to.deep.equal(keys.map((key) => `${key} again`));
    expect(service.output()).to.include('a proxy is left out');
    const metrics = await admin('/metrics');
    expect(metrics).to.match(/ringway_backend_failures_total\{cause="(?:hung|timeout)"\} [1-9]/);
    expect(await admin('/readyz?verbose')).to.match(
      /backend calls: ok, .*(?:hung|timeout).*\n[^]*\nready\n$/,
    );
    await lab.resumeServices('proxy-1');
    await eventually(
      () => Promise.resolve(service.output()),
      (output) => output.includes('a proxy is well again'),
    );
  });

  it('fails in time while both do, and says so', async () => {
    await start({ swift_headers_timeout_ms: 1000 });
    const [key = ''] = keys;
    await lab.pauseServices('proxy-1', 'proxy-2');
    const answers = await Promise.all([s3.get(key), s3.put(key, 'x')]);
    expect(answers.map(({ status }) => status)).to.deep.equal([503, 503]);
    await eventually(
      () => admin('/readyz'),
      (state) => state === 'unavailable\n',
    );
    await lab.resumeServices('proxy-1', 'proxy-2');
    await eventually(
      () => admin('/readyz'),
      (state) => state === 'ready\n',
    );
    expect((await s3.get(key)).text).to.equal(`${key} again`);
  });
});
