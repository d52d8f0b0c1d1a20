import { expect } from 'chai';
import { parseConsoleConfig } from '../../../console/config/load.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { loadLabTool, type LabState } from './tools.js';

async function someLab(changes: Partial<LabState> = {}): Promise<LabState> {
  const { portsFrom } = await loadLabTool('ports.mjs');
  const ports = portsFrom(25_000);
  const plain = {
    filter: true,
    encryption: false,
    ...{ nodeCount: 2, tls: false, defaultPolicy: 'gold', shardRows: undefined },
    statsd: false,
    proxyWorkers: 1,
    storageWorkers: 1,
    proxyOptions: {},
  };
  return { dir: '/lab', ...plain, ports, ...changes };
}

/** The filters of a proxy, left to right. */
async function pipelineOf(proxy: string, changes: Partial<LabState> = {}): Promise<string[]> {
  const { proxyConf } = await loadLabTool('proxy-conf.mjs');
  const text = proxyConf(await someLab(changes))[`/lab/conf/${proxy}.conf`] ?? '';
  return (/^pipeline = (.*)$/m.exec(text)?.[1] ?? '').split(' ');
}

describe('swift-lab: configuration files', () => {
  it('renders sections as Swift and rsync read them', async () => {
    const { ini } = await loadLabTool('ini.mjs');
    const text = ini({ '': { port: 1 }, DEFAULT: { a: 'b c', d: true }, empty: {} });
    expect(text).to.equal('port = 1\n\n[DEFAULT]\na = b c\nd = true\n\n[empty]\n');
  });

  it('puts one filter right of gatekeeper and the other left of the proxy', async () => {
    for (const proxy of ['proxy-1', 'proxy-2']) {
      const pipeline = await pipelineOf(proxy);
      expect(pipeline.slice(0, 3)).to.deep.equal(['catch_errors', 'gatekeeper', 'ringway']);
      expect(pipeline.slice(-3)).to.deep.equal(['ringway_guard', 'proxy-logging', 'proxy-server']);
    }
  });

  it('puts encryption right of all that shall see what clients send, when told', async () => {
    for (const proxy of ['proxy-1', 'proxy-s3api']) {
      const pipeline = await pipelineOf(proxy, { encryption: true });
      const last = ['keymaster', 'encryption', 'proxy-logging', 'proxy-server'];
      expect(pipeline.slice(-4)).to.deep.equal(last);
    }
    expect((await pipelineOf('proxy-1', { encryption: true })).at(-5)).to.equal('ringway_guard');
  });

  it('leaves the filters out of the reference, and everywhere when told', async () => {
    const without = [
      await pipelineOf('proxy-s3api'),
      await pipelineOf('proxy-s3api-acl'),
      await pipelineOf('proxy-1', { filter: false }),
    ];
    for (const pipeline of without) {
      expect(pipeline).to.include('proxy-server');
      expect(pipeline).not.to.include.members(['ringway']);
      expect(pipeline).not.to.include.members(['ringway_guard']);
    }
  });

  it('names in every pipeline only what the file has', async () => {
    const { proxyConf } = await loadLabTool('proxy-conf.mjs');
    for (const text of Object.values(proxyConf(await someLab({ encryption: true })))) {
      const [, names = ''] = /^pipeline = (.*)$/m.exec(text) ?? [];
      for (const name of names.split(' ')) {
        expect(text).to.match(new RegExp(`^\\[(filter|app):${name}\\]$`, 'm'));
      }
    }
  });

  it('gives options to the proxies', async () => {
    const { proxyConf } = await loadLabTool('proxy-conf.mjs');
    const lab = await someLab({ proxyOptions: { node_timeout: '2' }, proxyWorkers: 3 });
    for (const text of Object.values(proxyConf(lab))) {
      expect(text).to.match(/^\[app:proxy-server\]\n(.+\n)*node_timeout = 2$/m);
      expect(text).to.match(/^workers = 3$/m);
    }
  });

  it('gives storage servers as many processes as told', async () => {
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    for (const [storageWorkers, workers] of [
      [1, 0],
      [4, 4],
    ] as const) {
      const files = storageConf(await someLab({ storageWorkers }));
      for (const name of ['object-server.node1', 'container-server.node2', 'account-server.node1'])
        expect(files[`/lab/conf/${name}.conf`]).to.match(new RegExp(`^workers = ${workers}$`, 'm'));
    }
  });

  it('has as many nodes as told', async () => {
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    for (const nodeCount of [2, 3]) {
      const files = Object.keys(storageConf(await someLab({ nodeCount })));
      const servers = files.filter((file) => file.includes('object-server'));
      expect(servers).to.have.length(nodeCount);
      expect(servers).to.include(`/lab/conf/object-server.node${nodeCount}.conf`);
    }
  });

  it('makes the policy the default that is named', async () => {
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    for (const [defaultPolicy, index] of [
      ['gold', 0],
      ['ec21', 2],
    ] as const) {
      const text = storageConf(await someLab({ defaultPolicy }))['/lab/conf/swift.conf'] ?? '';
      const sections = text.split(/^\[/m).filter((section) => section.includes('default = yes'));
      expect(sections.map((section) => section.split(']')[0])).to.deep.equal([
        `storage-policy:${index}`,
      ]);
    }
  });

  it('shards containers by themselves when it is told their size', async () => {
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    for (const shardRows of [undefined, 20]) {
      const files = storageConf(await someLab({ shardRows }));
      const text = files['/lab/conf/container-server.node2.conf'] ?? '';
      expect(text.includes('auto_shard = true\nshard_container_threshold = 20\n')).to.equal(
        shardRows !== undefined,
      );
    }
  });

  it('speaks TLS to proxies and memcached, when told', async () => {
    const { proxyConf } = await loadLabTool('proxy-conf.mjs');
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    const { tlsConf } = await loadLabTool('tls.mjs');
    for (const tls of [true, false]) {
      const lab = await someLab({ tls });
      const files = { ...proxyConf(lab), ...storageConf(lab) };
      for (const file of ['proxy-1', 'proxy-s3api', 'object-expirer'])
        expect(files[`/lab/conf/${file}.conf`]?.includes('tls_enabled = true'), file).to.equal(tls);
      const terminator = tlsConf(lab)['/lab/conf/haproxy.cfg'] ?? '';
      expect(terminator.match(/^ {2}bind .* ssl crt \/lab\/conf\/.*$/gm)?.length ?? 0).to.equal(
        tls ? 2 : 0,
      );
    }
  });

  it('gives Ringway the proxies by TLS, when told', async () => {
    const { gatewayConf } = await loadLabTool('gateway-conf.mjs');
    const dir = await makeTempFolder('lab-tls');
    const urls = { endpoints: ['http://a', 'http://b'], tlsEndpoints: ['https://a', 'https://b'] };
    const lab = { ...(await someLab({ dir, tls: true })), id: 'abc', s3api: 'http://c', ...urls };
    const files = gatewayConf(lab);
    await removeFolder(dir);
    expect(JSON.parse(files[`${dir}/gateway/ringway.json`] ?? '')).to.deep.include({
      swift_endpoints: ['https://a', 'https://b'],
      swift_auth_url: 'https://a/auth/v1.0',
    });
  });

  it('takes the programs and modules of another Swift, when told', async () => {
    const { swiftCommand } = await loadLabTool('services.mjs');
    const { requirePrograms } = await loadLabTool('programs.mjs');
    const { args, env } = swiftCommand('/lab/conf', 'swift-object-server', ['x.conf'], '/other');
    expect(args).to.include('/other/usr/bin/swift-object-server');
    expect(env.PYTHONPATH.split(':').at(-1)).to.equal('/other/usr/lib/python3/dist-packages');
    const installed = swiftCommand('/lab/conf', 'swift-object-server', ['x.conf']);
    expect(installed.args).to.include('/usr/bin/swift-object-server');
    expect(installed.env.PYTHONPATH).not.to.contain('dist-packages');
    expect(() => {
      requirePrograms({ swiftRoot: '/other' });
    }).to.throw('swift-proxy swift-account');
  });

  it('names nothing outside of its folder', async () => {
    const { proxyConf } = await loadLabTool('proxy-conf.mjs');
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    const lab = await someLab();
    for (const [file, text] of Object.entries({ ...proxyConf(lab), ...storageConf(lab) })) {
      expect(file).to.match(/^\/lab\/conf\//);
      for (const [, path = ''] of text.matchAll(/ = (\/\S*)/g)) expect(path).to.match(/^\/lab\//);
    }
  });

  it('sends the timers of all servers to the console of the Lab, when told', async () => {
    const { proxyConf } = await loadLabTool('proxy-conf.mjs');
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    for (const statsd of [true, false]) {
      const lab = await someLab({ statsd });
      const files = { ...proxyConf(lab), ...storageConf(lab) };
      for (const file of ['proxy-1', 'proxy-s3api', 'object-server.node2']) {
        const text = files[`/lab/conf/${file}.conf`] ?? '';
        expect(text.includes(`log_statsd_port = ${lab.ports.statsd}`), file).to.equal(statsd);
      }
    }
  });

  it('gives the console of the Lab all that its pages need', async () => {
    const { gatewayConf } = await loadLabTool('gateway-conf.mjs');
    const dir = await makeTempFolder('lab-conf');
    const s3api = 'http://127.0.0.1:25007';
    const addresses = { s3api, endpoints: [], tlsEndpoints: [] };
    const lab = { ...(await someLab({ dir, statsd: true })), id: 'abc', ...addresses };
    const text = gatewayConf(lab)[`${dir}/gateway/lab-console.json`] ?? '';
    await removeFolder(dir);
    const auth_url = 'http://127.0.0.1:25005/auth/v1.0';
    const own = JSON.parse(text) as Record<string, unknown>;
    const raw = { ...own, store_base: 'http://127.0.0.1:25005', auth_url };
    const options = parseConsoleConfig(raw, dir);
    expect(options).to.include({
      ...{ labEnabled: true, labMutations: true, testEnabled: true, nodeDriver: 'local-procs' },
      ...{ shadowPeerBase: s3api, nodeRoot: `${dir}/srv`, shadowRoot: `${dir}/gateway/shadow` },
    });
    expect(options.statsdListen).to.deep.include({ port: lab.ports.statsd });
    for (const { name, services } of options.clusterNodes) {
      const names = [
        'account-server',
        'object-server',
        'rsyncd',
        'object-auditor',
        'object-updater',
      ];
      expect(services).to.include.keys(names);
      const first = ['memcached', 'proxy-server', 'object-expirer'];
      for (const one of first) expect(one in services, one).to.equal(name === 'node1');
      const { argv, env, pid_file: file } = services['object-server'] ?? {};
      expect(argv).to.include(`${dir}/conf/object-server.${name}.conf`);
      expect(env).to.include({ RINGWAY_SWIFT_LAB_PROCESS: `abc/object-server.${name}` });
      expect(file).to.equal(`${dir}/run/object-server.${name}.pid`);
    }
  });

  it('tells every program of Swift where its folder is', async () => {
    const { proxyConf } = await loadLabTool('proxy-conf.mjs');
    const { storageConf } = await loadLabTool('storage-conf.mjs');
    const lab = await someLab();
    const files = Object.entries({ ...proxyConf(lab), ...storageConf(lab) });
    const programs = files.filter(([file]) => !/swift\.conf$|rsyncd/.test(file));
    expect(programs).to.have.length(11);
    for (const [, text] of programs) expect(text).to.match(/^swift_dir = \/lab\/conf$/m);
  });
});
