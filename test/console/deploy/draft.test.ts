import { expect } from 'chai';
import type { WhatIfChange } from '../../../console/surfaces/lab/rings/ring-changes.js';
import type { Spec } from '../../../src/deploy/spec/schema.js';
import { validate } from '../../../src/deploy/spec/validate.js';
import { exampleSpec } from '../../deploy/support.js';
import { useOnce } from '../../support/fixture.js';
import { browserModule } from '../support/browser-module.js';

/** The tested part of console/surfaces/deploy/page/draft.ts, which needs no page. */
interface Module {
  readonly draftOf: (
    saved: Spec | null,
    wanted: Readonly<Record<string, unknown>> & { readonly changes: readonly WhatIfChange[] },
  ) => { readonly spec: Spec; readonly notes: readonly string[] };
}

const SPEC = exampleSpec();

/** The devices of the example's nodes, as its ring of objects has them. */
const devices = SPEC.nodes.flatMap((node, at) =>
  node.devices.map(({ name, weight }, index) => ({
    ...{ id: 10 * at + index, region: node.region, zone: node.zone, ip: node.storage_ip },
    ...{ port: node.ports.object, device: name, weight },
  })),
);
const ring = { ring: 'object', part_power: 8, replicas: 3, devices, overload: 0 };

describe('drafts of specifications', () => {
  const page = useOnce(() => browserModule<Module>('surfaces/deploy/page/draft'));

  it('have the weights, devices and overload that were tried, and nothing else changed', () => {
    const added = { region: 1, zone: 9, ip: '127.0.9.9', port: 6200, device: 'd9', weight: 50 };
    const { spec, notes } = page().draftOf(SPEC, {
      ...ring,
      overload: 0.1,
      changes: [
        { kind: 'set_weight', id: 0, weight: 40 },
        { kind: 'remove', id: 11 },
        { kind: 'add', ...added },
      ],
    });
    const [first, second, ...rest] = spec.nodes;
    expect(first?.devices[0]).to.include({ name: SPEC.nodes[0]?.devices[0]?.name, weight: 40 });
    expect(second?.devices).to.have.length((SPEC.nodes[1]?.devices.length ?? 0) - 1);
    expect(rest.at(-1)).to.deep.include({ storage_ip: '127.0.9.9', zone: 9 });
    expect(spec.rings.find(({ name }) => name === 'object')?.overload).to.equal(0.1);
    expect(notes).to.have.length(1);
    expect(spec.proxy).to.deep.equal(SPEC.proxy);
    expect(SPEC.nodes[0]?.devices[0]?.weight).to.not.equal(40);
  });

  it('change a device that names its rings in the ring that was tried alone', () => {
    const [node, ...others] = SPEC.nodes;
    if (node === undefined) throw new Error('there is a node');
    const named = (...names: readonly (readonly string[])[]) =>
      names.map((rings, at) => ({ name: `d${at + 1}`, weight: 100, mount: `/d${at + 1}`, rings }));
    const own = named(['account', 'object'], ['account'], ['account'], ['object', 'container']);
    const saved = { ...SPEC, nodes: [{ ...node, devices: own }, ...others] } as unknown as Spec;
    const place = { ...devices[0]!, port: node.ports.object };
    const ringDevices = own.map(({ name }, id) => ({ ...place, id, device: name }));
    const { spec, notes } = page().draftOf(saved, {
      ...ring,
      devices: ringDevices,
      changes: [
        { kind: 'remove', id: 0 },
        { kind: 'add', ...place, device: 'd2', weight: 50 },
        { kind: 'remove', id: 2 },
        { kind: 'set_weight', id: 3, weight: 30 },
      ],
    });
    const [d1, d2, d3, d4] = own;
    expect(spec.nodes[0]?.devices).to.deep.equal([
      { ...d1, rings: ['account'] },
      { ...d2, weight: 50, rings: ['account', 'object'] },
      d3,
      { ...d4, weight: 30 },
    ]);
    expect(notes[0]).to.include('/d3.');
  });

  it('have the ports of servers, also where nodes share an address', () => {
    const [first, second] = SPEC.nodes;
    if (first === undefined || second === undefined) throw new Error('there are nodes');
    const ip = first.storage_ip;
    const near = { ...second, storage_ip: ip, ports: { ...second.ports, object: 6210 } };
    const saved = { ...SPEC, nodes: [first, near] };
    const place = { region: 1, zone: 1, ip, port: 6220, weight: 70 };
    const elsewhere = { ...place, ip: '127.0.9.9', device: 'd9' };
    const { spec, notes } = page().draftOf(saved, {
      ...ring,
      devices: [{ ...place, id: 7, device: first.devices[0]?.name ?? '' }],
      changes: [
        { kind: 'set_weight', id: 7, weight: 1 },
        { kind: 'add', ...elsewhere },
      ],
    });
    expect(spec.nodes.slice(0, 2)).to.deep.equal(JSON.parse(JSON.stringify(saved.nodes)));
    expect(notes[0]).to.include(`${ip}:6220/`);
    const [added] = spec.nodes.slice(2);
    expect([added?.storage_ip, added?.ports.object]).to.deep.equal(['127.0.9.9', 6220]);
  });

  it('say which devices the specification does not have', () => {
    const foreign = { ...devices[0]!, id: 99, ip: '10.9.9.9' };
    const { spec, notes } = page().draftOf(SPEC, {
      ...ring,
      devices: [...devices, foreign],
      changes: [{ kind: 'set_weight', id: 99, weight: 1 }],
    });
    expect(spec).to.deep.equal(JSON.parse(JSON.stringify(SPEC)));
    expect(notes[0]).to.include('10.9.9.9:');
  });

  it('are whole specifications of the devices of a ring where there is none yet', () => {
    const { spec, notes } = page().draftOf(null, {
      ...ring,
      changes: [{ kind: 'set_weight', id: 0, weight: 40 }],
    });
    expect(validate(spec).errors).to.deep.equal([]);
    expect(notes[0]).to.include('No specification was saved yet');
  });
});
