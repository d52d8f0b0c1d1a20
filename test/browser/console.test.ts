import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { upload } from '../console/files/support.js';
import { startTestBed } from '../console/support/console.js';
import { findLeak } from '../console/support/leaks.js';
import { BROWSER_LIMIT_MS, logIn, openPage } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { inspect } from './acts.js';

const EVIL = '<img src=x onerror=alert(1)>.txt';

describeWith([program('chromium')], 'the console in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(startTestBed, 'close');
  const watched = useOnce(openPage, 'close');
  let page: Page;

  before(() => {
    page = watched().page;
  });

  it('logs in with the keyboard', async () => {
    await page.goto(`http://127.0.0.1:${bed().console.port}/`);
    await page.waitForURL('**/login.html');
    await inspect(watched(), 'login');
    await page.getByLabel('Access key', { exact: true }).last().fill('test:tester');
    await page.getByLabel('Secret key').fill('testing');
    await page.keyboard.press('Enter');
    await page.getByText('tester (operator)').waitFor();
    // The page hears of it, and leads to the login.
    bed().console.context.sessions.endAll();
    await page.getByText('Your session has ended. Log in again.').waitFor();
    await logIn(page);
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await inspect(watched(), 'home-empty');
  });

  it('logs in by the link of the terminal, which leaves no trace in the address', async () => {
    const token = 't'.repeat(43);
    const { loginOffers } = bed().console.context;
    const user = { account: 'test', user: 'tester', key: 'testing' };
    loginOffers.offer({ ...user, token, untilMs: Date.now() + 600_000 });
    const link = `http://127.0.0.1:${bed().console.port}/login.html#${token}`;
    await page.goto(link);
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    expect(page.url()).not.to.include(token);
    await page.goto(link);
    await page.getByText('This link has been used or has expired.').waitFor();
    expect(page.url()).not.to.include(token);
    watched().complaints.length = 0;
    await logIn(page);
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
  });

  it('makes a bucket, uploads, and shows names as text', async () => {
    await page.getByRole('link', { name: 'Create a bucket' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Bad_Name!');
    await page.locator('#dialog-ok').click();
    const consent = page.getByLabel('Create it, hidden from S3');
    const refused = "document.querySelector('#dialog input:invalid')?.type";
    expect(await page.evaluate(refused)).to.equal('checkbox');
    expect(await consent.isVisible()).to.equal(true);
    await watched().shoot('new-bucket-hidden');
    await name.fill('photos');
    await consent.waitFor({ state: 'hidden' });
    await page.locator('#dialog-ok').click();
    await page.getByText('This folder is empty.').waitFor();
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(await page.locator('#crumbs').textContent()).to.equal('photos');
    await page.locator('#picker').setInputFiles([
      { name: EVIL, mimeType: 'text/plain', buffer: Buffer.from('evil') },
      { name: 'two.txt', mimeType: 'text/plain', buffer: Buffer.from('two') },
    ]);
    await page.getByRole('button', { name: EVIL, exact: true }).waitFor();
    await page.getByRole('button', { name: 'two.txt', exact: true }).waitFor();
    await inspect(watched(), 'files');
  });

  it('moves to the trash, and back', async () => {
    await page.getByLabel(`Select ${EVIL}`).check();
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByRole('button', { name: EVIL, exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Trash', exact: true }).click();
    await page.getByLabel(`Select ${EVIL}`).check();
    await page
      .locator('#rows .expiry')
      .getByText(/^expires in /)
      .waitFor();
    await inspect(watched(), 'trash');
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The trash is empty.').waitFor();
    await page.getByRole('button', { name: 'Back to files' }).click();
    await page.getByRole('button', { name: EVIL, exact: true }).waitFor();
  });

  it('shows what a name hides, and what turns its direction', async () => {
    const client = await bed().login();
    await upload(client, 'photos', 'p\u202Egpj.exe', 'x');
    await upload(client, 'photos', 'a\u200Bb \u{1F468}\u200D\u{1F469}', 'x');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'p‹U+202E›gpj.exe', exact: true }).waitFor();
    const family = 'a‹U+200B›b \u{1F468}\u200D\u{1F469}';
    await page.getByRole('button', { name: family, exact: true }).waitFor();
    await page.getByRole('button', { name: 'p‹U+202E›gpj.exe', exact: true }).click();
    await page.getByRole('heading', { name: 'p‹U+202E›gpj.exe' }).waitFor();
    await watched().shoot('hidden-characters');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('begins the next page of a list at its top', async () => {
    const client = await bed().login();
    const names = Array.from({ length: 130 }, (_, index) => `n${String(index).padStart(3, '0')}`);
    for (const name of names) await upload(client, 'photos', `many/${name}`, 'x');
    const here = page.url();
    await page.evaluate("location.hash = 'photos/many%2F'");
    await page.getByRole('button', { name: 'n099', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    const first = page.getByRole('button', { name: 'n100', exact: true });
    await first.waitFor();
    await page.waitForFunction('document.querySelector("#rows").getBoundingClientRect().top >= 0');
    await page.goto(here);
  });

  it('shows an object that has expired as such', async () => {
    const client = await bed().login();
    await upload(client, 'photos', 'short-lived', 'x');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'short-lived', exact: true }).waitFor();
    await client.post('/api/files/delete', {
      container: 'photos',
      names: ['short-lived'],
      mode: 'purge',
    });
    const path = '/api/files/object?container=photos&name=short-lived';
    await eventually(
      () => client.get(path),
      ({ status }) => status === 404,
    );
    await page.getByRole('button', { name: 'short-lived', exact: true }).click();
    await page.getByText('It has expired or was deleted').waitFor();
    const row = page.locator('#rows tr[data-name="short-lived"]');
    await row.getByText('expired or deleted', { exact: true }).waitFor();
    watched().complaints.length = 0;
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('shows properties', async () => {
    await page.getByRole('button', { name: 'two.txt', exact: true }).click();
    await page.getByText('text/plain').waitFor();
    await inspect(watched(), 'properties');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('had nothing to complain of, and was shown nothing of the store', () => {
    const { answers, complaints } = watched();
    expect(complaints).to.deep.equal([]);
    expect(answers).not.to.deep.equal([]);
    expect(answers.map((answer) => findLeak(answer, bed().secrets))).to.deep.equal(
      answers.map(() => undefined),
    );
  });
});
