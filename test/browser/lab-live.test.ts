import { expect } from 'chai';
import { expectAccessible } from '../support/axe.js';
import { BROWSER_LIMIT_MS, logIn, openPage, type Watched } from '../support/browser.js';
import { describeWith, program } from '../support/needs.js';
import { REAL_CLOCK, startTestBed, type TestBed } from '../console/support/console.js';
import { startReconCluster, type ReconCluster } from '../console/lab/support.js';

describeWith([program('chromium')], 'the pages of the Lab that watch a cluster', function () {
  this.timeout(BROWSER_LIMIT_MS);
  let bed: TestBed;
  let cluster: ReconCluster;
  let watched: Watched;

  before(async () => {
    cluster = await startReconCluster();
    // The console looks when it starts.
    const nowS = Date.now() / 1000;
    Object.assign(cluster.answers, {
      time: nowS,
      async: { async_pending: 90_000, async_pending_last: nowS - 120 },
      quarantined: { accounts: 0, containers: 0, objects: 4000, policies: {} },
      'replication/object': { object_replication_time: 1, object_replication_last: nowS - 900 },
    });
    bed = await startTestBed({ lab_enabled: true, ...cluster.config }, REAL_CLOCK);
    watched = await openPage();
    await watched.page.goto(`http://127.0.0.1:${bed.console.port}/`);
    await logIn(watched.page);
  });

  after(async () => {
    await watched.close();
    await bed.close();
    await cluster.close();
  });

  afterEach(() => {
    expect(watched.complaints).to.deep.equal([]);
  });

  const open = async (path: string): Promise<void> => {
    await watched.page.goto(`http://127.0.0.1:${bed.console.port}${path}`);
  };

  it('shows the repair debt, of what it is made, and what is unknown', async () => {
    const { page } = watched;
    await open('/lab/debt');
    const table = page.getByRole('table', { name: 'Components' });
    await table.waitFor();
    const row = table.getByRole('row', { name: /^Updates that wait/ });
    expect(await row.innerText()).to.include('30 min 0 s');
    expect(await row.innerText()).to.include('swift-recon-cron');
    const disks = await table.getByRole('row', { name: /^Disks above/ }).innerText();
    expect(disks).to.include('unknown').and.not.match(/\b0\b/);
    await page.getByText('is the object-updater running?').waitFor();
    await expectAccessible(page);
    await watched.shoot('lab-debt');
  });
});
