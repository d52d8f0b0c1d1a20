import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { rebalance, ringOf } from '../../src/ring/builder/rebalance.js';
import { changeBuilder, newBuilder, type BuilderState } from '../../src/ring/builder/state.js';
import { deviceJson } from '../../src/ring/device.js';
import { PathHash } from '../../src/ring/path-hash.js';
import { replicaCount } from '../../src/ring/ring-data.js';
import { unpackRing } from '../../src/ring/ring-file.js';
import { ringBalance } from '../../src/ring/ring-health.js';
import { writeRing } from '../../src/ring/ring-writer.js';
import { Ring } from '../../src/ring/ring.js';
import { describeWith, program, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { newDevice } from './builder-support.js';
import { goldenFile, PYTHON } from './support.js';

const CONF = '[swift-hash]\nswift_hash_path_suffix = suffix\n';
const SALT = { prefix: Buffer.alloc(0), suffix: Buffer.from('suffix') };

/** The output of accepts.py. */
interface Answer {
  readonly version: number | null;
  readonly replicas: number;
  readonly devices: readonly unknown[];
  readonly rows: readonly (readonly number[])[];
  readonly codes: readonly number[];
  readonly balance: number;
  /** Lines of swift-get-nodes, without their labels: partition, hash, then nodes. */
  readonly nodes: readonly (readonly string[])[];
}

function builder(replicas: number): BuilderState {
  const ips = ['10.0.0.1', '10.0.0.2', 'fd00::3', 'storage-4.example.com'];
  const devices = Array.from({ length: 8 }, (_, n) =>
    newDevice(`d${n}`, {
      zone: n % 2,
      ip: ips[n % 4] ?? '',
      weight: n === 3 ? 33.25 : 100,
      meta: n === 0 ? '☃ "quoted"\n' : '',
    }),
  );
  const changes = devices.map((device) => ({ kind: 'add', device }) as const);
  const state = changeBuilder(newBuilder({ partPower: 7, replicas, minPartHours: 1 }), changes);
  const { state: first } = rebalance(state, { seed: 1, nowS: 1_700_000_000 });
  const less = changeBuilder(first, [{ kind: 'remove', id: 2 }]);
  return rebalance(less, { seed: 1, nowS: 1_700_000_000 }).state;
}

describe('ring writer', () => {
  it('writes what is read as the same ring', async () => {
    for (const name of ['lab-object.ring.gz', 'r0.v2.ring.gz', 'r4.v1.ring.gz', 'r9.v1.ring.gz']) {
      const { data } = await unpackRing(await goldenFile(name));
      const { data: again } = await unpackRing(writeRing(data));
      expect(again, name).to.deep.equal({ ...data, format: 1 });
    }
  });

  it('writes the same bytes of the same ring', () => {
    const ring = ringOf(builder(3));
    expect(writeRing(ring).equals(writeRing(ringOf(builder(3))))).to.be.true;
    const next = { ...ring, nextPartPower: 8 };
    expect(writeRing(next).equals(writeRing(ring))).to.be.false;
  });

  it('refuses device ids that the format does not have', () => {
    const devices = new Array<null>(65_536).fill(null);
    expect(() => writeRing({ ...ringOf(builder(3)), devices })).to.throw(/ids up to 65534$/);
  });
});

describeWith(
  [pythonModule('swift.common.ring'), program('swift-get-nodes')],
  'rings for Swift',
  function () {
    this.timeout(120_000);
    const folder = useTempFolderOnce('rings');

    it('are taken by its servers, swift-ring-builder and swift-get-nodes', async () => {
      const states = [1, 2.5, 3].map(builder);
      await writeFile(join(folder(), 'swift.conf'), CONF);
      for (const [index, state] of states.entries()) {
        await writeFile(join(folder(), `${index}.ring.gz`), writeRing(ringOf(state)));
      }
      const { stdout } = await mustRun('python3', [join(PYTHON, 'accepts.py'), folder()]);
      const answers = stdout.trim().split('\n');
      expect(answers).to.have.length(states.length);
      for (const [index, state] of states.entries()) {
        const data = ringOf(state);
        const answer = JSON.parse(answers[index] ?? '') as Answer;
        expect(answer.version).to.equal(state.version);
        expect(answer.replicas).to.equal(replicaCount(data.rows));
        const devices = data.devices.map((device) => device && deviceJson(device));
        expect(answer.devices).to.deep.equal(devices);
        expect(answer.rows).to.deep.equal(data.rows.map((row) => [...row]));
        expect(answer.codes).to.deep.equal([0, 0]);
        expect(answer.balance).to.be.closeTo(ringBalance(data), 1e-9);
        expect(answer.nodes).to.deep.equal(nodesOf(new Ring(data)));
      }
    });
  },
);

/** As swift-get-nodes prints the nodes of an object: as many handoffs as primaries. */
function nodesOf(ring: Ring): string[][] {
  const hash = new PathHash(SALT).hex('AUTH_test', 'c', 'o');
  const part = ring.partition(hash);
  const primaries = ring.primaries(part);
  const handoffs = [...ring.handoffs(part)].slice(0, primaries.length);
  return [
    [String(part)],
    [hash],
    ...primaries.map(({ ip, port, device }) => [`${ip}:${port} ${device}`]),
    ...handoffs.map(({ ip, port, device }) => [`${ip}:${port} ${device}`, ' [Handoff]']),
  ];
}
