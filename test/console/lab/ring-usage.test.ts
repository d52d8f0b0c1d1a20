import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { startTestBed, type TestBed } from '../support/console.js';
import { builtRing, clusterFolder, startReconCluster, type ReconCluster } from './support.js';

describe('the use of the devices of a ring', function () {
  this.timeout(60_000);

  /** The answers for the usage and the simulation of a ring. */
  async function asked(bed: TestBed): Promise<unknown[]> {
    const operator = await bed.login();
    const usage = await operator.get('/lab/api/rings/object/usage');
    const simulation = await operator.post('/lab/api/rings/object/simulation', { changes: [] });
    return [usage.json(), simulation.json()];
  }

  it('is unknown where no node is asked, and nothing checks a change', async () => {
    const folder = await clusterFolder({ object: builtRing() });
    const bed = await startTestBed({ lab_enabled: true, store_dir: folder });
    try {
      const [usage, simulation] = await asked(bed);
      expect(usage).to.deep.include({ devices_known: 0, used_bytes: null });
      expect(simulation).to.equal(null);
    } finally {
      await bed.close();
      await rm(folder, { recursive: true });
    }
  });

  it('is that of recon, extended to devices that did not say', async () => {
    const cluster: ReconCluster = await startReconCluster();
    const bed = await startTestBed({ lab_enabled: true, ...cluster.config });
    try {
      const disk = { mounted: true, size: 1000, avail: 400 };
      cluster.answers.diskusage = [
        { ...disk, device: 'd0', used: 500 },
        { ...disk, device: 'd1', used: 700 },
        { ...disk, device: 'd2', mounted: false, used: '', size: '', avail: '' },
      ];
      const [usage] = await asked(bed);
      expect(usage).to.deep.equal({ devices: 3, devices_known: 2, used_bytes: 1800 });
    } finally {
      await bed.close();
      await cluster.close();
    }
  });
});
