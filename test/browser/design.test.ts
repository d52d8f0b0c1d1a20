import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { SURFACES } from '../../console/surfaces/registry.js';
import { startTestBed } from '../console/support/console.js';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { DESIGN } from '../support/design-surface.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { inspect, saved } from './acts.js';

const PHONE = { width: 390, height: 844 };

describeWith([program('chromium')], 'the frame of the pages in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(() => startTestBed({}, undefined, [...SURFACES, DESIGN]), 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');
  let page: Page;

  before(async () => {
    page = watched().page;
    await page.goto(`http://127.0.0.1:${bed().console.port}/design`);
  });

  const themeNow = () => page.evaluate('document.documentElement.dataset.theme');

  it('shows every component, in both themes and on every width', async () => {
    await page.getByRole('heading', { name: 'Buttons and menu' }).waitFor();
    await inspect(watched(), 'design', ALL_SIZES);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme='${colorScheme}']`).waitFor();
    }
  });

  it('keeps the theme and the density that were chosen', async () => {
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await themeNow()).to.equal('dark');
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await themeNow()).to.equal('dark');
    expect(await page.evaluate('document.documentElement.dataset.density')).to.equal('compact');
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.getByRole('button', { name: 'Theme: dark' }).click();
    expect(await themeNow()).to.equal('light');
  });

  it('opens a menu by keyboard, asks in red before what cannot be undone, and can be left', async () => {
    await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await watched().shoot('design-menu');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete “photos”' });
    await dialog.waitFor();
    await inspect(watched(), 'design-danger');
    expect(await dialog.getByRole('button', { name: 'Delete' }).getAttribute('class')).to.include(
      'danger',
    );
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  it('says what was done in a toast, which can be dismissed', async () => {
    await page.getByRole('button', { name: 'Toast' }).click();
    const toast = page.getByText('“beach.jpg” was moved to the trash.');
    await toast.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await toast.waitFor({ state: 'detached' });
  });

  it('draws every kind of chart, each with a table, CSV and SVG', async () => {
    await page.goto(`http://127.0.0.1:${bed().console.port}/design/charts`);
    await page.getByRole('heading', { name: 'Parallel coordinates' }).waitFor();
    await inspect(watched(), 'charts', ALL_SIZES);
    const titles = await page.locator('.chart h2').allTextContents();
    expect(await page.locator('.chart .drawing').count()).to.equal(11);
    // The marks of the values before are rings.
    expect(await page.locator('.chart circle.stroke').count()).to.be.greaterThan(0);
    for (const title of titles) {
      for (const offer of ['Table', 'Download CSV', 'Download SVG']) {
        await page.getByRole('button', { name: `${offer}: ${title}`, exact: true }).waitFor();
      }
    }
    const descriptions = await page.locator('.chart p.sr').allTextContents();
    expect(descriptions).to.have.length(titles.length);
    for (const text of descriptions) expect(text).to.match(/\w .+\.$/);
    const download = async (name: string) =>
      (await saved(page, page.getByRole('button', { name }))).bytes.toString('utf8');
    const lines = await download('Download CSV: Bars');
    expect(lines).to.equal('Device,Used\r\nd1,42.1\r\nd2,87.5\r\nd3,96.2\r\nd4,\r\n');
    expect(await download('Download SVG: Heat map'))
      .to.match(/^<svg /)
      .and.include('data:image/png')
      .and.not.include('var(');
    await page.getByRole('button', { name: 'Table: Bars' }).click();
    await page.getByRole('cell', { name: 'unknown' }).waitFor();
    await expectAccessible(page);
  });

  it('goes to places and does things from the command palette', async () => {
    await page.locator('#find').waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search pages and actions' });
    await field.waitFor();
    await inspect(watched(), 'palette');
    await field.fill('nothing like it');
    await page.getByText('No matches.').waitFor();
    await field.fill('theme dark');
    await page.getByRole('option', { name: 'Theme: dark' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await themeNow()).to.equal('dark');
    await page.keyboard.press('Control+k');
    await field.fill('theme system');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+k');
    await field.fill('audit');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/audit');
    await page
      .getByRole('link', { name: 'Audit log' })
      .and(page.locator('[aria-current]'))
      .waitFor();
  });

  it('has the rail in a drawer on a phone', async () => {
    await page.setViewportSize(PHONE);
    const link = page.getByRole('link', { name: 'Buckets' });
    expect(await link.isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await link.waitFor();
    await watched().shoot('rail', { phone: PHONE });
    await page.setViewportSize(PHONE);
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    const overflows = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(overflows)).to.equal(false);
  });

  it('had nothing to complain of, and asked no other host', () => {
    expect(watched().complaints).to.deep.equal([]);
    const own = `http://127.0.0.1:${bed().console.port}/`;
    expect(watched().answers.filter((answer) => !answer.startsWith(own))).to.deep.equal([]);
  });
});
