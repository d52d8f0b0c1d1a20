import { expect } from 'chai';
import type { TraceView } from '../../../console/surfaces/monitor/trace.js';
import { MONITOR } from '../../../console/surfaces/monitor/surface.js';
import { useOnce } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { FakeGateway } from './gateway.js';
import { tileOf, type ChartJson, type OverviewJson } from './support.js';

describe('Monitor with the built-in collector', () => {
  const gateway = new FakeGateway();
  const server = useOnce(() => gateway.server.start(), 'stop');
  const bed = useOnce(
    () => startTestBed({ admin_url: server().url, recon_interval_s: 10 }),
    'close',
  );
  const operator = useOnce(() => bed().login());
  const monitor = () => bed().console.service(MONITOR);

  before(() => until(() => monitor()?.watch.statusOf('gateway').state === 'ok'));

  /** Ten seconds later. */
  async function tick(): Promise<OverviewJson> {
    bed().clock.nowMs += 10_000;
    await monitor()?.tick();
    return await operator().read('/api/monitor/overview');
  }

  it('is a surface of the session', async () => {
    const session = await operator().read<{ features: { monitor: boolean } }>('/api/session');
    expect(session.features.monitor).to.equal(true);
  });

  it('shows rates of what the gateway counted, and what is not measured as unknown', async () => {
    await tick();
    gateway.requests += 100;
    gateway.failed += 25;
    const overview = await tick();
    expect(overview.source).to.equal('embedded');
    expect(tileOf(overview, 'requests_per_s')).to.include({ value: 6.25, state: 'ok' });
    expect(tileOf(overview, 'error_ratio').value).to.equal(0.2);
    expect(tileOf(overview, 'latency_p99').value).to.be.closeTo(0.099, 1e-9);
    expect(tileOf(overview, 'nodes_online')).to.include({ value: 1, of: 1 });
    expect(tileOf(overview, 'async_pending')).to.include({
      value: null,
      state: 'unknown',
      reason: 'no cluster_nodes are configured',
    });
    expect(tileOf(overview, 'requests_per_s').spark?.at(-1)?.[1] ?? 6.25).to.be.greaterThan(0);
  });

  it('raises alerts once they held for their time, and colours their tiles', async () => {
    const names = ({ alerts }: OverviewJson) => alerts.map(({ name, state }) => `${String(name)} ${String(state)}`); // prettier-ignore
    expect(names(await tick())).to.include('ReloadFailed pending');
    bed().clock.nowMs += 60_000;
    gateway.requests += 1000;
    gateway.failed += 500;
    const first = await tick();
    expect(names(first)).to.include('ReloadFailed firing');
    expect(names(first)).to.include('ErrorRatio pending');
    expect(tileOf(first, 'error_ratio').state).to.equal('warn');
    for (let passed = 0; passed < 300; passed += 10) {
      gateway.requests += 100;
      gateway.failed += 50;
      await tick();
    }
    gateway.failed += 50;
    const last = await tick();
    expect(names(last)[0]).to.equal('ErrorRatio firing');
    expect(tileOf(last, 'error_ratio').state).to.equal('crit');
  });

  it('draws charts at times that are the same in all series', async () => {
    const to = bed().clock.nowMs / 1000;
    const path = `/api/monitor/series?panel=requests_by_code&from=${to - 900}&to=${to}`;
    const chart = await operator().read<ChartJson>(path);
    expect(chart.step_s).to.equal(20);
    expect(chart.series.map(({ labels }) => labels)).to.deep.equal([
      { code: '200' },
      { code: '500' },
    ]);
    const [first, second] = chart.series.map(({ points }) => points.map(([time]) => time));
    expect(first).to.deep.equal(second);
    expect(first?.every((time) => time % 20 === 0)).to.equal(true);
    expect(chart.series[0]?.points.some(([, value]) => value !== null && value > 0)).to.equal(true);
    expect(chart.missing.join()).to.match(/^before .* nothing was recorded$/);
  });

  it('says why a chart is empty', async () => {
    const path = '/api/monitor/series?panel=quarantined&from=1&to=1000';
    const chart = await operator().read<ChartJson>(path);
    expect(chart).to.deep.include({ series: [], missing: ['no cluster_nodes are configured'] });
  });

  it('has a table of the processes, with what they did since the last look', async () => {
    await tick();
    gateway.cpuS += 5;
    gateway.requests += 40;
    await tick();
    const { state, items } = await operator().read<{
      state: string;
      items: Readonly<Record<string, unknown>>[];
    }>('/api/monitor/workers');
    expect(state).to.equal('ok');
    expect(items.map(({ role }) => role)).to.deep.equal(['supervisor', 'listener', 'janitor']);
    expect(items[1]).to.include({
      pid: 11,
      worker: 1,
      restarts: 2,
      cpu_ratio: 0.5,
      requests_per_s: 4,
    });
    expect(items[2]).to.include({ pid: null, state: 'waiting', cpu_ratio: null, rss_bytes: null });
  });

  it('shows the last log lines without secrets, and sends the browser no query to make', async () => {
    const id = 'tx0123456789abcdef01234-006703abcd';
    gateway.lines.push('{"a":{"} or', `{"trans_id":"${id}","a":{"} or","token":"s3cret"}`);
    const answer = await operator().get('/api/monitor/logs?services=listener&level=warn&contains=%22}%20or&limit=1'); // prettier-ignore
    const logs = answer.json() as { lines: Record<string, unknown>[]; truncated: boolean; services: string[] }; // prettier-ignore
    expect(logs.services).to.deep.equal(['listener', 'supervisor']);
    expect(logs.truncated).to.equal(true);
    expect(logs.lines).to.have.length(1);
    expect(logs.lines[0]).to.include({ service: 'listener', worker: '1', trans_id: id });
    expect(logs.lines[0]?.line).to.equal(`{"trans_id":"${id}","a":{"} or","token":[secret]}`);
    const asked = gateway.server.asked.findLast(({ pathname }) => pathname.endsWith('query_range'));
    expect(asked?.searchParams.get('query')).to.equal(
      String.raw`{process=~"listener", level=~"(?i)fatal|emerg|alert|crit|critical|error|err|warn|warning|notice"} |= "\"} or"`,
    );
  });

  it('shows requests as they end, without secrets, and says what it cannot', async () => {
    gateway.traced = {
      ...{ seq: 1, time: '2026-01-01T00:00:00.000Z', request_id: 'tx1', remote: '192.0.2.1' },
      ...{ requester: 'KEY', account: 'AUTH_a', bucket: 'b', key: 'k?temp_url_sig=s3cret' },
      ...{ operation: 'GetObject', method: 'GET', status: 200, error_code: null, bytes_in: 0 },
      ...{ bytes_out: 5, total_ms: 2, ttfb_ms: 1, backend_ms: 1, wait_ms: 0, aborted_by: null },
      ...{ listener: 1, user_agent: null },
    };
    const path = '/api/monitor/trace?id=0123456789&status=errors&every=10';
    const view = await operator().read<TraceView>(path);
    if (view.state !== 'ok') throw new Error(view.reason);
    expect(view.entries[0]).to.include({ operation: 'GetObject', key: 'k?temp_url_sig=[secret]' });
    const asked = gateway.server.asked.findLast(({ pathname }) => pathname === '/tracez');
    expect(asked?.search).to.equal('?id=0123456789&after=0&every=10&status=errors');
    gateway.traced = { seq: 'x' };
    expect(view.entries[0]).not.to.have.property('account');
    const unknown = await operator().read<TraceView>(path);
    expect(unknown).to.include({
      state: 'unknown',
      reason: 'The gateway returned an invalid response.',
    });
  });

  it('counts lines by level, without a text that would tell what lines hide', async () => {
    const from = 1_800_000_000;
    gateway.counted = [
      { metric: { level: 'err' }, values: [[from + 10, '2']] },
      { metric: { level: 'ERROR' }, values: [[from + 10, '1'], [from + 20, '4']] },
      { metric: {}, values: [[from + 20, '7']] },
    ]; // prettier-ignore
    const path = `/api/monitor/logs/volume?own=hide&from=${from}&to=${from + 600}`;
    expect(await operator().read(path)).to.deep.equal({
      state: 'ok',
      step_s: 10,
      from_unix_s: from,
      to_unix_s: from + 600,
      complete_from_unix_s: null,
      series: [
        { level: 'error', points: [[from + 10, 3], [from + 20, 4]] },
        { level: 'other', points: [[from + 20, 7]] },
      ],
    }); // prettier-ignore
    const asked = gateway.server.asked.findLast(({ pathname }) => pathname.endsWith('query_range'));
    expect(asked?.searchParams.get('query')).to.equal(
      'sum by (level) (count_over_time({process=~".+"} != "ringway-console"[10s]))',
    );
    expect(codeOf(await operator().get(`${path}&contains=x`))).to.equal('invalid_argument');
    // Counts from before that time are a part at most.
    gateway.completeFromUnixMs = (from + 300) * 1000;
    expect(await operator().read(path)).to.include({ complete_from_unix_s: from + 300 });
    gateway.completeFromUnixMs = 0;
  });

  for (const [path, code] of [
    ['/api/monitor/trace?id=1', 'invalid_argument'],
    ['/api/monitor/trace?id=0123456789&status=200', 'invalid_argument'],
    ['/api/monitor/series?panel=nothing&from=1&to=2', 'not_found'],
    ['/api/monitor/series?panel=latency&from=2&to=1', 'invalid_argument'],
    ['/api/monitor/series?panel=latency&from=0&to=99999999', 'invalid_argument'],
    ['/api/monitor/series?panel=latency&from=x&to=1', 'invalid_argument'],
    ['/api/monitor/series?panel=latency&from=1&to=2&query=up', 'invalid_argument'],
    ['/api/monitor/logs?services=a%22b', 'invalid_argument'],
    ['/api/monitor/logs?level=loud', 'invalid_argument'],
    ['/api/monitor/logs?limit=5001', 'invalid_argument'],
    [`/api/monitor/logs?contains=${'x'.repeat(257)}`, 'invalid_argument'],
    ['/api/monitor/nothing', 'not_found'],
  ] as const) {
    it(`answers ${code} to ${path.slice(0, 60)}`, async () => {
      expect(codeOf(await operator().get(path))).to.equal(code);
    });
  }

  it('is behind the session, and logs and processes are for operators', async () => {
    const paths = [
      'overview',
      'panels',
      'nodes',
      'workers',
      'logs',
      'logs/volume',
      'trace?id=0123456789',
      'series?panel=latency&from=1&to=2',
    ];
    const reader = await bed().login('tester3', 'testing3');
    for (const path of paths) {
      expect((await bed().client().get(`/api/monitor/${path}`)).status, path).to.equal(401);
      const forbidden = /^(?:workers|logs|trace)/.test(path);
      expect((await reader.get(`/api/monitor/${path}`)).status, path).to.equal(
        forbidden ? 403 : 200,
      );
    }
  });

  it('tells pages of new values', async () => {
    const { events, sessions } = bed().console.context;
    const session = sessions.find(operator().cookie?.split('=')[1] ?? '');
    if (session === undefined) throw new Error('no session');
    const stream = events.subscribe(session, ['monitor'], undefined);
    await tick();
    let text = '';
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.includes('\n\n', text.indexOf('event: monitor'))) break;
    }
    const data = JSON.parse(/event: monitor\ndata: (.*)\n/.exec(text)?.[1] ?? '') as OverviewJson;
    expect(tileOf(data, 'requests_per_s')).to.include({ state: 'ok' });
    expect(tileOf(data, 'requests_per_s').spark).to.equal(undefined);
  });

  it('names no address in any answer', async () => {
    for (const path of ['overview', 'panels', 'nodes', 'workers', 'logs']) {
      const { text } = await operator().get(`/api/monitor/${path}`);
      expect(text, path).to.not.include(String(gateway.server.port));
      expect(text, path).to.not.include('127.0.0.1');
    }
  });

  it('knows nothing once the gateway is gone, and says since when; then it goes on', async () => {
    const { port } = gateway.server;
    const before = tileOf(await tick(), 'requests_per_s');
    await gateway.server.stop();
    const down = await tick();
    const tile = tileOf(down, 'requests_per_s');
    expect(tile).to.include({ value: null, state: 'unknown' });
    expect(tile.reason).to.match(/^no data since \d{4}-.*Z: Gateway: not responding$/);
    expect(tile.last_unix_s).to.equal(before.last_unix_s);
    const since = tileOf(await tick(), 'requests_per_s').reason;
    expect(since).to.equal(tile.reason);
    bed().clock.nowMs += 60_000;
    const source = (await tick()).alerts.find(({ name }) => name === 'SourceDown');
    expect(source).to.include({ state: 'firing', severity: 'critical' });
    expect(source?.title).to.equal('Monitoring source not responding (Gateway)');
    expect(down.alerts.length).to.be.greaterThan(0);
    const logs = await operator().read<Record<string, unknown>>('/api/monitor/logs');
    expect(logs).to.deep.include({ state: 'unknown', lines: [] });
    const workers = await operator().read<Record<string, unknown>>('/api/monitor/workers');
    expect(workers).to.include({ state: 'unknown', reason: 'the gateway: not responding' });
    // It began anew: what it counted since is growth.
    gateway.requests = 30;
    gateway.failed = 0;
    await gateway.server.start(port);
    expect(tileOf(await tick(), 'requests_per_s').value).to.be.greaterThan(0);
  });
});

describe('Monitor with nothing to watch', () => {
  it('is off, and says what it needs', async () => {
    await using bed = await startTestBed();
    const client = await bed.login();
    expect((await client.get('/api/session')).text).to.include('"monitor":false');
    for (const path of ['overview', 'logs', 'anything']) {
      const answer = await client.get(`/api/monitor/${path}`);
      expect(answer.status).to.equal(501);
      expect(codeOf(answer)).to.equal('unsupported_here');
    }
  });
});
