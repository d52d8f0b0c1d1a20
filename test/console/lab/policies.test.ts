import { expect } from 'chai';
import { comparePolicies } from '../../../console/surfaces/lab/policies/comparison.js';
import { durability } from '../../../console/surfaces/lab/policies/durability.js';
import {
  fragmentBytes,
  storedBytes,
  survivedLosses,
  writeQuorum,
  type Protection,
} from '../../../console/surfaces/lab/policies/storage-cost.js';
import {
  domainLossOf,
  plannedDomainLoss,
} from '../../../console/surfaces/lab/policies/domain-loss.js';
import { Ring } from '../../../src/ring/ring.js';
import type { ErasureCoding } from '../../../src/ring/policy.js';
import { describeWith, pythonModule } from '../../support/needs.js';
import { mustRun } from '../../support/programs.js';
import { builtRing } from './support.js';

function code(
  dataFragments: number,
  parityFragments: number,
  duplicationFactor = 1,
): ErasureCoding {
  const type = 'liberasurecode_rs_vand';
  return { type, dataFragments, parityFragments, segmentBytes: 1_048_576, duplicationFactor };
}

const coded = (k: number, m: number, duplication = 1): Protection => ({
  kind: 'erasure_coding',
  coding: code(k, m, duplication),
});
const copies = (replicas: number): Protection => ({ kind: 'replication', replicas });

const none = { index: null, ring: null, partitions: 64, loss: null };

