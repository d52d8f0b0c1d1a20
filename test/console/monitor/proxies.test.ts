import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { ProxySampler } from '../../../console/surfaces/monitor/sources/proxy-sampler.js';
import { RULES } from '../../../console/surfaces/monitor/alerts/rules.js';
import { configuredSources, panelOf } from '../../../console/surfaces/monitor/panels/panels.js';
import { serve, type Served } from '../../support/serve.js';

const FILTER = { version: 1, exclusive_create: 'aaaa0000', hop_rights: true };

describe('proxies, as the Monitor sees them', () => {
  const servers: Served[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function proxy(host: string, port: number, ringway?: object): Promise<number> {
    const listener: RequestListener = (_, response) => {
      response.end(JSON.stringify({ swift: { version: '2.30.1' }, ringway }));
    };
    const server = await serve(listener, host, port);
    servers.push(server);
    return server.port;
  }

  function samplerOf(port: number, timeoutMs?: number, proxyBases: string[] = []): ProxySampler {
    const nodes = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
    const clusterNodes = nodes.map((ip) => ({
      name: ip,
      storage_ip: ip,
      devices: [],
      services: {},
    }));
    const places = { proxyNodes: [], proxyPort: port, proxyBases };
    const options = { storeBase: `http://127.0.0.1:${port}`, ...places };
    const named = { nodeOf: (place: string) => place.replace(/^127\.0\.0\.(\d):\d+$/, 'node$1') };
    return new ProxySampler({ ...options, clusterNodes }, named, timeoutMs);
  }

  async function sample(port: number) {
    const { measures } = await samplerOf(port).sample(0);
    return measures.map(({ panel, labels }) => [panel, ...Object.values(labels)].join(' '));
  }

  it('are looked at where the configuration has them, whatever it knows of nodes', () => {
    const none = { metricsUrl: '', adminUrl: '', clusterNodes: [], proxyNodes: [], storeDir: '' };
    const of = (proxyBases: string[]) => configuredSources({ ...none, proxyBases }).proxies;
    expect(of(['http://127.0.0.1:1', 'http://127.0.0.1:2'])).to.equal(true);
    expect(of([])).to.be.a('string');
  });

  it('names one that does not answer, while another one of the configuration does', async () => {
    const port = await proxy('127.0.0.5', 0, FILTER);
    const sampler = samplerOf(port, undefined, [`http://127.0.0.5:${port}`]);
    const { measures } = await sampler.sample(0);
    expect(measures.map(({ panel, labels }) => `${panel} ${labels.node}`)).to.deep.equal([
      'proxies_seen node5',
      'proxy_problems node1',
    ]);
  });

  it('names one that was forgotten, on a storage node, and none where nobody listens', async () => {
    const port = await proxy('127.0.0.1', 0, FILTER);
    await proxy('127.0.0.2', port, FILTER);
    await proxy('127.0.0.3', port);
    expect(await sample(port)).to.deep.equal([
      'proxies_seen node1',
      'proxies_seen node2',
      'proxies_seen node3',
      'proxy_problems node3 has neither ringway nor ringway_guard in its pipeline',
    ]);
  });

  it('finds nothing wrong in a cluster without the filters', async () => {
    const port = await proxy('127.0.0.1', 0);
    await proxy('127.0.0.2', port);
    expect(await sample(port)).to.deep.equal(['proxies_seen node1', 'proxies_seen node2']);
  });

  it('leaves a node alone that says nothing, and asks it again later', async () => {
    const port = await proxy('127.0.0.1', 0, FILTER);
    let asked = 0;
    servers.push(await serve(() => (asked += 1), '127.0.0.2', port));
    const sampler = samplerOf(port, 300);
    const askedAt: number[] = [];
    for (const second of [0, 10, 299, 300]) {
      await sampler.sample(second * 1000);
      askedAt.push(asked);
    }
    expect(askedAt).to.deep.equal([1, 1, 1, 2]);
  });

  it('has an alert for each problem', () => {
    const rule = RULES.find(({ name }) => name === 'ProxyDiffers');
    expect(rule?.condition).to.deep.equal({ kind: 'above', panel: 'proxy_problems', limit: 0 });
    expect(panelOf('proxy_problems')?.sources).to.deep.equal(['proxies']);
  });
});
