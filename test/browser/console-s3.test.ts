import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, openPage, type Watched } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { describeWith, program } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { consoleOf, consoleUp } from '../support/service-console.js';
import { startService, type Service } from '../support/service.js';

const BUCKET = 'photos';
const ENABLED =
  '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>';

describeWith([program('chromium')], 'Files on a bucket with S3 versions in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  let service: Service;
  let s3: S3TestClient;
  let watched: Watched;
  let page: Page;

  before(async () => {
    service = await startService({ store: '127.0.0.1:0', console: '127.0.0.1:0', listeners: 1 });
    await consoleUp(service);
    s3 = new S3TestClient(service);
    await s3.put(`/${BUCKET}`);
    await s3.put(`/${BUCKET}?versioning`, ENABLED);
    const meta = { 'content-type': 'text/plain', 'x-amz-meta-author': 'Ada' };
    await s3.put(`/${BUCKET}/report.txt`, 'first draft', meta);
    await s3.put(`/${BUCKET}/report.txt`, 'second, longer draft', {
      ...meta,
      'x-amz-meta-author': 'Grace',
    });
    await s3.put(`/${BUCKET}/notes.txt`, 'notes');
    watched = await openPage();
    page = watched.page;
    const { endpoint, user, key } = consoleOf(service);
    await page.goto(`${endpoint}/login.html`);
    await page.getByLabel('User').fill(user);
    await page.getByLabel('Key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText(`${user} (operator)`).waitFor();
    await page.goto(`${endpoint}/#${BUCKET}/`);
    await button('report.txt').waitFor();
  });

  after(async () => {
    await watched.close();
    await s3.close();
    await service.stop();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const drawer = () => page.locator('#drawer');
  const versions = () => drawer().locator('.versions li');

  it('shows the object of S3 and its versions', async () => {
    await button('report.txt').click();
    await drawer().getByText('20 B (20 bytes)').waitFor();
    await drawer().getByText('current', { exact: true }).waitFor();
    expect(await versions().count()).to.equal(2);
    expect(await drawer().getByText('link to another object').count()).to.equal(0);
    await expectAccessible(page);
    await watched.shoot('s3-properties', ALL_SIZES);
    await versions().first().scrollIntoViewIfNeeded();
    await watched.shoot('s3-versions', ALL_SIZES);
  });

  it('compares two versions', async () => {
    for (const box of await versions().getByRole('checkbox').all()) await box.check();
    await drawer().getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('heading', { name: 'Compare versions of report.txt' }).waitFor();
    const author = page.getByRole('row', { name: /author/ });
    expect(await author.getByRole('cell').allTextContents()).to.deep.equal([
      'Grace',
      'Ada',
      'different',
    ]);
    await expectAccessible(page);
    await watched.shoot('s3-compare', ALL_SIZES);
    await button('Close').click();
  });

  it('says what restoring does before it does it, and offers it for old versions alone', async () => {
    expect(
      await versions()
        .first()
        .getByRole('button', { name: /^Restore/ })
        .count(),
    ).to.equal(0);
    await versions()
      .nth(1)
      .getByRole('button', { name: /^Restore/ })
      .click();
    await page.getByText('becomes the new current version').waitFor();
    await expectAccessible(page);
    await watched.shoot('s3-restore', ALL_SIZES);
    await page.locator('#dialog-ok').click();
    await drawer().getByText('11 B (11 bytes)').waitFor();
    expect((await s3.get(`/${BUCKET}/report.txt`)).text).to.equal('first draft');
    expect(await versions().count()).to.equal(3);
  });

  it('deletes a version only when its name is typed', async () => {
    await versions()
      .nth(2)
      .getByRole('button', { name: /^Delete/ })
      .click();
    const name = page.getByLabel('Type “report.txt” to confirm');
    await name.fill('report');
    await page.locator('#dialog-ok').click();
    await page.getByText('That is not its name.').waitFor();
    await watched.shoot('s3-delete-version', ALL_SIZES);
    await name.fill('report.txt');
    await page.locator('#dialog-ok').click();
    const count = () => versions().count();
    expect(await eventually(count, (left) => left === 2)).to.equal(2);
  });

  it('adds a delete marker, shows deleted files, and brings one back', async () => {
    await page.getByLabel('Select notes.txt').check();
    await page.locator('#delete').click();
    await page.getByText(/Delete “notes.txt” \(adds a delete marker\)/).waitFor();
    await button('notes.txt').waitFor({ state: 'detached' });
    expect((await s3.get(`/${BUCKET}/notes.txt`)).status).to.equal(404);
    await button('Deleted files').click();
    await button('notes.txt').click();
    await drawer().getByText('delete marker', { exact: true }).waitFor();
    await expectAccessible(page);
    await watched.shoot('s3-deleted', ALL_SIZES);
    await versions()
      .nth(1)
      .getByRole('button', { name: /^Restore/ })
      .click();
    await page.locator('#dialog-ok').click();
    await page.locator('#rows').getByText('notes.txt').waitFor({ state: 'detached' });
    expect((await s3.get(`/${BUCKET}/notes.txt`)).text).to.equal('notes');
  });

  it('made no script fail, and showed no secret', () => {
    expect(watched.complaints).to.deep.equal([]);
    expect(watched.answers.filter((text) => text.includes(service.secretKey))).to.deep.equal([]);
  });
});