describe('the costs of a storage policy', () => {
  it('has the sizes of fragment archives that object servers had on disk', () => {
    const sizes = [
      [1024, 592],
      [100_000, 50_080],
      [1_048_576, 524_368],
      [5_000_000, 2_500_400],
      [0, 0],
    ] as const;
    for (const [bytes, expected] of sizes) {
      expect(fragmentBytes(code(2, 1), bytes), String(bytes)).to.equal(expected);
    }
    expect(storedBytes(coded(8, 4), 1024)).to.equal(12 * 208);
  });

  it('has the quorums of Swift', () => {
    expect([1, 2, 3, 4, 5].map((replicas) => writeQuorum(copies(replicas)))).to.deep.equal([
      1, 1, 2, 2, 3,
    ]);
    expect(writeQuorum(coded(8, 4))).to.equal(9);
    expect(writeQuorum(coded(4, 2, 2))).to.equal(10);
  });

  it('counts the losses that any members may have', () => {
    expect(survivedLosses(copies(3))).to.equal(2);
    expect(survivedLosses(coded(10, 4))).to.equal(4);
    // Both copies of each of three fragments, but one: six members, of which five may go.
    expect(survivedLosses(coded(4, 2, 2))).to.equal(5);
  });

  it('has the durability of a birth-death chain', () => {
    const known = [
      [2, 1, 2.19e-6, 5.66],
      [3, 2, 1.799e-10, 9.75],
      [6, 2, 3.596e-9, 8.44],
      [12, 4, 7.115e-16, 15.15],
      [14, 4, 1.798e-15, 14.75],
    ] as const;
    for (const [members, tolerated, loss, nines] of known) {
      const model = durability(members, tolerated, 1024, { afrPct: 2, mttrHours: 24 });
      expect(model.lossPerYear / loss).to.be.closeTo(1, 5e-4);
      expect(model.nines).to.be.closeTo(nines, 5e-3);
      expect(model.clusterLossPerYear / (1024 * loss)).to.be.closeTo(1, 2e-3);
    }
  });

  it('compares policies, with what each leaves when a zone or a server is away', () => {
    const ring = new Ring(builtRing());
    const [three, two] = [copies(3), coded(2, 1)];
    const one = { domains: 3, maxMembers: 1, readable: true, writable: true };
    expect(domainLossOf(ring, three)).to.deep.equal({ devices: 6, zone: one, server: one });
    const planned = { domains: 3, maxMembers: 2, readable: true, writable: false };
    expect(plannedDomainLoss(ring, coded(4, 2))).to.deep.equal({
      ...{ devices: 6, zone: planned, server: planned },
    });
    // One zone of two servers: one of the servers has two of three members.
    const narrow = new Ring(builtRing({ zones: 1, devicesPerZone: 4 }));
    const all = { domains: 1, maxMembers: 3, readable: false, writable: false };
    const server = { domains: 2, maxMembers: 2, writable: false };
    for (const [protection, readable] of [
      [three, true],
      [two, false],
    ] as const) {
      const expected = { devices: 4, zone: all, server: { ...server, readable } };
      expect(domainLossOf(narrow, protection)).to.deep.equal(expected);
      expect(plannedDomainLoss(narrow, protection)).to.deep.equal(expected);
    }
    // By the ring file itself, partition by partition.
    const { rows: assigned, devices } = narrow.data;
    const onServer = Array.from({ length: narrow.partitionCount }, (_, part) => {
      const servers = assigned.map((row) => devices[row[part] ?? 0]?.ip);
      return Math.max(...servers.map((ip) => servers.filter((other) => other === ip).length));
    });
    expect(Math.max(...onServer)).to.equal(2);
    const rows = comparePolicies(
      [
        { ...none, name: 'gold', index: 0, protection: three },
        { ...none, name: 'new', protection: two },
      ],
      { afrPct: 2, mttrHours: 24, objectBytes: [0, 1024], containerReplicas: 3 },
    );
    expect(rows[0]).to.deep.include({ overhead_ratio: 3, write_quorum: 2, survives_losses: 2 });
    expect(rows[0]?.put).to.deep.equal({ wire_bytes: 3072, backend_puts: 3, container_updates: 3 });
    expect(rows[1]?.overhead_by_size).to.deep.equal([
      { bytes: 0, stored_bytes: 0, ratio: null },
      { bytes: 1024, stored_bytes: 1776, ratio: 1776 / 1024 },
    ]);
    expect(rows[1]?.overhead_ratio).to.be.closeTo(1.5, 0.001);
    expect(rows[0]).to.deep.include({ get: { backend_conns: 1 }, repair_read_amp: 1 });
    expect(rows[1]).to.deep.include({ get: { backend_conns: 2 }, repair_read_amp: 2 });
    // 2 of 3 for the container, and one of four object PUTs may fail.
    const updates = (protection: Protection, containerReplicas: number) =>
      comparePolicies([{ ...none, name: 'w', protection }], {
        ...{ afrPct: 2, mttrHours: 24, objectBytes: [1], containerReplicas },
      })[0]?.put.container_updates;
    expect(updates(coded(8, 4), 3)).to.equal(2 + 12 - 9);
    expect(updates(three, 5)).to.equal(5);
    expect(updates(coded(8, 4), 5)).to.equal(3 + 12 - 9);
  });
});

const ORACLE = `
import sys, json
from pyeclib.ec_iface import ECDriver
for k, m in [(1, 1), (2, 1), (3, 2), (4, 2), (7, 3), (8, 4), (10, 4)]:
    driver = ECDriver(k=k, m=m, ec_type='liberasurecode_rs_vand')
    sizes = {n: len(driver.encode(b'x' * n)[0]) for n in list(range(1, 130)) + [1000, 1001, 65537, 1048575, 1048576]}
    print(json.dumps([k, m, driver.min_parity_fragments_needed(), sizes]))
`;

describeWith([pythonModule('pyeclib.ec_iface')], 'fragments that PyECLib makes', function () {
  this.timeout(60_000);

  it('have the size that is expected, of every length of data', async () => {
    const { stdout } = await mustRun('python3', ['-c', ORACLE]);
    const cases = stdout.trim().split('\n');
    expect(cases).to.have.length(7);
    for (const line of cases) {
      const [k, m, needed, sizes] = JSON.parse(line) as [
        number,
        number,
        number,
        Readonly<Record<string, number>>,
      ];
      expect(writeQuorum(coded(k, m)), `${k}+${m}`).to.equal(k + needed);
      for (const [bytes, expected] of Object.entries(sizes)) {
        expect(fragmentBytes(code(k, m), Number(bytes)), `${k}+${m} ${bytes}`).to.equal(expected);
      }
    }
  });
});
