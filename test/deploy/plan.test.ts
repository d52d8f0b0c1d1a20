import { expect } from 'chai';
import { packBuilder, unpackBuilder } from '../../src/ring/builder/builder-file.js';
import { RingFileError } from '../../src/ring/ring-error.js';
import { sha256 } from '../../src/deploy/spec/canonical.js';
import type { PlannedRings } from '../../src/deploy/plan/plan.js';
import type { SpecNode } from '../../src/deploy/spec/schema.js';
import {
  applied,
  exampleJson,
  exampleSpec,
  HOUR_S,
  NOTHING,
  NOW_S,
  plan,
  specOf,
  weighing,
  withEach,
  withFifthNode,
  withNodes,
  withReplicas,
  withThirdDevice,
} from './support.js';

const spec = exampleSpec();

function first(): PlannedRings {
  return plan(spec, NOTHING);
}

const withOneDevice = (node: SpecNode) => ({ ...node, devices: node.devices.slice(0, 1) });

function refusedCodes({ refused }: PlannedRings): string[] {
  return refused.map(({ path, code }) => `${path} ${code}`);
}

function hashOf({ rings }: PlannedRings): string {
  return sha256(Buffer.concat(rings.flatMap(({ builder, file }) => [builder, file])));
}

function changeOf(planned: PlannedRings, ring: string) {
  return planned.changes.find((change) => change.ring === ring);
}

