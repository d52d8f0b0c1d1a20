import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeDrift } from '../../src/deploy/service/drift.js';
import { useEach } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';
import { endDeploy, otherWorkers, small, TestDeploy, writeSecret } from './service-support.js';
import { withEach } from './support.js';

describe('deploy: repair', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy-repair');
  const deploy = useEach(() => TestDeploy.driven(folder()), endDeploy);

  beforeEach(async () => {
    await deploy().putSpec(small);
    await deploy().succeed('first');
    deploy().nowMs += 60_000;
  });

  async function drift(): Promise<string[]> {
    const { text } = await deploy().call('GET', '/v1/status');
    const { nodes } = JSON.parse(text) as { nodes: readonly NodeDrift[] };
    return nodes.flatMap(({ node, files }) =>
      files.map(({ path, changed }) => `${node} ${path} ${changed}`),
    );
  }

  it('installs again what nodes have lost or changed, and nothing else', async () => {
    const conf = join(folder(), 'nodes/node2/etc/swift/proxy-server.conf');
    const before = await readFile(conf, 'utf8');
    await appendFile(conf, '# by hand\n');
    await rm(join(folder(), 'nodes/node3/etc/swift/object.ring.gz'));
    // A specification saved since is no part of it.
    await deploy().putSpec(otherWorkers);
    const plan = await deploy().plan({ repair: true });
    expect(plan.actions.map(({ id }) => id)).to.deep.equal([
      'node2/etc/swift/proxy-server.conf',
      'node3/etc/swift/object.ring.gz',
      'node2/reload/swift-proxy',
    ]);
    expect([plan.ring_changes, plan.empty]).to.deep.equal([[], false]);
    const run = await deploy().succeed('repair', { repair: true });
    expect(run.steps.map(({ node, action }) => `${node} ${action}`)).to.deep.equal([
      ...['node2 install', 'node2 reload', 'node3 install'],
    ]);
    expect(await readFile(conf, 'utf8')).to.equal(before);
    expect(await drift()).to.deep.equal([]);
    const again = await deploy().plan({ repair: true });
    expect(again.empty).to.equal(true);
    const both = { body: { repair: true, spec: small } };
    expect((await deploy().call('POST', '/v1/plans', both)).status).to.equal(400);
  });

  it('does not undo on the way what others have changed, but where that is asked for', async () => {
    const conf = join(folder(), 'nodes/node2/etc/swift/proxy-server.conf');
    await appendFile(conf, '# a user was removed\n');
    const changed = await readFile(conf, 'utf8');
    await deploy().putSpec(otherWorkers);
    const refused = await deploy().deploy('second');
    expect([refused.state, refused.message]).to.deep.equal([
      'partial',
      "node2: etc/swift/proxy-server.conf was changed since it was installed, such as by the console's Users page: nothing was replaced. Take the change into the specification; a repair puts back what was installed.",
    ]);
    expect(await readFile(conf, 'utf8')).to.equal(changed);
    expect(await deploy().installed('node1', 'etc/swift/proxy-server.conf')).to.contain('workers = 5\n'); // prettier-ignore
    // The run's own remains are no change of others.
    deploy().nowMs += 1000;
    await deploy().succeed('repair', { repair: true });
    deploy().nowMs += 1000;
    await deploy().succeed('third');
    expect(await readFile(conf, 'utf8')).to.contain('workers = 5\n');
  });

  it('brings a secret that was changed to the nodes that need it', async () => {
    await writeSecret(folder(), 'gateway-key', 'gateway-key-2');
    const found = await drift();
    expect(found).to.include.members([
      'node1 etc/ringway/swift.key secret',
      'node2 etc/swift/proxy-server.conf secret',
    ]);
    expect(found.filter((line) => line.startsWith('node3'))).to.deep.equal([]);
    const run = await deploy().succeed('repair', { repair: true });
    expect(await deploy().installed('node1', 'etc/ringway/swift.key')).to.equal('gateway-key-2\n');
    expect(run.steps[1]?.commands).to.include('systemctl reload-or-restart ringway');
    expect(await drift()).to.deep.equal([]);
    // Nodes that a run left alone have the former secret: that is no change of others.
    await writeSecret(folder(), 'gateway-key', 'gateway-key-3');
    deploy().nowMs += 1000;
    const expirer = withEach(small, (node) =>
      node.name === 'node3' ? { ...node, roles: [...node.roles, 'expirer'] } : node,
    );
    await deploy().putSpec(expirer);
    const second = await deploy().succeed('second');
    expect(second.steps.map(({ node }) => node)).to.not.include('node2');
    await deploy().putSpec(otherWorkers);
    deploy().nowMs += 1000;
    await deploy().succeed('third');
  });

  it('does not bring another prefix or suffix to nodes', async () => {
    await writeSecret(folder(), 'hash-suffix', 'another');
    const plan = await deploy().plan({ repair: true });
    const refused = await deploy().apply(plan, 'repair');
    expect([refused.status, refused.json.error.message]).to.deep.equal([
      422,
      'The prefix or suffix of hashes is not what it was when the cluster was made: nothing would be found.',
    ]);
  });

  it('is wanted of something that was applied', async () => {
    const other = await TestDeploy.start(join(folder(), 'other'));
    const none = await other.call('POST', '/v1/plans', { body: { repair: true } });
    await other.close();
    expect([none.status, none.json.error.code]).to.deep.equal([422, 'unprocessable']);
  });

  it('is seen by one look at the nodes for all who ask at a time', async () => {
    await deploy().restart({ statusAgeMs: 3_600_000 });
    deploy().driver.looks.clear();
    const looks = () => [...deploy().driver.looks.values()];
    await Promise.all([drift(), drift(), drift()]);
    await drift();
    expect(looks()).to.deep.equal([1, 1, 1, 1]);
    // A run changes what there is to see; a repair looks for itself.
    await deploy().putSpec(otherWorkers);
    await deploy().deploy('second');
    expect(await drift()).to.deep.equal([]);
    expect(looks()).to.deep.equal([2, 2, 2, 2]);
    await rm(join(folder(), 'nodes/node3/etc/swift/object.ring.gz'));
    const json = await deploy().plan({ repair: true });
    expect([json.empty, ...looks()]).to.deep.equal([false, 3, 3, 3, 3]);
  });

  it("has Swift's programs look at one plan at a time", async () => {
    let now = 0;
    let most = 0;
    const check = async (): Promise<[]> => {
      most = Math.max(most, ++now);
      // Another one would have begun by then.
      await writeFile(join(folder(), 'looked'), 'x'.repeat(1000));
      now -= 1;
      return [];
    };
    await deploy().restart({ check });
    const plans = [1, 2, 3, 4].map((seed) =>
      deploy().call('POST', '/v1/plans', { body: { seed } }),
    );
    expect((await Promise.all(plans)).map(({ status }) => status)).to.deep.equal(
      Array(4).fill(201),
    );
    expect(most).to.equal(1);
  });
});
