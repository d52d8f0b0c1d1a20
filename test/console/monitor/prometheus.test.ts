import { expect } from 'chai';
import { startNodeExporter, startPrometheus, type Proxy } from '../../support/proxy.js';
import { eventually } from '../../support/eventually.js';
import { useOnce } from '../../support/fixture.js';
import { describeWith, program } from '../../support/needs.js';
import { S3TestClient } from '../../support/s3-client.js';
import { startService, type Service } from '../../support/service.js';
import { codeOf, type ConsoleClient } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { FakeServer, tileOf, type ChartJson, type OverviewJson } from './support.js';
import { MONITOR } from '../../../console/surfaces/monitor/surface.js';

const NODES = [
  { name: 'node-a', storage_ip: '127.0.0.1' },
  { name: 'node-b', storage_ip: '127.0.0.2' },
];

describeWith(
  [program('prometheus'), program('prometheus-node-exporter')],
  'Monitor with a real Prometheus',
  function () {
    let service: Service;
    let exporters: Proxy[];
    let prometheus: Proxy;
    let bed: TestBed;
    let operator: ConsoleClient;

    before(async () => {
      service = await startService({ listeners: 1 });
      exporters = await Promise.all(NODES.map(({ storage_ip }) => startNodeExporter(storage_ip)));
      const hosts = exporters.map(({ endpoint }) => `'${new URL(endpoint).host}'`);
      const admin = new URL(service.adminEndpoint).host;
      prometheus = await startPrometheus(
        `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - { job_name: ringway, static_configs: [{ targets: ['${admin}'] }] }
  - { job_name: node, static_configs: [{ targets: [${hosts.join(', ')}] }] }
`,
        {
          'rules.yml': `
groups:
  - name: own
    rules:
      - alert: HostGone
        expr: up{job="node"} == 0
        labels: { severity: page }
        annotations: { summary: 'Host {{ $labels.instance }} is gone, see http://wiki/{{ $labels.instance }}' }
`,
        },
      );
      bed = await startTestBed({
        metrics_url: prometheus.endpoint,
        recon_interval_s: 3600,
        cluster_nodes: NODES,
        metrics_queries: { rejected: 'rate(' },
      });
      operator = await bed.login();
    });
    after(async () => {
      await bed.close();
      await Promise.all([prometheus, ...exporters].map((one) => one.stop()));
      await service.stop();
    });

    async function overview(): Promise<OverviewJson> {
      bed.clock.nowMs = Date.now();
      await bed.console.service(MONITOR)?.tick();
      return await operator.read('/api/monitor/overview');
    }

    it('shows what the service counts', async () => {
      const s3 = new S3TestClient(service);
      const seen = await eventually(
        async () => {
          await s3.get('/');
          return overview();
        },
        (one) =>
          (tileOf(one, 'requests_per_s').value ?? 0) > 0 &&
          tileOf(one, 'latency_p99').value !== null &&
          tileOf(one, 'nodes_online').value === 2,
      );
      expect(seen.source).to.equal('prometheus');
      expect(tileOf(seen, 'error_ratio').value).to.equal(0);
      expect(tileOf(seen, 'nodes_online')).to.include({ of: 2, state: 'ok' });
    });

    it('takes every query of its panels, and draws them without an address', async () => {
      const { items } = await operator.read<{ items: { id: string; available: boolean }[] }>(
        '/api/monitor/panels',
      );
      const to = Date.now() / 1000;
      for (const { id, available } of items) {
        if (!available || id === 'rejected') continue;
        const answer = await operator.get(
          `/api/monitor/series?panel=${id}&from=${to - 3600}&to=${to}`,
        );
        expect(answer.status, `${id} ${answer.text}`).to.equal(200);
        expect(answer.text).to.not.match(/127\.0\.0\.\d/);
      }
      const nodes = (days: number, aheadS = 0) => {
        const range = `from=${to - days * 86_400}&to=${to + aheadS}`;
        return operator.get(`/api/monitor/series?panel=nodes_online&${range}`);
      };
      // To the next point, so that there is one since the store began.
      const hour = (await nodes(1 / 24, 15)).json() as ChartJson;
      const names = hour.series.map(({ labels }) => labels.node).sort();
      expect(names).to.deep.equal(['node-a', 'node-b']);
      expect(hour.series[0]?.points.length).to.be.within(240, 242);
      const month = (await nodes(30)).json() as ChartJson;
      expect(month.step_s).to.equal(10_800);
    });

    it('says that a query of the configuration is wrong', async () => {
      const to = Date.now() / 1000;
      const answer = await operator.get(
        `/api/monitor/series?panel=rejected&from=${to - 900}&to=${to}`,
      );
      expect(answer.status).to.equal(422);
      expect(codeOf(answer)).to.equal('panel_misconfigured');
    });

    it("has a node less when its exporter is killed, and Prometheus' own alert of it", async () => {
      await exporters[1]?.stop();
      const seen = await eventually(
        overview,
        (one) =>
          tileOf(one, 'nodes_online').value === 1 &&
          one.alerts.some(({ name, state }) => name === 'HostGone' && state === 'firing'),
      );
      expect(tileOf(seen, 'nodes_online')).to.include({ of: 2, state: 'warn' });
      const own = seen.alerts.find(({ name }) => name === 'NodeDown');
      expect(own).to.include({ node: 'node-b', origin: 'console', severity: 'critical' });
      const theirs = seen.alerts.find(({ name }) => name === 'HostGone');
      expect(theirs).to.include({
        node: 'node-b',
        origin: 'prometheus',
        severity: 'critical',
        title: 'Host node-b is gone, see (address)',
      });
    });

    it('knows nothing once Prometheus is killed, and still answers', async () => {
      await prometheus.stop();
      const seen = await overview();
      for (const id of ['nodes_online', 'requests_per_s', 'error_ratio', 'latency_p99']) {
        expect(tileOf(seen, id), id).to.include({ value: null, state: 'unknown' });
        expect(tileOf(seen, id).reason).to.match(/^no data since .*: not responding$/);
        expect(tileOf(seen, id).last_unix_s).to.be.greaterThan(1.7e9);
      }
      expect(seen.alerts.some(({ name }) => name === 'NodeDown')).to.equal(true);
      const to = Date.now() / 1000;
      const answer = await operator.get(
        `/api/monitor/series?panel=latency&from=${to - 900}&to=${to}`,
      );
      expect(answer.status).to.equal(200);
      expect(answer.json()).to.deep.include({ series: [], missing: ['the metrics store: not responding'] }); // prettier-ignore
    });
  },
);

