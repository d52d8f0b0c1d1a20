import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { makeContainer, ok, unique, upload } from '../console/files/support.js';
import { startTestBed } from '../console/support/console.js';
import { mapLimited } from '../../src/lib/promises.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { namesBelow, segmentOf } from './files-page.js';
import { hold, inspect } from './acts.js';

const MIB = 1024 ** 2;
const SEGMENTS = '**/api/files/uploads/segment?*';
/** More than a page, and more than goes to the trash without a question. */
const MANY = 120;
const SPACED = 'two  blanks.txt';
const A = unique('objects');

describeWith([program('chromium')], 'objects of the Files page in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const folder = useTempFolderOnce('files-objects');
  const bed = useOnce(() => startTestBed({ max_upload_bytes: MIB, segment_bytes: MIB }), 'close');
  const client = useOnce(() => bed().login());
  const watched = useOnce(() => openConsole(bed()), 'close');
  let page: Page;
  let home: string;

  before(async () => {
    await makeContainer(client(), A);
    const many = Array.from({ length: MANY }, (_, i) => `many/${String(i).padStart(3, '0')}`);
    const names = ['docs/plan.txt', 'docs/sub/deep.txt', SPACED, ...many];
    await mapLimited(names, 4, (name) =>
      ok(upload(client(), A, name, 'x'.repeat(200 - name.length)), 201),
    );
    await ok(upload(client(), A, 'many/100', '', { overwrite: '1' }), 201);
    page = watched().page;
    home = `http://127.0.0.1:${bed().console.port}/`;
    await page.goto(`${home}#${A}/`);
    await row('docs/').waitFor();
  });

  const row = (name: string) => page.locator(`#rows tr[data-name="${name}"]`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const toasts = () => page.locator('#toasts');
  const bySize = () => page.getByRole('columnheader', { name: 'Size' }).getByRole('button');
  const menuOf = async (label: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${label}`, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const go = (path: string) => page.evaluate(`location.hash = ${JSON.stringify(`${A}/${path}`)}`);
  const names = () => namesBelow(client(), A, 'docs/');

  it('moves a folder to the trash, saying how much goes, and takes it back', async () => {
    await menuOf('docs/', 'Move to trash');
    await row('docs/').waitFor({ state: 'detached' });
    await page.getByText('Move “docs/” (2 objects, 370 B) to trash').waitFor();
    await toasts().getByText('“docs/” moved to trash.').waitFor();
    await inspect(watched(), 'undo', ALL_SIZES);
    await button('Trash').click();
    await row('docs/').getByText('2 objects').waitFor();
    await watched().shoot('trash-folders', ALL_SIZES);
    await button('Back to files').click();
    await toasts().getByRole('button', { name: 'Undo' }).click();
    await row('docs/').waitFor();
    expect(await names()).to.deep.equal(['docs/plan.txt', 'docs/sub/deep.txt']);
  });

  it('asks before more than a hundred objects go', async () => {
    await menuOf('many/', 'Move to trash');
    const dialog = page.locator('#dialog');
    await dialog.getByText(`${MANY} objects`).waitFor();
    await watched().shoot('ask-trash');
    await button('Cancel').click();
    await row('many/').waitFor();
  });

  it('renames the last part of a name, and takes it back from the list', async () => {
    await go('docs%2F');
    await row('docs/plan.txt').focus();
    await page.keyboard.press('F2');
    const field = page.getByLabel('New name');
    expect(await field.inputValue()).to.equal('plan.txt');
    // The extension stays unless it is meant.
    await page.keyboard.type('draft');
    await page.keyboard.press('Enter');
    await row('docs/draft.txt').waitFor();
    await page.getByRole('button', { name: 'Undo: Rename plan.txt' }).click();
    await row('docs/plan.txt').waitFor();
    expect(await names()).to.deep.equal(['docs/plan.txt', 'docs/sub/deep.txt']);
  });

  it('moves into a folder that is picked', async () => {
    await go('docs%2Fsub%2F');
    await menuOf('deep.txt', 'Move');
    const folders = page.getByRole('list', { name: 'Folders' });
    await folders.getByRole('button', { name: 'Parent folder' }).click();
    await folders.getByRole('button', { name: 'sub/' }).waitFor();
    await inspect(watched(), 'move', ALL_SIZES);
    await page.locator('#dialog-ok').click();
    await row('docs/sub/deep.txt').waitFor({ state: 'detached' });
    expect(await names()).to.deep.equal(['docs/deep.txt', 'docs/plan.txt']);
  });

  it('sorts and selects a folder of several pages as a whole', async () => {
    await go('many%2F');
    await row('many/000').waitFor();
    await bySize().click();
    await page.getByText(`1–100 of ${MANY} items`).waitFor();
    await row('many/100').waitFor();
    expect(await page.locator('#rows tr').first().getAttribute('data-name')).to.equal('many/100');
    await page.getByLabel('Select all').check();
    await page.getByText('100 selected').waitFor();
    await button('Select all pages').click();
    await page.getByText(`${MANY} selected`).waitFor();
    await watched().shoot('select-all');
    await button('Clear selection').click();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText(`101–${MANY} of ${MANY} items`).waitFor();
    for (let clicks = 0; clicks < 2; clicks++) await bySize().click();
  });

  it('has an address and a title for pages, searches and objects', async () => {
    await go('many%2F');
    await row('many/000').waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await row('many/119').waitFor();
    await page.reload();
    await row('many/119').waitFor();
    await page.goBack();
    await row('many/000').waitFor();
    await page.getByLabel('Search in this folder').fill('many/01');
    await button('Search').click();
    await page.getByText(/Search complete/).waitFor();
    expect(await page.title()).to.equal(`Search: many/01 · many/ · ${A} · Ringway`);
    await page.reload();
    await page.getByText(/Search complete\. 10 matches/).waitFor();
    await go('');
    await row(SPACED).locator('.size').click();
    await page.locator('#drawer').getByText('185 B', { exact: true }).waitFor();
    // Browsers collapse blanks in titles.
    expect(await page.title()).to.equal(`two blanks.txt · ${A} · Ringway`);
    expect(await page.locator('#drawer-title').innerText()).to.equal(SPACED);
    await page.reload();
    await page.locator('#drawer').getByText('185 B', { exact: true }).waitFor();
    await button('Close details').click();
    expect(page.url()).to.equal(`${home}buckets#${A}/`);
  });

  it('adds up a folder when asked', async () => {
    await menuOf('many/', 'Calculate size');
    await row('many/').getByText(`${MANY} objects`).waitFor();
  });

  it('goes on with an upload while other pages are open', async () => {
    const file = { name: 'film.bin', mimeType: 'a/b', buffer: Buffer.alloc(3 * MIB) };
    const isSecond = (route: Route) => route.request().url().includes('index=1');
    const release = await hold(page, SEGMENTS, isSecond);
    await page.locator('#picker').setInputFiles([file]);
    const line = page.locator('#queue li').filter({ hasText: 'film.bin' });
    await line.getByText(/MiB of 3\.0 MiB/).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    const frame = page.frameLocator('iframe.side-page');
    await frame.getByRole('button', { name: 'Verify log' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/audit');
    await watched().shoot('side-page', ALL_SIZES);
    release();
    await line.getByText('done, 3.0 MiB').waitFor();
    await page.goBack();
    await row('film.bin').waitFor();
    expect(await page.locator('iframe').count()).to.equal(0);
    await page.unroute(SEGMENTS);
  });

  it('lists what was not finished, and goes on when the file is chosen again', async () => {
    const file = join(folder(), 'again.bin');
    await writeFile(file, Buffer.alloc(3 * MIB, 1));
    const sent: (string | undefined)[] = [];
    await page.route(SEGMENTS, async (route) => {
      sent.push(segmentOf(route.request()));
      if (sent.length !== 3) await route.continue();
    });
    await page.locator('#picker').setInputFiles(file);
    const line = page.locator('#queue li').filter({ hasText: 'again.bin' });
    await line.getByText(/2\.0 MiB of 3\.0 MiB/).waitFor();
    await button('Cancel: again.bin').click();
    await button('Restart: again.bin').waitFor();
    await page.reload();
    await line.getByText('2.0 MiB of 3.0 MiB uploaded. Choose the file again to resume.').waitFor();
    await watched().shoot('unfinished');
    const chooser = page.waitForEvent('filechooser');
    await button('Choose file: again.bin').click();
    await (await chooser).setFiles(file);
    await line.getByText('done, 3.0 MiB').waitFor();
    expect(sent.slice(3)).to.deep.equal(['2']);
    await page.reload();
    await row('again.bin').waitFor();
    expect(await line.count()).to.equal(0);
    expect(watched().complaints).to.deep.equal([]);
  });
});
