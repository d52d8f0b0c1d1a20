import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { debtOf, PRIOR_RATES } from '../../../console/surfaces/lab/debt/model.js';
import { pendingUpdates } from '../../../console/surfaces/lab/debt/pending-updates.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { startTestBed } from '../support/console.js';
import { startReconCluster } from './support.js';

const NOW_S = 1_800_000_000;

describe('updates that wait on the disks of a node', () => {
  const root = useTempFolder('debt');

  it('are counted with the age of the oldest, and unknown where no disk can be read', async () => {
    const node = { name: 'node1', devices: ['d1', 'd2'] };
    const folder = join(root(), 'node1', 'd1', 'async_pending-1', 'abc');
    // Recon's figures are older, and of less worth.
    const about = {
      ...{ name: 'node1', online: true, services: [], replication: [] },
      async: { count: 7, lastUnixS: NOW_S - 60 },
    };
    const look = async () => {
      const pending = await pendingUpdates(root(), [node]);
      const given = { nowS: NOW_S, nodes: [about], devices: [], rates: PRIOR_RATES };
      const { components } = debtOf({ ...given, reclaimAgeS: 604_800, pending });
      return components.find(({ id }) => id === 'async');
    };
    expect(await look()).to.include({ count: 7, age_s: 60, oldest_s: null });
    await mkdir(folder, { recursive: true });
    await mkdir(join(root(), 'node1', 'd2'));
    const none = { state: 'known', count: 0, debt_s: 0, age_s: null, oldest_s: null };
    expect(await look()).to.include(none);
    const hash = 'a'.repeat(32);
    for (const file of [`${hash}-1799999700.00000`, `${hash}-1799999800.00000_00a`, 'other']) {
      await writeFile(join(folder, file), '');
    }
    const two = { count: 2, debt_s: 2 / PRIOR_RATES.updatesPerS, oldest_s: 300 };
    expect(await look()).to.include({ ...two, state: 'known' });
    await rm(join(root(), 'node1', 'd2'), { recursive: true });
    expect(await look()).to.include({ ...two, state: 'partial' });
    expect(await pendingUpdates('', [node])).to.have.property('size', 0);
  });
});

describe('the source of the Repair Debt Index', () => {
  it('is live for as long as recon_interval_s says that a look is new', async () => {
    await using cluster = await startReconCluster();
    const config = { lab_enabled: true, recon_interval_s: 600, ...cluster.config };
    await using bed = await startTestBed(config);
    const source = async () =>
      (await (await bed.login()).read<{ state: string }>('/lab/api/sources/debt')).state;
    expect(await source()).to.equal('live');
    bed.clock.nowMs += 1_000_000;
    expect(await source()).to.equal('live');
  });
});