describe('Monitor with a metrics store and a log store', () => {
  const store = useOnce(() => new FakeServer(() => undefined).start(), 'stop');
  const loki = useOnce(() => new FakeServer(() => undefined).start(), 'stop');
  const bed = useOnce(() => {
    const urls = { metrics_url: store().url, logs_url: loki().url };
    const logs_labels = { service: 'app', node: 'host' };
    const rest = { recon_interval_s: 3600, cluster_nodes: NODES };
    return startTestBed({ ...urls, logs_labels, ...rest });
  }, 'close');
  const operator = useOnce(() => bed().login());

  async function requestsTile() {
    bed().clock.nowMs += 10_000;
    await bed().console.service(MONITOR)?.tick();
    return tileOf(await operator().read('/api/monitor/overview'), 'requests_per_s');
  }

  for (const [title, answer] of [
    ['something else', 'hello'],
    ['JSON of another shape', { status: 'success', data: { resultType: 'matrix', result: [{}] } }],
    ['no result', { status: 'success' }],
    ['an error of its own', { status: 'error', errorType: 'internal' }],
  ] as const) {
    it(`knows nothing when the metrics store answers ${title}`, async () => {
      store().answers = () => answer;
      expect(await requestsTile()).to.include({ value: null, state: 'unknown' });
    });
  }

  it('knows nothing when the metrics store has no such series', async () => {
    store().answers = () => ({
      status: 'success',
      data: { resultType: 'vector', result: [], alerts: [] },
    });
    expect(await requestsTile()).to.include({ value: null, state: 'unknown' });
  });

  it('calls nodes by their names where logs are found, and takes these back', async () => {
    loki().answers = ({ pathname }) => {
      if (pathname.endsWith('/label/app/values')) return { status: 'success', data: ['proxy'] };
      if (pathname.endsWith('/label/host/values'))
        return { status: 'success', data: ['127.0.0.2'] };
      const stream = { app: 'proxy', host: '127.0.0.2' };
      const values = [['1800000000000000000', 'GET /', {}]];
      return { status: 'success', data: { resultType: 'streams', result: [{ stream, values }] } };
    };
    const { lines, nodes } = await operator().read<{
      lines: Record<string, unknown>[];
      nodes: string[];
    }>('/api/monitor/logs?nodes=node-b');
    expect(nodes).to.deep.equal(['node-b']);
    expect(lines[0]).to.include({ service: 'proxy', node: 'node-b', line: 'GET /', unix_s: 1.8e9 });
    const query = loki().asked.at(-1)?.searchParams.get('query');
    expect(query).to.equal(String.raw`{app=~".+", host=~"127\\.0\\.0\\.2"}`);
  });

  it('puts lines of several streams in the order in which they were written', async () => {
    const at = (ns: number) => `18000000000000000${ns}`;
    const streamOf = (host: string, ...times: number[]) => ({
      stream: { app: 'proxy', host },
      values: times.map((ns) => [at(ns), `line ${ns}`]),
    });
    const result = [streamOf('a', 32, 30), streamOf('b', 33, 31)];
    loki().answers = () => ({ status: 'success', data: { resultType: 'streams', result } });
    const { lines } = await operator().read<{ lines: { line: string }[] }>('/api/monitor/logs');
    const texts = lines.map(({ line }) => line);
    expect(texts).to.deep.equal(['line 33', 'line 32', 'line 31', 'line 30']);
  });

  it('says that logs are unknown when the log store fails', async () => {
    loki().answers = (_url, response) => response.writeHead(500).end('boom at 10.0.0.1');
    const logs = await operator().read<Record<string, unknown>>('/api/monitor/logs');
    expect(logs).to.deep.include({ state: 'unknown', lines: [] });
    expect(logs.reason).to.equal('Logs are unavailable: it answers with status 500.');
  });
});
