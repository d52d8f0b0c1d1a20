import { expect } from 'chai';
import {
  makePlan,
  NOTHING_APPLIED,
  type Applied,
  type Made,
  type PlanRequest,
} from '../../src/deploy/plan/make-plan.js';
import { unpackBuilder } from '../../src/ring/builder/builder-file.js';
import {
  exampleSpec,
  HOUR_S,
  NOTHING,
  NOW_S,
  plan,
  specOf,
  weighing,
  withEach,
  withNodes,
  withThirdDevice,
} from './support.js';

const spec = exampleSpec();
const blobs = new Map<string, Buffer>();

type Done = Extract<Made, { readonly refused: null }>;

function make(applied: Applied, more: Partial<PlanRequest> = {}): Done {
  const request = { spec, applied, seed: 1, nowS: NOW_S, allowLarge: false, ...more };
  const made = makePlan({ installRoot: '/srv/lab', ...request }, (hash) => blobs.get(hash)!);
  if (made.refused !== null) throw new Error(JSON.stringify(made.refused));
  for (const [hash, content] of made.blobs) blobs.set(hash, content);
  return made;
}

function idsOf({ plan }: Done, kind: string): string[] {
  return plan.actions.filter((action) => action.kind === kind).map(({ id }) => id);
}

describe('deploy: plan', () => {
  it('has one hash for one state, specification and seed', () => {
    const { plan } = make(NOTHING_APPLIED);
    expect(make(NOTHING_APPLIED).plan).to.deep.equal(plan);
    expect(make(NOTHING_APPLIED, { seed: 2 }).plan.sha256).not.to.equal(plan.sha256);
    expect(make(NOTHING_APPLIED, { installRoot: '' }).plan.sha256).not.to.equal(plan.sha256);
  });

  it('says all that it does the first time', () => {
    const made = make(NOTHING_APPLIED);
    expect(idsOf(made, 'ring.create')).to.have.members(
      spec.rings.map(({ name }) => `ring/${name}`),
    );
    expect(idsOf(made, 'conf.render')).to.include.members([
      'node1/etc/swift/proxy-server.conf',
      'node4/etc/swift/object-1.ring.gz',
    ]);
    expect(idsOf(made, 'service.reload')).to.include('node3/reload/swift-object');
    expect(idsOf(made, 'service.reload')).not.to.include('node3/reload/swift-proxy');
    expect(made.plan.empty).to.equal(false);
    for (const diff of made.plan.diffs) expect(diff.unified).to.match(/^--- \/dev\/null\n/);
  });

  it('finds the devices of rings that were made by hand by their addresses', () => {
    const builders = new Map(
      plan(spec, NOTHING).rings.map(({ name, builder }) => {
        const state = unpackBuilder(builder);
        const devices = state.devices.map((device) => device && { ...device, meta: 'by hand' });
        return [name, { ...state, devices }];
      }),
    );
    const inForce = { spec: undefined, builders };
    const { refused, changes } = plan(spec, inForce);
    expect(refused).to.deep.equal([]);
    expect(changes.map(({ parts_moved: moved }) => moved)).to.deep.equal(changes.map(() => 0));
    const half = withEach(spec, (node, at) => (at < 2 ? node : weighing(node, 0)));
    const messages = plan(half, inForce).refused.map(({ message }) => message);
    expect(messages.join('\n')).to.contain('object would lose 50.0 % of its weight');
  });

  it('is empty once it is in force', () => {
    const { next } = make(NOTHING_APPLIED);
    const { plan } = make(next, { nowS: NOW_S + 50 * HOUR_S });
    expect(plan.empty).to.equal(true);
    expect(plan.complete).to.equal(true);
    expect([plan.actions, plan.diffs, plan.ring_changes]).to.deep.equal([[], [], []]);
  });

  it('changes what an option reaches, and shows it', () => {
    const { next } = make(NOTHING_APPLIED);
    const other = specOf({ ...spec, proxy: { ...spec.proxy, workers: 3 } });
    const made = make(next, { spec: other });
    expect(made.plan.actions.map(({ id }) => id)).to.have.members([
      'node1/etc/swift/proxy-server.conf',
      'node2/etc/swift/proxy-server.conf',
      'node1/reload/swift-proxy',
      'node2/reload/swift-proxy',
    ]);
    expect(made.plan.diffs[0]?.unified).to.contain('\n-workers = 1\n+workers = 3\n');
  });

  it('keeps a node that leaves supplied with rings, for as long as it has devices', () => {
    const { next } = make(NOTHING_APPLIED);
    // Two of four nodes: two zones at once, and more weight than usual.
    const less = withNodes(spec, (nodes) => nodes.slice(0, 3).map(withThirdDevice));
    const leaving = specOf({ ...less, rollout: { weight_step_pct: 50 } });
    const made = make(next, { spec: leaving, nowS: NOW_S + 9 * HOUR_S });
    expect(idsOf(made, 'conf.render')).to.include('node4/etc/swift/object.ring.gz');
    expect(made.plan.warnings).to.include(
      'node4 leaves the cluster: stop its services once none of its devices has partitions.',
    );
    expect(made.plan.complete).to.equal(false);
    const second = make(made.next, { spec: leaving, nowS: NOW_S + 18 * HOUR_S });
    expect(idsOf(second, 'conf.render')).to.include('node4/etc/swift/object.ring.gz');
    let last = second;
    for (let hours = 27; !last.plan.complete; hours += 9) {
      expect(hours).to.be.below(100);
      last = make(last.next, { spec: leaving, nowS: NOW_S + hours * HOUR_S });
    }
    expect(Object.keys(last.next.files)).to.have.members(['node1', 'node2', 'node3']);
    expect(last.next).not.to.have.property('leaving');
  });

  it('keeps the server of a role that a node loses, for as long as it has devices', () => {
    const { next } = make(NOTHING_APPLIED);
    const less = withEach(spec, (node) =>
      node.name === 'node4'
        ? { ...node, roles: node.roles.filter((role) => role !== 'account') }
        : node,
    );
    const draining = specOf({ ...less, rollout: { weight_step_pct: 50 } });
    const conf = 'etc/swift/account-server.conf';
    const first = make(next, { spec: draining, nowS: NOW_S + 9 * HOUR_S });
    expect(first.next.files.node4).to.have.property(conf);
    let last = first;
    for (let hours = 18; !last.plan.complete; hours += 9) {
      last = make(last.next, { spec: draining, nowS: NOW_S + hours * HOUR_S });
    }
    expect(last.next.files.node4).not.to.have.property(conf);
  });

  it('deletes the files of a role that a node no longer has', () => {
    const { next } = make(NOTHING_APPLIED);
    const other = withEach(spec, (node, at) =>
      at === 1 ? { ...node, roles: ['account', 'container', 'object'] } : node,
    );
    const made = make(next, { spec: other });
    expect(idsOf(made, 'file.delete')).to.include('node2/delete/etc/swift/proxy-server.conf');
    const deleted = made.plan.diffs.find(
      ({ node, path }) => node === 'node2' && path === 'etc/swift/proxy-server.conf',
    );
    expect(deleted?.unified).to.contain('+++ /dev/null');
  });
});
