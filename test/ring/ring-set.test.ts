import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../src/config/problem.js';
import type { Policies } from '../../src/ring/policy.js';
import { RingSet, type RingState } from '../../src/ring/ring-set.js';
import { parseSwiftConf } from '../../src/ring/swift-conf.js';
import { useEach } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';
import { device, goldenFile, ringV1 } from './support.js';

const HASH = '[swift-hash]\nswift_hash_path_suffix = s\n';
const EC = `[storage-policy:0]\nname = a\ndefault = yes\n[storage-policy:1]\nname = ec
policy_type = erasure_coding\nec_type = t\nec_num_data_fragments = 1\nec_num_parity_fragments = 1\n`;

function policies(text = ''): Policies {
  return parseSwiftConf(Buffer.from(HASH + text), 'swift.conf').policies;
}

/** Two partitions, two replicas. */
function smallRing(
  version: number,
  rows = [
    [0, 1],
    [1, 0],
  ],
): Buffer {
  const devs = [device(0), device(1)];
  return ringV1({ devs, part_shift: 31, replica_count: rows.length, version }, rows);
}

describe('ring set', () => {
  const directory = useTempFolder('ring-set');
  const changes = useEach<RingState[]>(() => []);
  let now: number;

  beforeEach(async () => {
    now = 1000;
    for (const name of ['account', 'container', 'object']) await write(name, smallRing(1));
  });

  const write = async (name: string, bytes: Buffer): Promise<void> => {
    const path = join(directory(), `${name}.ring.gz`);
    await writeFile(`${path}.new`, bytes);
    await rename(`${path}.new`, path);
  };

  const open = (given = policies()): Promise<RingSet> =>
    RingSet.open({
      directory: directory(),
      policies: given,
      now: () => now,
      onChange: (state) => changes().push(state),
    });

  const problemsOf = async (given?: Policies): Promise<string[]> => {
    const error: unknown = await open(given).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    return (error as Error).message.split('\n');
  };

  it('reads the rings of accounts, containers and policies', async () => {
    const set = await open();
    expect(set.states().map(({ name }) => name)).to.deep.equal(['account', 'container', 'object']);
    expect(set.ring('object')?.partPower).to.equal(1);
    expect(set.ring('object-1')).to.equal(undefined);
    expect(set.states()[0]).to.include({ version: 1, loadedAtMs: 1000, problem: undefined });
  });

  it('says of each ring that cannot be used why', async () => {
    await rm(join(directory(), 'account.ring.gz'));
    await write('container', Buffer.from('nonsense, and nothing but nonsense'));
    expect(await problemsOf()).to.deep.equal([
      `${directory()}/account.ring.gz: expected a ring file of Swift: it cannot be read (ENOENT: ` +
        `no such file or directory, open '${directory()}/account.ring.gz')`,
      `${directory()}/container.ring.gz: expected a ring file of Swift: it is not packed with gzip`,
    ]);
  });

  it('refuses a ring that does not fit its erasure-coded policy', async () => {
    await write('object-1', smallRing(1, [[0, 1]]));
    expect(await problemsOf(policies(EC))).to.deep.equal([
      `${directory()}/object-1.ring.gz: expected a ring file of Swift: ` +
        'it has 1 replicas, where the erasure-coded policy ec has 2',
    ]);
    await write('object-1', smallRing(1));
    expect((await open(policies(EC))).ring('object-1')?.replicas).to.equal(2);
  });

  it('takes a new file, and leaves the others as they are', async () => {
    const set = await open();
    const before = set.ring('object');
    const account = set.ring('account');
    await set.refresh();
    expect(set.ring('object')).to.equal(before);
    await write('object', await goldenFile('lab-object.ring.gz'));
    now = 2000;
    await set.refresh();
    expect(set.ring('object')?.partPower).to.equal(6);
    expect(set.ring('account')).to.equal(account);
    expect(changes()).to.have.length(1);
    expect(changes()[0]).to.deep.include({ name: 'object', loadedAtMs: 2000, problem: undefined });
  });

  it('keeps the old ring while the new file is broken, and says so once', async () => {
    const set = await open();
    const before = set.ring('object');
    await write('object', smallRing(2).subarray(0, -1));
    now = 2000;
    await set.refresh();
    now = 3000;
    await set.refresh();
    expect(set.ring('object')).to.equal(before);
    const reason = 'its gzip stream is damaged or cut off';
    expect(changes()).to.have.length(1);
    expect(changes()[0]).to.deep.include({ version: 1, problem: { reason, sinceMs: 2000 } });
    await rm(join(directory(), 'object.ring.gz'));
    await set.refresh();
    expect(set.states()[2]?.problem).to.deep.include({ sinceMs: 2000 });
    expect(set.states()[2]?.problem?.reason).to.match(/ENOENT/);
    await write('object', smallRing(3));
    await set.refresh();
    expect(set.states()[2]).to.include({ version: 3, loadedAtMs: 3000, problem: undefined });
    expect(changes()).to.have.length(3);
  });

  it('notices a file that has only been written anew', async () => {
    const set = await open();
    const path = join(directory(), 'object.ring.gz');
    await writeFile(path, smallRing(2));
    await utimes(path, 1, 1);
    await set.refresh();
    expect(set.states()[2]?.version).to.equal(2);
  });

  it('refreshes once at a time', async () => {
    const set = await open();
    expect(set.refresh()).to.equal(set.refresh());
    await set.refresh();
  });
});
