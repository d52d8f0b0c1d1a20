import { get } from 'node:http';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useEach } from '../support/fixture.js';
import { useRuns } from './support/supervised.js';

interface LokiStreams {
  readonly data: {
    readonly result: readonly {
      readonly stream: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [string, string])[];
    }[];
  };
}

describe('supervisor: admin port', () => {
  const runs = useRuns('admin');
  const service = useEach(async () => {
    const started = runs().start({ listeners: 2, admin_allowed_hosts: ['mon.example'] });
    return (await started).ready();
  });

  async function readyz(): Promise<readonly [status: number, text: string]> {
    const response = await service().admin('/readyz?verbose');
    return [response.status, await response.text()];
  }

  it('answers under no name that could be made to point at it', async () => {
    const [host = '', port = ''] = (await service().adminAddress()).split(':');
    const statusFor = (name: string, path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        get({ host, port, path, headers: { host: name } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        }).on('error', reject);
      });
    for (const path of ['/metrics', '/statusz', '/readyz?verbose', '/loki/api/v1/labels', '/x']) {
      expect(await statusFor(`rebound.example:${port}`, path), path).to.equal(421);
    }
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, '192.0.2.1:1', '[2001:db8::1]']) {
      expect(await statusFor(name, '/metrics'), name).to.equal(200);
    }
    for (const name of ['mon.example', `mon.example:${port}`]) {
      expect(await statusFor(name, '/metrics'), name).to.equal(200);
    }
    // Load balancers that check under a name of their own learn one word.
    for (const path of ['/livez', '/readyz']) {
      expect(await statusFor('health.example', path), path).to.equal(200);
    }
  });

  it('adds up the listeners, and keeps the totals of one that has gone', async () => {
    await service().control(1, '/count?n=5');
    await service().control(2, '/count?n=3');
    expect(await service().metric('fake_total')).to.equal(8);
    await service().control(1, '/crash');
    await service().untilMetric(
      'ringway_listener_restarts_total{reason="exit"}',
      (restarts) => restarts === 1,
    );
    expect(await service().metric('fake_total')).to.equal(8);
    await service().control(2, '/count?n=2');
    expect(await service().metric('fake_total')).to.equal(10);
  });

  it('forgets the gauges of one that has gone', async () => {
    await service().control(1, '/begin');
    expect(await service().metric('fake_in_flight')).to.equal(1);
    await service().control(1, '/crash');
    await eventually(
      () => service().children(),
      ([first]) => first?.restarts === 1 && first.state === 'up',
    );
    expect(await service().metric('fake_in_flight')).to.equal(0);
  });

  it('shows the last values of a silent listener, and that it is silent', async () => {
    await service().control(1, '/count?n=5');
    expect(await service().metric('fake_total')).to.equal(5);
    await service().control(1, '/mute');
    expect(await service().metric('fake_total', 1)).to.equal(5);
  });

  it('serves Prometheus text with what the supervisor knows itself', async () => {
    const response = await service().admin('/metrics');
    expect(response.headers.get('content-type')).to.equal(
      'text/plain; version=0.0.4; charset=utf-8',
    );
    const text = await response.text();
    expect(text).to.match(
      /^ringway_build_info\{version="[\d.]+",revision="\w+",node="\d+\.[\d.]+"\} 1$/m,
    );
    expect(text).to.match(/^ringway_listener_up\{worker="2"\} 1$/m);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of lines) expect(line).to.match(/^[a-z_]+(\{.+\})? [-\d.e+]+$/);
  });

  it('is alive, whatever the backend says', async () => {
    await service().control(1, '/sick');
    await service().control(2, '/sick');
    await eventually(readyz, ([status]) => status === 503);
    expect((await service().admin('/livez')).status).to.equal(200);
  });

  it('is ready while one listener is well, and says what is wrong with the other', async () => {
    await service().control(1, '/sick');
    const [, text] = await eventually(
      readyz,
      ([status, body]) => status === 200 && body.includes('sick'),
    );
    expect(text).to.match(/^\[-\] listener 1 backend: failed, sick \(\d+\.\d s ago\)$/m);
    expect(text).to.match(/^\[\+\] listener 2 backend: ok \(\d+\.\d s ago\)$/m);
    await service().control(2, '/sick');
    const [, sick] = await eventually(readyz, ([code]) => code === 503);
    expect(sick).to.match(/\nunavailable\n$/);
    await service().control(2, '/well');
    await eventually(readyz, ([code]) => code === 200);
  });

  it('tells what runs', async () => {
    const status = await service().status();
    expect(status).to.include({ phase: 'running', pid: service().pid });
    expect(status).to.have.keys(
      ...['version', 'revision', 'node', 'pid', 'started_at', 'phase'],
      ...['cpu_s', 'rss_bytes', 'configuration_hash', 's3_listen', 'listeners', 'children'],
    );
    const { s3_listen: s3, listeners } = status;
    expect(listeners).to.deep.equal({ s3, admin: await service().adminAddress() });
    expect(JSON.stringify(status)).not.to.match(/secret/i);
  });

  it('serves the last lines of all processes, as Loki does', async () => {
    const query = encodeURIComponent('{process="supervisor"} |= "listener up"');
    const path = `/loki/api/v1/query_range?query=${query}`;
    const found = await eventually(
      async () => (await (await service().admin(path)).json()) as LokiStreams,
      ({ data }) => data.result.length === 2,
    );
    expect(found.data.result[0]?.stream).to.include({ service: 'ringway', level: 'info' });
    await service().control(1, '/complain');
    const complaints = encodeURIComponent('{process="listener"}');
    await eventually(
      async () => (await service().admin(`/loki/api/v1/query_range?query=${complaints}`)).text(),
      (text) => text.includes('fake listener complains'),
    );
    await service().sees(/^fake listener complains$/m);
    const values = await service().admin('/loki/api/v1/label/process/values');
    expect(await values.json())
      .to.have.property('data')
      .that.includes('listener');
    const labels = await service().admin('/loki/api/v1/labels');
    expect(await labels.json()).to.have.property('status', 'success');
    expect((await service().admin('/loki/api/v1/query_range?query=x')).status).to.equal(400);
  });

  it('tells where the time goes, as far as it is known', async () => {
    const report = await (await service().admin('/recon/stage')).json();
    expect(report).to.include({ v: 1, service: 'gateway' }).and.deep.include({ paths: {} });
  });

  it('answers nothing else', async () => {
    expect((await service().admin('/loki/api/v1/label/*/values')).status).to.equal(404);
    expect((await service().admin('/')).status).to.equal(404);
    expect((await service().admin('/constructor')).status).to.equal(404);
    const posted = await service().admin('/metrics', { method: 'POST', body: 'x' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    const head = await service().admin('/livez', { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
  });
});
