import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { removeFolder } from '../../support/temp-folder.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { clusterFolder, startReconCluster } from './support.js';

describe('the use of the devices of a ring', function () {
  this.timeout(60_000);
  const folder = useOnce(clusterFolder, removeFolder);

  /** The answers for the usage and the simulation of a ring. */
  async function asked(bed: TestBed): Promise<unknown[]> {
    const operator = await bed.login();
    const usage = await operator.get('/lab/api/rings/object/usage');
    const simulation = await operator.post('/lab/api/rings/object/simulation', { changes: [] });
    return [usage.json(), simulation.json()];
  }

  it('is unknown where no node is asked, and nothing checks a change', async () => {
    await using bed = await startTestBed({ lab_enabled: true, store_dir: folder() });
    const [usage, simulation] = await asked(bed);
    expect(usage).to.deep.include({ devices_known: 0, used_bytes: null });
    expect(simulation).to.equal(null);
  });

  it('is that of recon, extended to devices that did not say', async () => {
    await using cluster = await startReconCluster();
    await using bed = await startTestBed({ lab_enabled: true, ...cluster.config });
    const disk = { mounted: true, size: 1000, avail: 400 };
    cluster.answers.diskusage = [
      { ...disk, device: 'd0', used: 500 },
      { ...disk, device: 'd1', used: 700 },
      { ...disk, device: 'd2', mounted: false, used: '', size: '', avail: '' },
    ];
    const [usage] = await asked(bed);
    expect(usage).to.deep.equal({ devices: 3, devices_known: 2, used_bytes: 1800 });
  });
});
