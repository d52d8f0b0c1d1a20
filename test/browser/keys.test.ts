import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startTestBed } from '../console/support/console.js';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { inspect } from './acts.js';

const PHONE = { width: 390, height: 844 };
const KEY = { secret_key: 'hush-hush-hush', account: 'AUTH_test', role: 'owner' };

describeWith([program('chromium')], 'the page of access keys in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const folder = useTempFolderOnce('keys-page');
  const bed = useOnce(async () => {
    const file = join(folder(), 'credentials.json');
    const credentials = [
      { ...KEY, access_key: 'OPERATOR', user: 'test:tester' },
      { ...KEY, access_key: 'NIGHTLY', description: 'backup', expires: '2199-01-01T00:00:00Z' },
      { ...KEY, access_key: 'FORMER', role: 'member', expires: '2020-01-01T00:00:00Z' },
    ];
    await writeFile(file, JSON.stringify({ credentials }), { mode: 0o600 });
    return startTestBed({ credentials_file: file });
  }, 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');
  let page: Page;

  before(async () => {
    ({ page } = watched());
    await page.getByRole('link', { name: 'Access keys' }).click();
  });

  afterEach(() => {
    expect(watched().complaints).to.deep.equal([]);
  });

  const row = (key: string) => page.getByRole('row', { name: key });
  const dialog = () => page.getByRole('dialog');

  it('shows their state, and a new secret once', async () => {
    await row('FORMER').getByText('Expired').waitFor();
    await row('OPERATOR').getByText('(you)').waitFor();
    await inspect(watched(), 'keys', ALL_SIZES);
    // On a phone nothing of a key is beyond the edge.
    await page.setViewportSize(PHONE);
    const hidden = await page.evaluate<number>(
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-scroll'))",
    );
    expect(hidden).to.equal(0);
    await expectAccessible(page);
    await page.setViewportSize(ALL_SIZES.desk!);
    await page.getByRole('button', { name: 'Create access key' }).click();
    await dialog().getByLabel('Description').fill('continuous integration');
    await dialog().getByLabel('Role').selectOption('member');
    await inspect(watched(), 'keys-new');
    await dialog().getByRole('button', { name: 'Create' }).click();
    const secret = await dialog().getByLabel('Secret key', { exact: true }).inputValue();
    expect(secret).to.match(/^[\w-]{40}$/);
    await inspect(watched(), 'keys-made');
    await dialog().getByRole('button', { name: 'Close' }).click();
    await row('continuous integration').getByText('Active').waitFor();
    expect(await page.content()).not.to.include(secret);
  });

  it('disables one and enables it again, by its menu', async () => {
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for NIGHTLY' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Disable');
    await row('NIGHTLY').getByText('Disabled').waitFor();
    await choose('Enable');
    await row('NIGHTLY').getByText('Active').waitFor();
    await page.getByRole('button', { name: 'Actions for OPERATOR' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).to.deep.equal(['Edit']);
    await page.keyboard.press('Escape');
    await choose('Delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await row('NIGHTLY').waitFor({ state: 'detached' });
  });
});
