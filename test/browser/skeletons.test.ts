import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../support/axe.js';
import { logIn, openPage } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import {
  CONSOLE_LIMIT_MS,
  consoleOf,
  startServiceWithConsole,
} from '../support/service-console.js';
import { hold, inspect } from './acts.js';

const TEXT = { 'content-type': 'text/plain' };
const ENABLED =
  '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>';

/** Where a page counts as one that does not jump, by the Web Vitals; here even after a click. */
const SHIFT_MAX = 0.1;

/** Adds up what Chromium says of elements that moved without being asked to. */
const COUNT_SHIFTS = `
  let sum = 0;
  const add = (entries) => entries.forEach(({ value }) => (sum += value));
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  globalThis.shiftsUpToNow = async () => {
    // What has moved is known when it has been painted.
    for (let i = 0; i < 3; i++) await frame();
    add(observer.takeRecords());
    return sum;
  };
`;

describeWith([program('chromium')], 'what is on its way, in Chromium', function () {
  this.timeout(CONSOLE_LIMIT_MS);
  const running = useOnce(startServiceWithConsole, 'stop');
  const s3 = useOnce(() => new S3TestClient(running().s3), 'close');
  const watched = useOnce(openPage, 'close');
  let page: Page;
  let home: string;

  before(async () => {
    await s3().put('/photos');
    await s3().put('/photos?versioning', ENABLED);
    for (const text of ['one\n', 'two\n']) await s3().put('/photos/a.txt', text.repeat(99), TEXT);
    await s3().put('/photos/b.txt', 'other', TEXT);
    page = watched().page;
    await page.addInitScript(COUNT_SHIFTS);
    const { endpoint, account, user, key } = consoleOf(running().service);
    home = `${endpoint}/`;
    await page.goto(home);
    await logIn(page, { account, user, key });
  });

  afterEach(() => {
    expect(watched().complaints).to.deep.equal([]);
  });

  /** Holds all answers below a path until the function that it returns is called. */
  const holdBelow = async (path: string) => {
    const release = await hold(page, `**${path}*`);
    return async () => {
      release();
      await page.unroute(`**${path}*`, undefined);
    };
  };
  const shift = () => page.evaluate<number>('globalThis.shiftsUpToNow()');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const drawer = () => page.locator('#drawer');
  const skeletons = (where: string) => page.locator(`${where} .skeleton`);
  const none = { state: 'detached' } as const;

  it('has a place for buckets and files', async () => {
    const release = await holdBelow('/api/files/');
    await page.goto(`${home}buckets`);
    await skeletons('#bucket-rows').first().waitFor();
    await release();
    await page.getByRole('link', { name: 'photos' }).click();
    await button('a.txt').waitFor();
    expect(await skeletons('#files').count()).to.equal(0);
  });

  it('has a place for the details of an object, its preview and its versions', async () => {
    const releaseAll = await holdBelow('/api/files/object?');
    const releaseVersions = await holdBelow('/api/files/versions?');
    const releaseText = await holdBelow('/api/files/object/preview');
    await button('a.txt').click();
    await skeletons('#drawer-body').first().waitFor();
    expect(await drawer().getByText('Loading…').first().isVisible()).to.equal(true);
    await inspect(watched(), 'skeleton-details');
    await releaseAll();
    await drawer().getByText('396 B', { exact: true }).waitFor();
    await skeletons('#drawer .preview').first().waitFor();
    await skeletons('#drawer [data-late=Versions]').first().waitFor();
    await watched().shoot('skeleton-sections');
    const before = await shift();
    await releaseText();
    await releaseVersions();
    await drawer().getByText('two').waitFor();
    await drawer().locator('.versions li').nth(1).waitFor();
    expect(await skeletons('#drawer').count()).to.equal(0);
    expect((await shift()) - before).to.be.lessThan(SHIFT_MAX);
  });

  it('keeps the details where they are while they are read again', async () => {
    const list = drawer().locator('.versions');
    // Sections that come late move what is below them.
    await drawer().locator('[aria-busy]').first().waitFor({ state: 'detached' });
    await list.scrollIntoViewIfNeeded();
    const top = () => page.evaluate<number>("document.querySelector('#drawer').scrollTop");
    const release = await holdBelow('/api/files/versions?');
    await list
      .getByRole('button', { name: /^Restore/ })
      .first()
      .click();
    const before = await top();
    expect(before).to.be.greaterThan(0);
    await page.locator('#dialog-ok').click();
    // They are there, and their versions are asked for.
    await skeletons('#drawer [data-late=Versions]').first().waitFor();
    expect(await top()).to.equal(before);
    await release();
    await list.locator('li').nth(2).waitFor();
    expect(await top()).to.equal(before);
    await button('Close details').click();
  });

  it('says what is wrong where something could not be read', async () => {
    await page.route('**/api/files/versions?*', (route) => route.abort());
    await button('b.txt').click();
    const section = drawer().locator('[data-late=Versions]');
    await section.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await section.locator('.skeleton').count()).to.equal(0);
    await page.unroute('**/api/files/versions?*');
    await section.getByRole('button', { name: 'Try again' }).click();
    await drawer().locator('.versions li').first().waitFor();
    // The browser says so itself where a request fails.
    watched().complaints.length = 0;
  });

  it('has a place for the tiles, the charts and the lines of the Monitor', async () => {
    await page.goto(`${home}monitor`);
    await page.locator('.tile[data-tile=requests_per_s]').waitFor();
    await page.getByText(/^No alerts/).waitFor();
    const tiles = await page.locator('.tile').count();
    const release = await holdBelow('/api/monitor/');
    await page.reload();
    await page.locator('.tile.loading').first().waitFor();
    await skeletons('#panel').first().waitFor();
    // As many as there were.
    expect(await page.locator('.tile.loading').count()).to.equal(tiles);
    await inspect(watched(), 'skeleton-monitor');
    const before = await shift();
    await release();
    await page.locator('#panel .panel[aria-busy=false]:not([hidden])').first().waitFor();
    await page.locator('.tile.loading').first().waitFor(none);
    await skeletons('.panels.main .panel:not([hidden]) .body').first().waitFor(none);
    expect((await shift()) - before).to.be.lessThan(SHIFT_MAX);
    const releaseLogs = await holdBelow('/api/monitor/logs');
    await page.getByRole('tab', { name: 'Logs' }).click();
    await skeletons('.logs').first().waitFor();
    await watched().shoot('skeleton-logs');
    await releaseLogs();
    await page.locator('#log li').first().waitFor();
    await page.getByText('Log volume').waitFor();
    expect(await skeletons('.logs').count()).to.equal(0);
  });

  it('has a place for the records of the audit log', async () => {
    const release = await holdBelow('/api/audit');
    await page.goto(`${home}audit`);
    await skeletons('#rows').first().waitFor();
    await expectAccessible(page);
    await release();
    await page.getByText(/\d+ records/).waitFor();
    expect(await skeletons('#rows').count()).to.equal(0);
  });
});
