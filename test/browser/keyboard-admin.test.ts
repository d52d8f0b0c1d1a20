import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startTestBed } from '../console/support/console.js';
import { CONF, FakeCluster, NODES } from '../console/users/support.js';
import {
  BROWSER_LIMIT_MS,
  logIn,
  openConsole,
  openPage,
  press,
  tabTo,
  typeInto,
} from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

const KEY = { secret_key: 'hush-hush-hush', account: 'AUTH_test', role: 'owner' };

describeWith(
  [program('chromium')],
  'access keys and audit log with the keyboard alone',
  function () {
    this.timeout(BROWSER_LIMIT_MS);
    const folder = useTempFolderOnce('keys-keyboard');
    const bed = useOnce(async () => {
      const file = join(folder(), 'credentials.json');
      const credentials = [
        { ...KEY, access_key: 'OPERATOR', user: 'test:tester' },
        { ...KEY, access_key: 'NIGHTLY', description: 'backup' },
      ];
      await writeFile(file, JSON.stringify({ credentials }), { mode: 0o600 });
      return startTestBed({ credentials_file: file });
    }, 'close');
    const watched = useOnce(() => openConsole(bed()), 'close');
    let page: Page;

    before(() => {
      ({ page } = watched());
    });

    afterEach(() => {
      expect(watched().complaints).to.deep.equal([]);
    });

    const row = (key: string) => page.getByRole('row', { name: key });
    const dialog = () => page.locator('#dialog');
    const closed = () => dialog().waitFor({ state: 'hidden' });
    /** Opens the menu of a key, and goes down in it. */
    const choose = async (key: string, name: string) => {
      await press(page, page.getByRole('button', { name: `Actions for ${key}` }));
      const item = page.getByRole('menuitem', { name }).and(page.locator(':focus'));
      for (let i = 0; i < 5 && (await item.count()) === 0; i++) {
        await page.keyboard.press('ArrowDown');
      }
      expect(await item.count()).to.equal(1);
      await page.keyboard.press('Enter');
    };

    it('makes a key, and shows its secret', async () => {
      await press(page, page.getByRole('link', { name: 'Access keys' }));
      await row('NIGHTLY').waitFor();
      await press(page, page.getByRole('button', { name: 'Create access key' }));
      await typeInto(page, dialog().getByLabel('Description'), 'laptop');
      await page.keyboard.press('Enter');
      const secret = dialog().getByLabel('Secret key', { exact: true });
      await tabTo(page, secret);
      // The text of the focused field is selected, to be copied.
      expect(await page.evaluate('getSelection().toString()')).to.equal(await secret.inputValue());
      await page.keyboard.press('Escape');
      await closed();
      await row('laptop').waitFor();
    });

    it('edits one, disables it and deletes it', async () => {
      await choose('NIGHTLY', 'Edit');
      await typeInto(page, dialog().getByLabel('Description'), 'every night');
      await page.keyboard.press('Enter');
      await closed();
      await row('every night').waitFor();
      await choose('NIGHTLY', 'Disable');
      await row('NIGHTLY').getByText('Disabled').waitFor();
      await choose('NIGHTLY', 'Delete');
      await press(page, page.locator('#dialog-ok'));
      await row('NIGHTLY').waitFor({ state: 'detached' });
    });

    it('filters the audit log, and verifies it', async () => {
      await press(page, page.getByRole('link', { name: 'Audit log' }));
      await page.getByRole('cell', { name: 'keys.delete' }).first().waitFor();
      await typeInto(page, page.getByLabel('Action'), 'login');
      await page.keyboard.press('Enter');
      await page.getByRole('cell', { name: 'keys.delete' }).first().waitFor({ state: 'detached' });
      await press(page, page.getByRole('button', { name: 'Clear' }));
      await page.getByRole('cell', { name: 'keys.delete' }).first().waitFor();
      await press(page, page.getByRole('button', { name: 'Verify log' }));
      await page.getByText('✓ Verified').waitFor();
      // Its wide table scrolls by the arrow keys.
      await tabTo(page, page.getByRole('region', { name: 'Records' }));
    });
  },
);

describeWith([program('chromium')], 'users with the keyboard alone', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const cluster = useOnce(() => FakeCluster.start(CONF), 'close');
  const watched = useOnce(openPage, 'close');
  let page: Page;

  before(async () => {
    await cluster().startConsole();
    page = watched().page;
    await page.goto(`http://127.0.0.1:${cluster().console?.port ?? 0}/`);
    await logIn(page, { account: 'admin', user: 'admin', key: 'the-admin-key' });
    // A store that is none has no containers.
    watched().complaints.length = 0;
  });

  const confs = () => Promise.all(NODES.map((node) => cluster().read(node)));
  const dialog = () => page.locator('#dialog');
  const apply = async () => {
    await press(page, page.locator('#dialog-ok'));
    await dialog().getByRole('button', { name: 'Close' }).waitFor();
  };

  it('adds one with a group, gives it a new key and removes it', async () => {
    const before = await confs();
    await press(page, page.getByRole('link', { name: 'Users' }));
    await press(page, page.getByRole('button', { name: 'Create user' }));
    await typeInto(page, dialog().getByLabel('Account', { exact: true }), 'team');
    await typeInto(page, dialog().getByLabel('User', { exact: true }), 'ada');
    await tabTo(page, dialog().getByLabel('.admin:'));
    await page.keyboard.press('Space');
    await press(page, page.locator('#dialog-ok'));
    await page.getByText('<new key>').first().waitFor();
    await apply();
    await tabTo(page, page.getByLabel('Key (shown only once)', { exact: true }));
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'ada', exact: true }).waitFor();
    const added = await confs();
    expect(added.every((conf, node) => conf !== before[node])).to.equal(true);
    await press(page, page.getByRole('button', { name: 'Remove: team:ada' }));
    await apply();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'ada', exact: true }).waitFor({ state: 'detached' });
    expect(await confs()).to.deep.equal(before);
    expect(watched().complaints).to.deep.equal([]);
  });
});
