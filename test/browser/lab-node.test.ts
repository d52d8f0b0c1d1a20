import { expect } from 'chai';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, logIn, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { startDrillCluster } from '../console/lab/node-support.js';
import { REAL_CLOCK, startTestBed } from '../console/support/console.js';
import { inspect } from './acts.js';

describeWith([program('chromium')], 'the Node HA Drill in a browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const cluster = useOnce(startDrillCluster, 'close');
  const bed = useOnce(() => startTestBed(cluster().config, REAL_CLOCK), 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');

  it('takes a node down by the keyboard, counts down over a reload, and reports', async () => {
    const { page } = watched();
    await page.goto(`http://127.0.0.1:${bed().console.port}/lab/node`);
    const card = page.getByRole('region', { name: 'node2' });
    await card.getByText('Up', { exact: true }).waitFor();
    await card.getByText('object-server/2.30.1').first().waitFor();
    await page.getByRole('button', { name: 'Take down node2' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Take down node2?' });
    await dialog.getByText('all partitions remain readable and writable').waitFor();
    await dialog.getByRole('table', { name: 'Expected impact' }).waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Seconds').fill('9');
    await dialog.getByLabel('Node name').fill('node3');
    await dialog.getByLabel('Seconds').fill('600');
    await page.keyboard.press('Enter');
    await dialog.getByText('Type node2 to confirm.').waitFor();
    expect(await cluster().states('node2')).to.deep.include({ 'object-server': 'active' });
    await dialog.getByLabel('Node name').fill('node2');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await card.getByText('Down (drill)', { exact: true }).waitFor();
    await card.getByText(/^Restarts in/).waitFor();
    // The address names the drill, and the stream of events is a new one.
    await page.reload();
    await card.getByText('Down (drill)', { exact: true }).waitFor();
    const drill = page.getByRole('heading', { name: 'Drill', exact: true });
    await drill.waitFor();
    await page.getByText('succeeded for the client').waitFor();
    await page.getByText('Client and server responses').first().waitFor();
    await inspect(watched(), 'lab-node-held', ALL_SIZES);
    // The drill goes on with the next console, and so does the page, once its user has logged in.
    await bed().restart();
    await page.waitForURL('**/login.html*');
    await logIn(page);
    await card.getByText('Down (drill)', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start node2 now' }).click();
    await page.getByRole('heading', { name: 'After-report' }).waitFor();
    await card.getByText('Up', { exact: true }).waitFor();
    const journal = page.getByRole('table', { name: 'Event log' });
    await journal.getByText('object-server on node2 was started').waitFor();
    await inspect(watched(), 'lab-node', ALL_SIZES);
    // A stream without its console, and requests without a session, are told to the log.
    const isOfRestart = (text: string) =>
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|\b401\b/.test(text);
    expect(watched().complaints.filter((text) => !isOfRestart(text))).to.deep.equal([]);
  });
});