describe('deploy: plan of rings', () => {
  it('makes all rings from nothing, balanced and dispersed', () => {
    const { changes, rings, refused, isComplete } = first();
    expect(refused).to.deep.equal([]);
    expect(rings.map(({ name }) => name)).to.deep.equal(spec.rings.map(({ name }) => name));
    expect(isComplete).to.equal(true);
    for (const change of changes) {
      expect(change.parts_moved).to.equal(0);
      expect(change.balance_before_pct).to.equal(null);
      expect(change.balance_after_pct).to.be.below(1);
      expect(change.dispersion_after_pct).to.equal(0);
      expect(change.devices).to.have.length(8);
    }
  });

  it('is the same for the same state, specification, seed and hour', () => {
    const hash = hashOf(first());
    expect(hashOf(first())).to.equal(hash);
    expect(hashOf(plan(spec, NOTHING, { nowS: NOW_S + 1 }))).to.equal(hash);
    expect(hashOf(plan(spec, NOTHING, { seed: 2 }))).not.to.equal(hash);
  });

  it('changes nothing once it is in force', () => {
    for (const nowS of [NOW_S, NOW_S + 100 * HOUR_S]) {
      const again = plan(spec, applied(spec, first()), { nowS });
      expect(again.changes).to.deep.equal([]);
      expect(hashOf(again)).to.equal(hashOf(first()));
    }
  });

  it('moves one replica of a partition to new devices, and says what that means', () => {
    const more = withFifthNode(spec);
    const planned = plan(more, applied(spec, first()), { nowS: NOW_S + 2 * HOUR_S });
    const change = changeOf(planned, 'object');
    const share = (1024 * 3) / 10;
    expect(change?.parts_moved).to.be.within(share * 2 * 0.9, share * 2 * 1.1);
    const added = change?.devices.filter((device) => (device as { node: string }).node === 'node5');
    expect(added).to.have.length(2);
    for (const device of added ?? []) {
      expect(device).to.include({ weight_before: null, weight_after: 100, parts_before: null });
    }
    const blast = planned.blastRadius.find(({ ring }) => ring === 'object');
    expect(blast?.partitions_moving).to.equal(change?.parts_moved);
    expect(blast?.replicas_of_a_partition_max).to.equal(1);
    expect(blast?.partitions_below_write_quorum).to.equal(0);
    expect(blast?.movable_again_unix_s).to.be.above(NOW_S + 2 * HOUR_S);
  });

  it('counts partitions that a write cannot be sure of', () => {
    const one = withReplicas(spec, 1);
    const before = applied(one, plan(one, NOTHING));
    const more = withEach(one, (node, at) => weighing(node, at === 0 ? 200 : 100));
    const planned = plan(more, before, { nowS: NOW_S + 2 * HOUR_S });
    const blast = planned.blastRadius.find(({ ring }) => ring === 'object');
    expect(blast?.partitions_below_write_quorum).to.equal(blast?.partitions_moving).and.be.above(0);
    expect(planned.warnings.join('\n')).to.contain('fewer replicas in place than a write needs');
  });

  it('estimates bytes where the specification says how many there are', () => {
    const sized = {
      ...spec,
      rings: spec.rings.map((ring) => ({ ...ring, stored_bytes: 3_072_000 })),
    };
    const more = withEach(sized, (node, at) => weighing(node, at === 0 ? 150 : 100));
    const planned = plan(more, applied(spec, first()), { nowS: NOW_S + 2 * HOUR_S });
    const change = changeOf(planned, 'object');
    expect(change?.bytes_est).to.equal((change?.parts_moved ?? 0) * 1000);
  });

  it('removes a device at once where no partition loses a second replica', () => {
    const less = withEach(spec, (node, at) => (at === 3 ? withOneDevice(node) : node));
    const planned = plan(less, applied(spec, first()));
    expect(planned.isComplete).to.equal(true);
    for (const blast of planned.blastRadius) expect(blast.replicas_of_a_partition_max).to.equal(1);
    expect(changeOf(planned, 'object')?.devices).to.deep.include({
      ...{ id: 7, node: 'node4', device: 'd2', weight_before: 100, weight_after: null },
      ...{ parts_before: 384, parts_after: null },
    });
  });

  it('drains a device whose partitions have no other replica', () => {
    const one = withReplicas(spec, 1);
    const less = withEach(one, (node, at) => (at === 3 ? withOneDevice(node) : node));
    const planned = plan(less, applied(one, plan(one, NOTHING)), { nowS: NOW_S + 2 * HOUR_S });
    expect(planned.isComplete).to.equal(false);
    expect(changeOf(planned, 'object')?.devices).to.deep.include({
      ...{ id: 7, node: 'node4', device: 'd2', weight_before: 100, weight_after: 0 },
      ...{ parts_before: 128, parts_after: 0 },
    });
  });

  it('takes a new node at the former address of another one for a new node', () => {
    const moved = withNodes(spec, (nodes) => [
      { ...nodes[0]!, storage_ip: '127.0.1.11' },
      ...nodes.slice(1),
      { ...nodes[3]!, name: 'node5', zone: 5, storage_ip: '127.0.1.1' },
    ]);
    const state = applied(moved, plan(moved, applied(spec, first())));
    const devices = state.builders.get('object')?.devices ?? [];
    expect(devices.filter((device) => device?.ip === '127.0.1.11')).to.have.length(2);
    expect(devices.map((device) => device?.meta)).to.deep.equal(
      [1, 1, 2, 2, 3, 3, 4, 4, 5, 5].map((number) => `node${number}`),
    );
  });

  it('drains devices over several plans where their removal would move two replicas', () => {
    // Of nodes 3 and 4, each in its zone, partitions have a replica in both.
    const less = withEach(spec, (node, at) => (at >= 2 ? withOneDevice(node) : node));
    let state = applied(spec, first());
    let nowS = NOW_S + 2 * HOUR_S;
    let planned = plan(less, state, { nowS });
    const foreseen = changeOf(planned, 'object')?.next_steps_parts_moved ?? [];
    expect(planned.isComplete).to.equal(false);
    expect(foreseen.length).to.be.above(0);
    expect(planned.warnings.join('\n')).to.contain('still on devices that leave');
    for (let plans = 0; !planned.isComplete; plans++) {
      expect(plans).to.be.below(10);
      for (const blast of planned.blastRadius)
        expect(blast.replicas_of_a_partition_max).to.equal(1);
      state = applied(less, planned);
      nowS += 2 * HOUR_S;
      planned = plan(less, state, { nowS });
    }
    state = applied(less, planned);
    const last = state.builders.get('object');
    expect(last?.devices.filter((device) => device !== null)).to.have.length(6);
    expect(plan(less, state, { nowS: nowS + 2 * HOUR_S }).changes).to.deep.equal([]);
  });

  it('raises weights in the steps of the rollout', () => {
    const more = withFifthNode({ ...spec, rollout: { weight_step_pct: 25 } });
    let state = applied(spec, first());
    const weights: (number | undefined)[] = [];
    let nowS = NOW_S;
    for (let step = 0; step < 4; step++) {
      nowS += 2 * HOUR_S;
      const planned = plan(more, state, { nowS });
      expect(planned.isComplete).to.equal(step === 3);
      expect(changeOf(planned, 'object')?.next_steps_parts_moved).to.have.length(3 - step);
      state = applied(more, planned);
      weights.push(state.builders.get('object')?.devices[8]?.weight);
    }
    expect(weights).to.deep.equal([25, 50, 75, 100]);
  });

  it('refuses what would make data unreachable, whatever the operator says', () => {
    const state = applied(spec, first());
    const other = exampleJson() as {
      rings: { part_power: number }[];
      hash: Record<string, string>;
      cluster: string;
      policies: object[];
    };
    other.rings[0]!.part_power = 9;
    other.hash.prefix_ref = 'another';
    other.hash.suffix_ref = 'another';
    other.cluster = 'another';
    other.policies[0] = {
      index: 0,
      name: 'gold',
      default: true,
      type: 'erasure_coding',
      ec: { type: 'liberasurecode_rs_vand', k: 2, m: 1 },
    };
    const planned = plan(specOf(other), state, { allowLarge: true });
    expect(planned.rings).to.deep.equal([]);
    expect(refusedCodes(planned)).to.have.members([
      '/rings/0/part_power immutable',
      '/hash/prefix_ref immutable',
      '/hash/suffix_ref immutable',
      '/cluster immutable',
      '/policies/0/type immutable',
    ]);
  });

  it('refuses another segment size of a code, by which its objects are read', () => {
    const other = exampleJson() as { policies: { ec?: object }[] };
    other.policies[1]!.ec = { ...other.policies[1]!.ec, segment_bytes: 65_536 };
    const planned = plan(specOf(other), applied(spec, first()), { allowLarge: true });
    expect(refusedCodes(planned)).to.deep.equal(['/policies/1/type immutable']);
  });

  it('refuses another folder of the devices of a node, until the operator allows it', () => {
    const other = withEach(spec, (node, at) =>
      at === 1 ? { ...node, devices_dir: '/srv/other' } : node,
    );
    const state = applied(spec, first());
    expect(refusedCodes(plan(other, state))).to.deep.equal([
      '/nodes/1/devices_dir needs_allow_large',
    ]);
    expect(plan(other, state, { allowLarge: true }).refused).to.deep.equal([]);
  });

  it('refuses what loses data, until the operator allows it', () => {
    const state = applied(spec, first());
    const less = withReplicas(spec, 2);
    expect(refusedCodes(plan(less, state))).to.deep.equal(['/rings/2/replicas needs_allow_large']);
    expect(plan(less, state, { allowLarge: true }).refused).to.deep.equal([]);
    const smaller = withEach(spec, (node, at) =>
      at < 2 ? withThirdDevice(node) : weighing(node, 0),
    );
    const messages = plan(smaller, state)
      .refused.map(({ message }) => message)
      .join('\n');
    expect(messages)
      .to.contain('lose 2 zones at once: 1/3, 1/4')
      .and.contain('lose 50.0 % of its weight');
    const [gone] = plan(
      specOf({ ...spec, policies: spec.policies.slice(0, 1), rings: spec.rings.slice(0, 3) }),
      state,
    ).refused;
    expect(gone?.message).to.contain('policy 1 (ec21) would be gone');
  });

  it('warns where new containers get another policy', () => {
    const other = {
      ...spec,
      policies: spec.policies.map((policy) => ({ ...policy, default: policy.index === 1 })),
    };
    expect(plan(other, applied(spec, first())).warnings).to.include(
      'New containers that name no policy will have ec21, not gold.',
    );
  });

  it('keeps builders as bytes, and refuses others', () => {
    for (const { builder } of first().rings) {
      expect(packBuilder(unpackBuilder(builder)).equals(builder)).to.equal(true);
    }
    const whole = first().rings[0]!.builder;
    expect(() => unpackBuilder(whole.subarray(0, whole.length - 20))).to.throw(RingFileError);
    expect(() => unpackBuilder(Buffer.from('pickle'))).to.throw(RingFileError);
  });
});
