import { startKeystoneBed } from '../console/support/keystone-store.js';
import { expectAccessible } from '../support/axe.js';
import { BROWSER_LIMIT_MS, openPage } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';

describeWith([program('chromium')], 'the login with Keystone in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(startKeystoneBed, 'close');
  const watched = useOnce(openPage, 'close');

  it('shows the fields of the way that is chosen, and logs in', async () => {
    const { page } = watched();
    await page.goto(`http://127.0.0.1:${bed().console.port}/login.html`);
    await page.getByLabel('Password', { exact: true }).last().waitFor();
    await expectAccessible(page);
    await page.getByRole('radio', { name: 'Access key' }).check();
    await page.getByRole('textbox', { name: 'Project', exact: true }).waitFor({ state: 'hidden' });
    await page.getByRole('textbox', { name: 'Access key' }).fill('anna-key');
    await page.getByLabel('Secret key').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Invalid user or key').waitFor();
    await page.getByRole('radio', { name: 'Password' }).check();
    await page.getByRole('textbox', { name: 'User' }).fill('anna');
    await page.getByRole('textbox', { name: 'Project', exact: true }).fill('test');
    await page.locator('input[name=password]').fill('anna-password');
    await page.keyboard.press('Enter');
    await page.getByText('anna (admin)').waitFor();
  });
});
