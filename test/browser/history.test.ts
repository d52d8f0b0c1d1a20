import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { upload } from '../console/files/support.js';
import { FakeLoki } from '../console/monitor/loki.js';
import { startTestBed } from '../console/support/console.js';
import { BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';

describeWith([program('chromium')], 'the history of the browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const loki = useOnce(
    () => new FakeLoki().start(),
    ({ server }) => server.stop(),
  );
  const bed = useOnce(() => startTestBed({ logs_url: loki().server.url }), 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');
  let page: Page;
  let home: string;

  before(async () => {
    const client = await bed().login();
    await client.send('PUT', '/api/files/container', { body: { name: 'photos' } });
    await upload(client, 'photos', 'summer/sea.txt', 'x');
    await upload(client, 'photos', 'winter/snow.txt', 'x');
    ({ page } = watched());
    home = `http://127.0.0.1:${bed().console.port}/`;
    await page.goto(`${home}buckets#photos/`);
    await page.getByRole('button', { name: 'summer/', exact: true }).click();
    await row('summer/sea.txt').waitFor();
  });

  afterEach(() => {
    expect(watched().complaints).to.deep.equal([]);
  });

  const row = (name: string) => page.locator(`#rows tr[data-name="${name}"]`);
  const dialog = () => page.locator('#dialog');
  const palette = () => page.getByRole('dialog', { name: 'Command palette' });
  const newFolder = async () => {
    await page.getByRole('button', { name: 'Create folder' }).click();
    await dialog().waitFor();
  };
  const hidden = { state: 'hidden' } as const;

  it('closes a dialog with “back”, and stays where the page is', async () => {
    const here = page.url();
    await newFolder();
    await page.goBack();
    await dialog().waitFor(hidden);
    expect(page.url()).to.equal(here);
    expect(await row('summer/sea.txt').count()).to.equal(1);
  });

  it('opens nothing with “forward”, and closes the next dialog as well', async () => {
    await page.goForward();
    expect(await dialog().isVisible()).to.equal(false);
    await newFolder();
    await page.goBack();
    await dialog().waitFor(hidden);
    expect(await row('summer/sea.txt').count()).to.equal(1);
  });

  it('leaves nothing behind of a dialog that is closed in another way', async () => {
    const ways = [
      () => page.locator('#dialog-cancel').click(),
      () => page.keyboard.press('Escape'),
      async () => {
        await dialog().getByLabel('Name').fill('autumn');
        await page.locator('#dialog-ok').click();
      },
    ];
    for (const close of ways) {
      await newFolder();
      await close();
      await dialog().waitFor(hidden);
    }
    await row('summer/autumn/').waitFor();
    // One step leads to where the user came from.
    await page.goBack();
    await row('winter/').waitFor();
    expect(page.url()).to.equal(`${home}buckets#photos/`);
  });

  it('closes the command palette with “back”, and the menu of a row', async () => {
    await page.keyboard.press('Control+k');
    await palette().waitFor();
    await page.goBack();
    await palette().waitFor({ state: 'detached' });
    expect(page.url()).to.equal(`${home}buckets#photos/`);
    await row('winter/')
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menu').waitFor();
    await page.goBack();
    await page.getByRole('menu').waitFor({ state: 'detached' });
  });

  it('goes where a choice of the palette leads, and back in one step', async () => {
    await page.goto(`${home}buckets#photos/winter%2F`);
    await row('winter/snow.txt').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('summer');
    await page.getByRole('option', { name: /photos\/summer/ }).waitFor();
    await page.keyboard.press('Enter');
    await row('summer/sea.txt').waitFor();
    await page.goBack();
    await row('winter/snow.txt').waitFor();
  });

  it('closes a dialog when the user goes to another address', async () => {
    await newFolder();
    await page.evaluate("location.hash = 'photos/summer%2F'");
    await row('summer/sea.txt').waitFor();
    await dialog().waitFor(hidden);
    // A dialog that is open during a reload is not there afterwards; the next one is as any other.
    await newFolder();
    await page.reload();
    await row('summer/sea.txt').waitFor();
    await newFolder();
    await page.goBack();
    await dialog().waitFor(hidden);
    expect(await row('summer/sea.txt').count()).to.equal(1);
  });

  it('closes the command palette above a page that keeps more than its place in the address', async () => {
    await page.goto(`${home}monitor#tab=logs`);
    const chosen = (name: string) => page.getByRole('tab', { name, selected: true });
    await chosen('Logs').waitFor();
    await page.getByRole('tab', { name: 'Trace' }).click();
    await page.keyboard.press('Control+k');
    await palette().waitFor();
    await page.goBack();
    await palette().waitFor({ state: 'detached' });
    await chosen('Trace').waitFor();
    await page.goBack();
    await chosen('Logs').waitFor();
  });

  it('marks the tab of a bucket that “back” leads to', async () => {
    await page.goto(`${home}buckets#photos//settings`);
    const tab = (name: string) => page.getByRole('tab', { name, exact: true, selected: true });
    await tab('Settings').waitFor();
    await page.getByRole('tab', { name: 'Lifecycle' }).click();
    await tab('Lifecycle').waitFor();
    await page.goBack();
    await tab('Settings').waitFor();
    await page.getByRole('heading', { name: 'Details', exact: true }).waitFor();
    await page.goForward();
    await tab('Lifecycle').waitFor();
  });
});
