import { join } from 'node:path';
import { expect } from 'chai';
import { tileOf, type OverviewJson } from '../console/monitor/support.js';
import { MONITOR } from '../../console/surfaces/monitor/surface.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useConsole, useHealedLab } from './support.js';

/** A guard: a lab takes its time to start on a busy machine. */
const LAB_LIMIT_MS = 240_000;

interface NodesJson {
  readonly items: readonly {
    readonly name: string;
    readonly online: boolean;
    readonly services_up: number;
    readonly clock_skew_s: number;
    readonly ring_matches: boolean;
    readonly quarantined: number;
    readonly disks: readonly { readonly device: string }[];
  }[];
}

describeWith(SWIFT_NEEDS, "Monitor of a Swift cluster's nodes", function () {
  this.timeout(LAB_LIMIT_MS);
  const lab = useHealedLab();
  const { bed, operator } = useConsole(() => ({
    recon_interval_s: 3600,
    store_dir: join(lab().state.dir, 'conf'),
    cluster_nodes: [
      { name: 'node1', storage_ip: '127.0.0.1' },
      { name: 'node2', storage_ip: '127.0.0.2' },
    ],
  }));

  async function overview(): Promise<OverviewJson> {
    await bed().console.service(MONITOR)?.tick();
    return (await operator().get('/api/monitor/overview')).json();
  }

  it('knows what their recon knows', async () => {
    const seen = await overview();
    expect(tileOf(seen, 'nodes_online')).to.include({ value: 2, of: 2, state: 'ok' });
    expect(tileOf(seen, 'services_up')).to.include({ value: 6, of: 6, state: 'ok' });
    expect(tileOf(seen, 'capacity_used').value).to.be.within(0, 1);
    const { items } = (await operator().get('/api/monitor/nodes')).json() as NodesJson;
    expect(items.map(({ disks }) => disks.map(({ device }) => device).sort())).to.deep.equal([
      ['d1', 'd2'],
      ['d3', 'd4'],
    ]);
    for (const node of items) {
      expect(node).to.include({ online: true, services_up: 3, ring_matches: true });
      expect(Math.abs(node.clock_skew_s)).to.be.lessThan(60);
      expect(node.quarantined).to.be.at.least(0);
    }
  });

  it('has a service less when one is stopped, and as many nodes as before', async () => {
    await lab().stopServices('object-server.node2');
    const seen = await overview();
    expect(tileOf(seen, 'nodes_online')).to.include({ value: 2, of: 2 });
    expect(tileOf(seen, 'services_up')).to.include({ value: 5, of: 6, state: 'warn' });
    const alert = seen.alerts.find(({ name }) => name === 'ServiceDown');
    expect(alert).to.include({ node: 'node2', state: 'pending' });
    await lab().startServices('object-server.node2');
    expect(tileOf(await overview(), 'services_up')).to.include({ value: 6, state: 'ok' });
  });
});
