import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { change, upload } from '../console/files/support.js';
import { startTestBed } from '../console/support/console.js';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { inspect, saved } from './acts.js';

const CONTAINER = 'pictures';
const LONG = `long-${'name-'.repeat(40)}.bin`;
const SIZES = { 'b.jpg': 30, 'a.txt': 10, 'c.csv': 20, [LONG]: 5, 'z/one': 1, 'a/two': 1 };
const PHONE = { width: 390, height: 844 };

describeWith([program('chromium')], 'the list of files in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(startTestBed, 'close');
  const client = useOnce(() => bed().login());
  const watched = useOnce(() => openConsole(bed()), 'close');
  let page: Page;

  before(async () => {
    await client().send('PUT', '/api/files/container', { body: { name: CONTAINER } });
    for (const [name, bytes] of Object.entries(SIZES)) {
      await upload(client(), CONTAINER, name, 'x'.repeat(bytes));
    }
    page = watched().page;
    await page.goto(`http://127.0.0.1:${bed().console.port}/buckets#${CONTAINER}/`);
    await row('a.txt').waitFor();
  });

  const row = (name: string) => page.locator(`#rows tr[data-name="${name}"]`);
  const ofRows = (what: string) =>
    page.evaluate<unknown[]>(`[...document.querySelectorAll('#rows tr')].map((row) => ${what})`);
  const names = () => ofRows('row.dataset.name');
  const topOf = (selector: string) =>
    page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().top`);
  const widthOf = (selector: string) =>
    page.evaluate<number>(`document.querySelector('${selector}').offsetWidth`);

  it('has folders first, and sorts by name, size and time', async () => {
    const folders = ['a/', 'z/'];
    expect(await names()).to.deep.equal([...folders, 'a.txt', 'b.jpg', 'c.csv', LONG]);
    const size = page.getByRole('columnheader', { name: 'Size' });
    await size.getByRole('button').click();
    expect(await names()).to.deep.equal([...folders, LONG, 'a.txt', 'c.csv', 'b.jpg']);
    expect(await size.getAttribute('aria-sort')).to.equal('ascending');
    await size.getByRole('button').click();
    expect(await names()).to.deep.equal([...folders, 'b.jpg', 'c.csv', 'a.txt', LONG]);
    await size.getByRole('button').click();
    expect(await size.getAttribute('aria-sort')).to.equal(null);
    expect(await names()).to.deep.equal([...folders, 'a.txt', 'b.jpg', 'c.csv', LONG]);
    await page.getByText('6 items').waitFor();
    await inspect(watched(), 'files-list', ALL_SIZES);
  });

  it('keeps rows even, whatever the length of a name', async () => {
    const heights = await ofRows('Math.round(row.getBoundingClientRect().height)');
    expect(new Set(heights).size).to.equal(1);
  });

  it('does not move the table when something is selected', async () => {
    const before = await topOf('#objects');
    await page.getByLabel('Select a.txt').check();
    await page.getByText('1 selected, 10 B').waitFor();
    expect(await topOf('#objects')).to.equal(before);
    await inspect(watched(), 'files-selected');
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
  });

  it('shows the details of the row that is clicked, and then those of another', async () => {
    const title = page.locator('#drawer-title');
    await row('a.txt').locator('.size').click();
    await title.getByText('a.txt').waitFor();
    await page.locator('#drawer').getByText('10 B', { exact: true }).waitFor();
    await row('c.csv').locator('.size').click();
    await page.locator('#drawer').getByText('20 B', { exact: true }).waitFor();
    expect(await title.textContent()).to.equal('c.csv');
    expect(await ofRows("row.hasAttribute('data-open') && row.dataset.name")).to.include('c.csv');
    expect(await page.locator('#rows [data-open]').count()).to.equal(1);
    await page.getByRole('button', { name: 'Close details' }).click();
  });

  it('has what can be done with a row in its menu', async () => {
    await page.getByRole('button', { name: 'Actions for b.jpg' }).click();
    await watched().shoot('files-menu');
    const width = "document.querySelector('.menu').offsetWidth";
    expect(await page.evaluate(width)).to.be.lessThan(260);
    expect(await page.getByRole('menuitem').allTextContents()).to.deep.equal([
      ...['Details', 'Download', 'Rename', 'Move', 'Copy', 'Share', 'Copy URL', 'Move to trash'],
    ]);
    await expectAccessible(page);
    const { name } = await saved(page, page.getByRole('menuitem', { name: 'Download' }));
    expect(name).to.equal('b.jpg');
  });

  it('closes the menu alone with Escape', async () => {
    await page.getByLabel('Select a.txt').check();
    await page.getByRole('button', { name: 'Actions for b.jpg' }).click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByText('1 selected, 10 B').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
  });

  it('opens places from the command palette, and remembers them', async () => {
    const place = page.url();
    await page.evaluate("location.hash = ''");
    await page.getByRole('link', { name: CONTAINER }).waitFor();
    expect(await page.getByRole('button', { name: 'Next' }).count()).to.equal(0);
    const field = page.getByRole('combobox', { name: 'Search pages and actions' });
    await page.keyboard.press('Control+k');
    await field.fill('pictures/');
    await page.getByRole('option', { name: `${CONTAINER}/ Recent` }).waitFor();
    await page.keyboard.press('Enter');
    await row('a.txt').waitFor();
    expect(page.url()).to.equal(place);
    await page.keyboard.press('Control+k');
    // Where one is already is no place to go to.
    await field.fill('recent');
    expect(await page.getByRole('option', { name: `${CONTAINER}/ Recent` }).count()).to.equal(0);
    await field.fill('create folder');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create folder' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('has a table of buckets, which is sorted, filtered and passed with two tabs', async () => {
    for (const name of ['archive', 'bills']) {
      await client().send('PUT', '/api/files/container', { body: { name } });
    }
    await page.evaluate("location.hash = ''");
    const buckets = page.locator('#bucket-rows tr');
    const first = buckets.first();
    await buckets.nth(2).getByText('67 B', { exact: true }).waitFor();
    expect(await page.title()).to.equal('Buckets · Ringway');
    await inspect(watched(), 'buckets', ALL_SIZES);
    const size = page.getByRole('columnheader', { name: 'Size' });
    await size.getByRole('button').click();
    expect(await size.getAttribute('aria-sort')).to.equal('descending');
    expect(await first.getAttribute('data-name')).to.equal(CONTAINER);
    await page.getByRole('button', { name: 'Incomplete uploads' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate('document.activeElement.closest("tr")?.dataset.name');
    expect(await focused()).to.equal('archive');
    for (const _ of ['the menu', 'behind the table']) await page.keyboard.press('Tab');
    expect(await focused()).to.equal(undefined);
    await page.getByLabel('Filter buckets').fill('bil');
    expect(await buckets.count()).to.equal(1);
    await page.getByLabel('Filter buckets').fill('');
    await page.locator('.skip').press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
    await page.getByRole('link', { name: CONTAINER }).click();
    await page.getByRole('tab', { name: 'Objects', selected: true }).waitFor();
    expect(await page.title()).to.equal(`${CONTAINER} · Ringway`);
  });

  it('shares a bucket with a person', async () => {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    await page.getByRole('tab', { name: 'Access' }).click();
    await button('Edit access').click();
    await dialog.getByLabel('Share with').fill('test:tester2');
    await dialog.getByLabel('Permission').selectOption('write');
    await page.keyboard.press('Tab');
    await button('Add user').click();
    await dialog.getByLabel('Share with').fill('test2:tester3');
    await dialog.getByLabel('Permission').selectOption('read');
    await dialog.getByLabel('Share with').press('Enter');
    expect(await dialog.getByLabel('Read', { exact: true }).inputValue()).to.equal(
      'test:tester2\ntest2:tester3',
    );
    expect(await dialog.getByLabel('Write', { exact: true }).inputValue()).to.equal('test:tester2');
    await dialog.locator('li').filter({ hasText: 'test2:tester3:' }).waitFor();
    const known = `[...document.querySelectorAll('#people option')].map(({ value }) => value)`;
    expect(await page.evaluate(known)).to.deep.equal(['test2:tester3', 'test:tester2']);
    await inspect(watched(), 'files-share');
    // An admin elsewhere has changed the rules meanwhile: this dialog does not undo that.
    await change(client(), 'acl', { name: CONTAINER, read: 'other:user', write: '' });
    await button('Save').click();
    await dialog.getByRole('alert').getByText('Now: read “other:user”, write “”.').waitFor();
    await button('Show it as it is now').click();
    await dialog.locator('li').filter({ hasText: 'other:user:' }).waitFor();
    expect(await dialog.getByLabel('Read', { exact: true }).inputValue()).to.equal('other:user');
    await dialog.getByLabel('Share with').fill('test2:tester3');
    await dialog.getByLabel('Share with').press('Enter');
    await button('Save').click();
    await page.locator('#container-page li').filter({ hasText: 'test2:tester3:' }).waitFor();
    await page.getByRole('tab', { name: 'Objects' }).click();
    await row('a.txt').waitFor();
  });

  it('shows the first row at once on a phone, and buckets when asked', async () => {
    await page.setViewportSize(PHONE);
    expect(await topOf('#rows tr')).to.be.lessThan(PHONE.height / 2);
    const before = await topOf('#objects');
    await page.getByLabel('Select a.txt').check();
    await page.getByText('1 selected, 10 B').waitFor();
    expect(await topOf('#objects')).to.equal(before);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    // Most of the width is the name's.
    expect(await widthOf('#rows .what')).to.be.greaterThan(PHONE.width / 2);
    await page.locator('#all-buckets').click();
    await page.getByText(/^6 objects · 67 B/).waitFor();
    const overflows = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(overflows)).to.equal(false);
  });

  it('had nothing to complain of', () => {
    // Of the refused change there is one.
    const unforeseen = watched().complaints.filter((text) => !text.includes(' 409 (Conflict) '));
    expect([unforeseen, watched().complaints.length]).to.deep.equal([[], 1]);
  });
});
