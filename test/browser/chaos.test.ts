import { expect } from 'chai';
import { startServedNode } from '../console/lab/chaos-support.js';
import { REAL_CLOCK, startTestBed } from '../console/support/console.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { inspect } from './acts.js';

describeWith([program('chromium')], 'the Chaos Arcade in a browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const node = useOnce(startServedNode, 'close');
  const bed = useOnce(() => startTestBed(node().config, REAL_CLOCK), 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');

  it('breaks a server by the keyboard alone, shows it, and puts it back', async () => {
    const { page } = watched();
    await page.goto(`http://127.0.0.1:${bed().console.port}/lab/chaos`);
    await page.getByText('Unavailable faults').click();
    await page.getByText('cgroup v2').waitFor();
    await inspect(watched(), 'lab-chaos', ALL_SIZES);
    await page.getByRole('button', { name: 'Inject fault: Stop a server' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Confirm target').waitFor();
    await inspect(watched(), 'lab-chaos-dialog');
    // Longer than the test takes on a busy machine: it is aborted.
    await dialog.getByLabel('Duration').fill('500');
    await dialog.getByLabel('Auto-revert after').fill('900');
    // One server has all copies here.
    await dialog.getByLabel('Do it also where partitions lose their quorum').check();
    // A target that was not typed as it is breaks nothing.
    await dialog.getByLabel('Confirm target').focus();
    await page.keyboard.type('node1');
    await page.keyboard.press('Enter');
    await dialog.getByText('Type the target').waitFor();
    await page.keyboard.type('/container-server');
    await page.keyboard.press('Enter');
    const step = page.getByRole('list', { name: 'Phases' }).locator('[aria-current=step]');
    await step.getByText('Observe').waitFor();
    expect(await node().isServed()).to.equal(false);
    await page.getByRole('img', { name: '3 of 3 lives' }).waitFor();
    await page.getByRole('region', { name: 'Slowest probe per second' }).waitFor();
    await inspect(watched(), 'lab-chaos-held', ALL_SIZES);
    // The run goes on without the page, and news of it come to the new one.
    await page.reload();
    await step.getByText('Observe').waitFor();
    await page.getByRole('button', { name: 'Abort' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('An operator aborted it.').waitFor();
    await page.getByText(/^\d+ of 100$/).waitFor();
    await page.getByText('Reverted by the console').waitFor();
    await page.getByText('Stop a server: node1/container-server, by test:tester').waitFor();
    expect(await page.getByText('Auto-revert in').count()).to.equal(0);
    expect(await node().isServed()).to.equal(true);
    await inspect(watched(), 'lab-chaos-score', ALL_SIZES);
    // A refusal is an answer too: that of the dialog's first try, and nothing else.
    expect(watched().complaints.filter((text) => !text.includes('412'))).to.deep.equal([]);
  });
});
