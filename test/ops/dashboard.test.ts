import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { FakeKeystone } from '../support/fake-keystone.js';
import { describeWith, program } from '../support/needs.js';
import { startPrometheus, substituted, type Proxy } from '../support/proxy.js';
import { RawClient } from '../support/raw-http.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftApi } from '../support/shared-swift-api.js';

const OPS = 'ops/prometheus';

interface Query {
  readonly panel: string;
  readonly expr: string;
}

/** The queries of each panel, with the dashboard's variables filled in. */
function panelQueries(): Query[] {
  const { panels } = JSON.parse(readFileSync('ops/grafana/ringway.json', 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: title,
      expr: expr
        .replaceAll('$__rate_interval', '20s')
        .replaceAll('$instance', '.+')
        .replaceAll('$path', 'put'),
    })),
  );
}

const GUEST = { access: 'guest', secret: 'hush', user: 'guest', project: 'p', roles: ['member'] };

const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const EXPIRED =
  '<LifecycleConfiguration><Rule><ID>old</ID><Filter><Prefix>old/</Prefix></Filter>' +
  '<Status>Enabled</Status><Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration></Rule>' +
  '</LifecycleConfiguration>';

/** Everything that a panel is about happens: also what should not. */
class Load {
  readonly #clients: readonly S3TestClient[];
  readonly #stranger: S3TestClient;
  #turn = 0;

  constructor(private readonly service: Service) {
    this.#clients = Array.from({ length: 6 }, () => new S3TestClient(service));
    this.#stranger = new S3TestClient({ ...service, secretKey: 'another-secret' });
  }

  async prepare(): Promise<void> {
    const [s3] = this.#clients;
    await s3?.put('/plain');
    await s3?.put('/plain?lifecycle', EXPIRED);
    await s3?.put('/versions');
    await s3?.put('/versions?versioning', VERSIONING);
  }

  async round(): Promise<void> {
    this.#turn += 1;
    const body = Buffer.alloc(300_000, 'd');
    await Promise.all([
      ...this.#clients.map((s3, i) => s3.put(`/plain/${i}`, body)),
      this.#stranger.get('/plain/0'),
      this.#leave(),
    ]);
    await Promise.all(this.#clients.map((s3, i) => s3.get(`/plain/${i}`)));
    await this.#clients[0]?.put('/plain/old/one', 'x');
    await this.#clients[1]?.put(`/versions/${this.#turn % 3}`, 'x');
    await this.#clients[2]?.get('/plain?list-type=2');
  }

  async #leave(): Promise<void> {
    const client = await RawClient.connect(Number(new URL(this.service.endpoint).port));
    client.send('PUT /plain/gone HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n');
    client.destroy();
  }

  async close(): Promise<void> {
    await Promise.all([this.#stranger, ...this.#clients].map((s3) => s3.close()));
  }
}

describeWith([program('prometheus')], 'ops: a Prometheus that scrapes services', function () {
  this.timeout(120_000);
  const services: Service[] = [];
  const loads: Load[] = [];
  let keystone: FakeKeystone;
  let guest: S3TestClient;
  let prometheus: Proxy;

  before(async () => {
    const { gatewayKeys } = await sharedSwiftApi();
    const [proxy] = gatewayKeys.swift_endpoints as readonly string[];
    // Some requests have to wait, and some of them are sent away.
    const common = { log_level: 'silent', admission_in_flight_max: 2, admission_queue_max: 3 };
    const janitor = { janitor_interval_ms: 200, restart_backoff_ms_min: 1, probe_interval_ms: 500 };
    services.push(
      await startService({ listeners: 1, config: { ...common, ...janitor } }),
      await startService({
        listeners: 1,
        // Nobody is at the other proxy.
        config: { ...common, ...gatewayKeys, swift_endpoints: [proxy, 'http://127.0.0.1:9'] },
      }),
    );
    keystone = await FakeKeystone.start();
    services.push(await startService({ listeners: 1, config: { ...common, ...identityKeys() } }));
    guest = new S3TestClient({
      endpoint: services[2]?.endpoint ?? '',
      accessKey: GUEST.access,
      secretKey: keystone.add(GUEST).secret,
    });
    const targets = services.map(({ adminEndpoint }) => `'${new URL(adminEndpoint).host}'`);
    const configuration = substituted(readFileSync(join(OPS, 'scrape.yml'), 'utf8'), {
      "'127.0.0.1:9464'": targets.join(', '),
      'scrape_interval: 15s': 'scrape_interval: 1s',
      'scrape_timeout: 10s': 'scrape_timeout: 1s',
    });
    prometheus = await startPrometheus(
      `global: { evaluation_interval: 1s }\nrule_files: [alerts.yml]\n${configuration}`,
      { 'alerts.yml': readFileSync(join(OPS, 'alerts.yml'), 'utf8') },
    );
    for (const service of services.slice(0, 2)) loads.push(new Load(service));
    for (const load of loads) await load.prepare();
    const [listener] = services[0]?.pids() ?? [];
    if (listener !== undefined) process.kill(listener, 'SIGKILL');
  });

  after(async () => {
    for (const load of loads) await load.close();
    await guest.close();
    await prometheus.stop();
    for (const service of services) await service.stop();
    await keystone.close();
  });

  /** Without a user of its own, which an answer to the guest would need. */
  function identityKeys(): Readonly<Record<string, unknown>> {
    return {
      credentials_source: 'identity',
      identity_url: keystone.url,
      identity_cache_ms: 0,
    };
  }

  async function api<T>(path: string): Promise<T> {
    const response = await fetch(`${prometheus.endpoint}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as Record<string, unknown>;
    if (status !== 'success') throw new Error(`${path}: ${String(error)}`);
    return data as T;
  }

  /** A quantile of nothing is NaN. */
  async function hasData({ expr }: Query): Promise<boolean> {
    const query = `query?query=${encodeURIComponent(expr)}`;
    const { result } = await api<{ result: { value: [number, string] }[] }>(query);
    return result.some(({ value: [, value] }) => value !== 'NaN');
  }

  it('finds data for every panel of the dashboard', async () => {
    let empty = panelQueries();
    expect(empty).to.have.length.above(20);
    await eventually(
      async () => {
        const rounds = loads.map((load) => load.round());
        await Promise.allSettled([...rounds, guest.get('/')]);
        const found = await Promise.all(empty.map(hasData));
        empty = empty.filter((_, i) => !found[i]);
        return empty.map(({ panel, expr }) => `${panel}: ${expr}`);
      },
      (left) => left.length === 0,
    );
  });

  it('can evaluate every alert', async () => {
    interface Rule {
      readonly name: string;
      readonly health: string;
    }
    const rules = await eventually(
      async () => {
        const { groups } = await api<{ groups: { rules: Rule[] }[] }>('rules');
        return groups.flatMap((group) => group.rules);
      },
      (found) => found.length > 0 && found.every(({ health }) => health !== 'unknown'),
    );
    expect(rules).to.have.length.above(10);
    expect(rules.filter(({ health }) => health !== 'ok')).to.deep.equal([]);
  });
});
