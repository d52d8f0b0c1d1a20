import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { runTool } from '../../support/swift-lab.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { loadLabTool } from './tools.js';

const LAB = { dir: '/lab', nodeCount: 2 };

describe('swift-lab: command line', () => {
  it('has a folder in the checkout and 4 GiB devices, unless told otherwise', async () => {
    const { parseOptions } = await loadLabTool('options.mjs');
    expect(parseOptions(['up'])).to.deep.equal({
      command: 'up',
      names: [],
      dir: `${process.cwd()}/.swift-lab`,
      deviceBytes: 4 * 2 ** 30,
      filter: true,
      encryption: false,
      tls: undefined,
      nodes: undefined,
      defaultPolicy: 'gold',
      shardRows: undefined,
      swiftRoot: undefined,
      statsd: false,
      proxyWorkers: 1,
      storageWorkers: 1,
      proxyOptions: {},
      portBase: undefined,
      fresh: false,
      hold: false,
      wipe: false,
      json: false,
      help: false,
    });
  });

  it('takes names after the command, and options anywhere', async () => {
    const { parseOptions } = await loadLabTool('options.mjs');
    const args = ['stop', '--dir', '/x', 'proxy-1', '--no-filter', 'memcached'];
    expect(parseOptions(args)).to.include({ command: 'stop', dir: '/x', filter: false });
    expect(parseOptions(args).names).to.deep.equal(['proxy-1', 'memcached']);
  });

  it('takes options of the proxies', async () => {
    const { parseOptions } = await loadLabTool('options.mjs');
    const args = ['up', '--proxy-option', 'node_timeout=2', '--proxy-option', 'x=a=b'];
    expect(parseOptions(args).proxyOptions).to.deep.equal({ node_timeout: '2', x: 'a=b' });
  });

  for (const [option, value] of [
    ['--device-bytes', '1000'],
    ['--device-bytes', 'big'],
    ['--port-base', '80'],
    ['--proxy-workers', '0'],
    ['--storage-workers', '65'],
    ['--nodes', '4'],
    ['--default-policy', 'bronze'],
    ['--shard-rows', '9'],
    ['--proxy-option', 'node timeout'],
  ] as const) {
    it(`refuses ${option} ${value}`, async () => {
      const { parseOptions } = await loadLabTool('options.mjs');
      expect(() => parseOptions(['up', option, value])).to.throw(option);
    });
  }

  it('shows its commands and options when it is asked for help', async () => {
    for (const args of [['up', '--help'], ['-h'], ['stop', 'proxy-1', '--help']]) {
      const { code, stdout } = await runTool(args);
      expect([code, stdout.slice(0, 6)], args.join(' ')).to.deep.equal([0, 'usage:']);
      expect(stdout).to.contain('--proxy-option');
    }
  });

  it('leaves no folder behind when nothing could be started', async () => {
    const parent = await makeTempFolder('lab-none');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const dir = join(parent, 'lab');
      // Without Swift's programs it fails earlier still.
      const args = ['up', '--dir', dir, '--port-base', String(Math.min(port, 65_500))];
      const { code, stderr } = await runTool(args);
      expect(code, stderr).to.equal(1);
      expect(existsSync(dir)).to.equal(false);
    } finally {
      server.close();
      await removeFolder(parent);
    }
  });

  it('refuses an option that it does not know', async () => {
    const { parseOptions } = await loadLabTool('options.mjs');
    expect(() => parseOptions(['up', '--fast'])).to.throw('--fast');
  });
});

describe('swift-lab: ports', () => {
  it('gives each program its own', async () => {
    const { portsFrom } = await loadLabTool('ports.mjs');
    const numbers = Object.values(portsFrom(20_000));
    expect(new Set(numbers).size).to.equal(numbers.length);
    expect(Math.min(...numbers)).to.equal(20_000);
  });

  it('refuses those that are taken on either node', async () => {
    const { choosePorts } = await loadLabTool('ports.mjs');
    const free = await choosePorts();
    const base = Math.min(...Object.values(free));
    const server = createServer().listen(base + 3, '127.0.0.2');
    await once(server, 'listening');
    try {
      const refused = await choosePorts(base).then(
        () => 'nothing',
        (error: unknown) => (error as Error).message,
      );
      expect(refused).to.equal(`ports are taken: ${base + 3}`);
    } finally {
      server.close();
    }
  });
});

describe('swift-lab: daemons', () => {
  it('runs a daemon on both nodes, type by type', async () => {
    const { passesOf } = await loadLabTool('daemons.mjs');
    expect(passesOf(LAB, 'updater')).to.deep.equal(
      ['container', 'object'].map((type) =>
        ['node1', 'node2'].map((node) => ({
          program: `swift-${type}-updater`,
          conf: `/lab/conf/${type}-server.${node}.conf`,
          node,
        })),
      ),
    );
    const nodes = passesOf(LAB, 'replicator', 'node2')
      .flat()
      .map(({ node }) => node);
    expect(nodes).to.deep.equal(['node2', 'node2', 'node2']);
  });

  it('runs that of one type alone', async () => {
    const { passesOf } = await loadLabTool('daemons.mjs');
    const programs = (daemon: string) => passesOf(LAB, daemon, 'node1').flat();
    expect(programs('container-replicator').map(({ program }) => program)).to.deep.equal([
      'swift-container-replicator',
    ]);
    expect(() => programs('account-updater')).to.throw('no daemon account-updater');
  });

  it('runs a daemon on as many nodes as there are', async () => {
    const { passesOf } = await loadLabTool('daemons.mjs');
    const passes = passesOf({ ...LAB, nodeCount: 3 }, 'sharder').flat();
    expect(passes.map(({ program, node }) => `${program} ${node}`)).to.deep.equal(
      ['node1', 'node2', 'node3'].map((node) => `swift-container-sharder ${node}`),
    );
  });

  it('has one expirer', async () => {
    const { passesOf } = await loadLabTool('daemons.mjs');
    expect(
      passesOf(LAB, 'expirer')
        .flat()
        .map(({ program }) => program),
    ).to.deep.equal(['swift-object-expirer']);
  });

  it('refuses names that are none', async () => {
    const { passesOf } = await loadLabTool('daemons.mjs');
    expect(() => passesOf(LAB, 'sweeper')).to.throw('no daemon sweeper');
    expect(() => passesOf(LAB, 'updater', 'node3')).to.throw('no node node3');
  });
});
