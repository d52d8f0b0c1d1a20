import { expect } from 'chai';
import { panelOf } from '../../../console/surfaces/monitor/panels/panels.js';
import { GatewaySampler } from '../../../console/surfaces/monitor/sources/gateway-sampler.js';
import { addressesOf } from './support.js';

const NODE = { name: 'node-a', storage_ip: '10.0.0.1', devices: [], services: {} };
const ADDRESSES = addressesOf({ clusterNodes: [NODE] });

const PANELS = ['direct_reads', 'node_errors', 'node_hedges', 'ring_version'];

/** The gateway's metrics when everything has happened so often. */
function metrics(times: number): string {
  const counted = (name: string, labels: string, each: number): string =>
    `${name}${labels} ${each * times}\n`;
  const errors = ['10.0.0.1:6200', '10.0.0.1:6201', '[fd00::1]:6200'].map((node) =>
    counted('ringway_swift_node_errors_total', `{node="${node}",error="timeout"}`, 1),
  );
  return [
    counted('ringway_swift_reads_total', '{way="direct",reason="none"}', 30),
    counted('ringway_swift_reads_total', '{way="proxy",reason="missing"}', 3),
    ...errors,
    counted('ringway_swift_hedges_won_total', '', 2),
    'ringway_swift_ring_version{ring="object"} 7\n',
  ].join('');
}

describe('direct reads in the Monitor', () => {
  it('are shown by way, with errors of nodes by their names, hedges, and rings', async () => {
    let text = metrics(0);
    const admin = { get: () => Promise.resolve({ status: 200, text }) };
    const derived = PANELS.map((id) => ({ id, derivation: panelOf(id)!.derivation! }));
    const sampler = new GatewaySampler(admin, derived, ADDRESSES);
    await sampler.sample(0);
    text = metrics(10);
    const { measures } = await sampler.sample(10_000);
    const other = ADDRESSES.nodeOf('[fd00::1]:6200');
    expect(other).to.match(/^host-/);
    expect(measures).to.deep.equal([
      { panel: 'direct_reads', labels: { way: 'direct', reason: 'none' }, value: 30 },
      { panel: 'direct_reads', labels: { way: 'proxy', reason: 'missing' }, value: 3 },
      { panel: 'node_errors', labels: { node: 'node-a', error: 'timeout' }, value: 2 },
      { panel: 'node_errors', labels: { node: other, error: 'timeout' }, value: 1 },
      { panel: 'node_hedges', labels: {}, value: 2 },
      { panel: 'ring_version', labels: { ring: 'object' }, value: 7 },
    ]);
  });

  it('name no address where a Prometheus is asked', () => {
    const { promql = '' } = panelOf('node_errors')!;
    expect(promql).to.match(/^sum by \(instance, error\)\(label_replace\(/);
    const masked = ADDRESSES.maskLabels({ instance: '10.0.0.1', error: 'timeout' });
    expect(masked).to.deep.equal({ node: 'node-a', error: 'timeout' });
  });
});
