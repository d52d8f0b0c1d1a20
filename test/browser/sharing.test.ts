import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { unique } from '../console/files/support.js';
import { ALL_SIZES, openPage, typeLogin, type Watched } from '../support/browser.js';
import { describeWith, program } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { FRIEND, FRIEND_ID, OWNER, USERS, type Login } from '../support/sharing-users.js';
import {
  CONSOLE_LIMIT_MS,
  consoleOf,
  startServiceWithConsole,
  type ServiceWithConsole,
} from '../support/service-console.js';
import { inspect } from './acts.js';

const BUCKET = unique('shared');

describeWith(
  [program('chromium')],
  'sharing of a bucket with Object Lock in Chromium',
  function () {
    this.timeout(CONSOLE_LIMIT_MS);
    let running: ServiceWithConsole;
    let s3: S3TestClient;
    const open: Watched[] = [];

    before(async () => {
      running = await startServiceWithConsole({ users: USERS });
      s3 = new S3TestClient({ endpoint: running.service.endpoint, ...OWNER });
      const lock = { 'x-amz-bucket-object-lock-enabled': 'true' };
      expect((await s3.put(`/${BUCKET}`, '', lock)).status).to.equal(200);
      await s3.put(`/${BUCKET}/report.txt`, 'a draft', { 'content-type': 'text/plain' });
      await s3.put(`/${BUCKET}/report.txt`, 'the report', { 'content-type': 'text/plain' });
    });

    after(async () => {
      await running.stop();
      await s3.close();
      for (const watched of open) await watched.close();
    });

    async function pageOf({ account, user, key }: { account: string; user: string; key: string }) {
      const watched = await openPage();
      open.push(watched);
      const { page } = watched;
      await page.goto(`${consoleOf(running.service).endpoint}/login.html`);
      await typeLogin(page, { account, user, key });
      await page.getByText(`${user} (`).waitFor();
      return watched;
    }
    const loginOf = ({ account, user, secretKey: key }: Login) => ({ account, user, key });
    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
    const openReport = async (page: Page) => {
      await page.goto(`${consoleOf(running.service).endpoint}/buckets#${BUCKET}/`);
      await button(page, 'report.txt').click();
      await page.locator('#drawer').getByText('current', { exact: true }).waitFor();
    };

    it('gives a presigned URL for an object', async () => {
      const watched = await pageOf(loginOf(OWNER));
      const { page } = watched;
      await openReport(page);
      await button(page, 'Share').click();
      await page.getByText('(7 days at most)').waitFor();
      await inspect(watched, 's3-share', ALL_SIZES);
      await button(page, 'Create URL').click();
      const field = page.getByRole('textbox', { name: 'URL', exact: true });
      const answer = await fetch(await field.inputValue());
      expect([answer.status, await answer.text()]).to.deep.equal([200, 'the report']);
      await page.getByText('The URL works only on the console’s host').waitFor();
      await watched.shoot('s3-shared', ALL_SIZES);
      await button(page, 'Close').click();
      await button(page, 'Share').click();
      await page.getByLabel('Valid for').fill('8');
      await page.getByLabel('Unit').selectOption('86400');
      await button(page, 'Create URL').click();
      await page.getByText('The URL can be valid for up to 7 days.').waitFor();
      await page.keyboard.press('Escape');
    });

    it('lets a person in, who reads the object and its versions there', async () => {
      const watched = await pageOf(loginOf(OWNER));
      const { page } = watched;
      await page.goto(`${consoleOf(running.service).endpoint}/buckets#${BUCKET}//settings/access`);
      await page.getByText('Objects are shared with presigned URLs').waitFor();
      await inspect(watched, 's3-access', ALL_SIZES);
      await button(page, 'Edit access').click();
      await page.getByLabel('Share with').fill(FRIEND_ID);
      await button(page, 'Add user').click();
      await button(page, 'Save').click();
      await page.getByRole('tabpanel').getByText(`${FRIEND_ID}: `).first().waitFor();

      const friends = (await pageOf(loginOf(FRIEND))).page;
      await openReport(friends);
      const drawer = friends.locator('#drawer');
      await drawer.getByText('the report').waitFor();
      const download = friends.waitForEvent('download');
      await drawer.getByRole('button', { name: 'Download', exact: true }).first().click();
      expect((await download).suggestedFilename()).to.equal('report.txt');
      expect(await drawer.locator('.versions li').count()).to.equal(2);
      await friends.goto(
        `${consoleOf(running.service).endpoint}/buckets#${BUCKET}//settings/versions`,
      );
      await friends.getByText('S3 versioning is enabled').waitFor();
      // The list of all containers is for owners: the friend opens one by its name.
      const complaints = open.flatMap((one) => one.complaints);
      expect(complaints.filter((text) => !text.includes('/api/files/containers?'))).to.deep.equal(
        [],
      );
    });
  },
);
