import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { logIn, openPage, press, tabTo, typeInto } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import {
  CONSOLE_LIMIT_MS,
  consoleOf,
  startServiceWithConsole,
} from '../support/service-console.js';

const BUCKET = 'photos';
const LOCKED = { 'x-amz-bucket-object-lock-enabled': 'true' };
const TEXT = { 'content-type': 'text/plain' };

describeWith([program('chromium')], 'buckets of S3 with the keyboard alone', function () {
  this.timeout(CONSOLE_LIMIT_MS);
  const running = useOnce(startServiceWithConsole, 'stop');
  const s3 = useOnce(() => new S3TestClient(running().s3), 'close');
  const watched = useOnce(openPage, 'close');
  let page: Page;

  before(async () => {
    await s3().put(`/${BUCKET}`, '', LOCKED);
    for (const text of ['first', 'second', 'third']) {
      await s3().put(`/${BUCKET}/report.txt`, text, TEXT);
    }
    page = watched().page;
    // From the beginning: a window for files that opens before somebody listens is lost.
    page.on('filechooser', () => undefined);
    const { endpoint, account, user, key } = consoleOf(running().service);
    await page.goto(`${endpoint}/`);
    await logIn(page, { account, user, key });
    await page.goto(`${endpoint}/buckets#${BUCKET}/`);
    await page.getByRole('button', { name: 'report.txt', exact: true }).waitFor();
  });

  afterEach(() => {
    expect(watched().complaints).to.deep.equal([]);
  });

  const dialog = () => page.locator('#dialog');
  const drawer = () => page.locator('#drawer');
  const versions = () => drawer().locator('.versions li');
  const ofVersion = (index: number, name: RegExp) =>
    versions().nth(index).getByRole('button', { name });
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const panel = (name: string) =>
    page.locator('#container-page').getByRole('button', { name, exact: true });
  const countVersions = (count: number) =>
    eventually(
      () => versions().count(),
      (shown) => shown === count,
    );
  const read = async (query: string) => (await s3().get(`/${BUCKET}${query}`)).text;

  /** Where the focus is, in the window, and not below something else. */
  const focusIsInSight = () =>
    page.evaluate<boolean>(`(() => {
      const one = document.activeElement;
      const { left, top, width, height } = one.getBoundingClientRect();
      const found = document.elementFromPoint(left + width / 2, top + height / 2);
      return found !== null && (one.contains(found) || found.contains(one));
    })()`);

  /** Ends a dialog by its button, whose place is in sight however long the dialog is. */
  const confirm = async () => {
    await tabTo(page, page.locator('#dialog-ok'));
    expect(await focusIsInSight()).to.equal(true);
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'hidden' });
  };

  const openTab = async (name: string) => {
    await tabTo(page, page.getByRole('tab', { selected: true }));
    const tab = page.getByRole('tab', { name, selected: true });
    for (let i = 0; i < 7 && (await tab.count()) === 0; i++) {
      await page.keyboard.press('ArrowRight');
    }
    await tab.waitFor();
  };

  /** Chooses one by its first letters, as keyboards do. */
  const choose = async (select: Locator, letters: string, value: string) => {
    await tabTo(page, select);
    await page.keyboard.type(letters);
    expect(await select.inputValue()).to.equal(value);
  };

  it('restores a version, and deletes one', async () => {
    await press(page, page.getByRole('button', { name: 'report.txt', exact: true }));
    await countVersions(3);
    await press(page, ofVersion(2, /^Restore/));
    await confirm();
    await countVersions(4);
    expect(await read('/report.txt')).to.equal('first');
    await press(page, ofVersion(1, /^Delete/));
    await typeInto(page, page.getByLabel('Type “report.txt” to confirm'), 'report.txt');
    await page.keyboard.press('Enter');
    await countVersions(3);
    // The keyboard goes on among the details, and not at the top of the page.
    expect(await drawer().locator(':focus').count()).to.equal(1);
  });

  it('compares two versions', async () => {
    for (const index of [0, 1]) {
      await tabTo(page, versions().nth(index).getByRole('checkbox'));
      await page.keyboard.press('Space');
    }
    await press(page, drawer().getByRole('button', { name: 'Compare', exact: true }));
    await page.getByRole('heading', { name: 'Compare versions of report.txt' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('sets a legal hold and a retention', async () => {
    await press(page, ofVersion(1, /^Lock/));
    await tabTo(page, dialog().getByLabel(/Legal hold:/));
    await page.keyboard.press('Space');
    await choose(dialog().getByLabel(/^Retention/), 'gov', 'GOVERNANCE');
    await confirm();
    await press(page, ofVersion(1, /^Lock/));
    expect(
      await dialog()
        .getByLabel(/Legal hold:/)
        .isChecked(),
    ).to.equal(true);
    await tabTo(page, dialog().getByLabel(/Legal hold:/));
    await page.keyboard.press('Space');
    await confirm();
  });

  it('adds tags, and removes one', async () => {
    await press(page, drawer().getByRole('button', { name: 'Edit tags' }));
    await press(page, inDialog('Add tag'));
    await page.keyboard.type('team');
    await page.keyboard.press('Tab');
    await page.keyboard.type('blue');
    await press(page, inDialog('Add tag'));
    await page.keyboard.type('spare');
    await press(page, dialog().getByRole('button', { name: 'Remove this tag' }).nth(1));
    expect(await inDialog('Add tag').and(page.locator(':focus')).count()).to.equal(1);
    await confirm();
    await drawer().getByText('team: blue').waitFor();
    expect(await read('/report.txt?tagging')).not.to.include('spare');
    await page.keyboard.press('Escape');
    await drawer().waitFor({ state: 'hidden' });
  });

  it('changes the default retention of the bucket', async () => {
    await openTab('Versions');
    await press(page, panel('Edit Object Lock'));
    await choose(dialog().getByLabel('Default retention for new versions'), 'gov', 'GOVERNANCE');
    await typeInto(page, dialog().getByLabel('Period'), '2');
    await confirm();
    await page.getByText('governance, 2 days').waitFor();
    expect(await read('?object-lock')).to.include('<Days>2</Days>');
    // The tab is read anew, and the keyboard stays where it was.
    const again = panel('Edit Object Lock').and(page.locator(':focus'));
    expect(
      await eventually(
        () => again.count(),
        (count) => count === 1,
      ),
    ).to.equal(1);
  });

  it('writes a lifecycle rule, changes it and saves it', async () => {
    await openTab('Lifecycle');
    await press(page, panel('Edit lifecycle rules'));
    await press(page, inDialog('Add rule'));
    await typeInto(page, dialog().getByLabel('Rule name'), 'old');
    await typeInto(page, dialog().getByLabel('Prefix (leave empty for all objects)'), 'logs/');
    await typeInto(
      page,
      dialog().getByLabel('Abort incomplete multipart uploads after (days)'),
      '3',
    );
    expect(await focusIsInSight()).to.equal(true);
    await tabTo(page, page.locator('#dialog-ok'));
    await page.keyboard.press('Enter');
    await press(page, inDialog('Edit old'));
    await typeInto(page, dialog().getByLabel('Add a delete marker after (days)'), '30');
    await page.keyboard.press('Enter');
    await dialog().getByText('Add a delete marker after 30 days').waitFor();
    await confirm();
    const saved = await read('?lifecycle');
    expect(saved).to.include('<Days>30</Days>').and.to.include('<Prefix>logs/</Prefix>');
  });

  it('aborts an unfinished upload', async () => {
    const { text } = await s3().send({ method: 'POST', path: `/${BUCKET}/disk.img?uploads` });
    const [, id = ''] = /<UploadId>([^<]+)/.exec(text) ?? [];
    await s3().put(`/${BUCKET}/disk.img?partNumber=1&uploadId=${id}`, 'x'.repeat(2048));
    await openTab('Uploads');
    await press(page, panel('View incomplete multipart uploads'));
    await press(page, inDialog('Abort upload of disk.img'));
    await dialog().getByText('1 part, 2.0 KiB').waitFor();
    await tabTo(page, page.locator('#dialog-ok'));
    await page.keyboard.press('Enter');
    await dialog().getByText('No incomplete multipart uploads.').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('writes CORS rules, tests them and removes one', async () => {
    await openTab('CORS and tags');
    await press(page, panel('Edit CORS rules'));
    await press(page, inDialog('Add rule'));
    // The keyboard is in the new rule.
    await page.keyboard.type('https://*.example.com');
    await press(page, inDialog('Add rule'));
    await page.keyboard.type('https://other.example');
    await press(page, inDialog('Remove rule').nth(1));
    expect(await inDialog('Add rule').and(page.locator(':focus')).count()).to.equal(1);
    await press(page, dialog().locator('summary'));
    await press(page, inDialog('Test'));
    await dialog().getByText('Rule 1 allows this.').waitFor();
    await confirm();
    const cors = await read('?cors');
    expect(cors).to.include('https://*.example.com').and.not.to.include('other.example');
  });

  it('lets a person in to a bucket with Object Lock', async () => {
    await openTab('Access');
    await press(page, panel('Edit access'));
    await typeInto(page, dialog().getByLabel('Share with'), 'team:ada');
    await page.keyboard.press('Enter');
    await dialog().getByText('team:ada:').waitFor();
    await confirm();
    await page.locator('#container-page').getByText('team:ada:').waitFor();
  });

  it('previews a rewind', async () => {
    await openTab('Versions');
    await press(page, panel('Rewind'));
    await press(page, inDialog('Preview'));
    await dialog()
      .getByRole('heading', { name: /^Rewind to/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('uploads files, and brings a deleted one back', async () => {
    await openTab('Objects');
    const upload = page.getByRole('button', { name: 'Upload', exact: true });
    await tabTo(page, upload);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.keyboard.press('Enter'),
    ]);
    const file = { name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('new') };
    await chooser.setFiles([file]);
    await page.locator('#queue').getByText('done', { exact: true }).waitFor();
    const button = page.getByRole('button', { name: 'new.txt', exact: true });
    await button.waitFor();
    await press(page, page.getByRole('button', { name: 'Dismiss: new.txt' }));
    // The previews of former tests stand there as well.
    await press(page, page.getByRole('button', { name: 'Clear finished' }));
    await page.locator('#transfers').waitFor({ state: 'hidden' });
    await tabTo(page, page.getByLabel('Select new.txt'));
    await page.keyboard.press('Space');
    await press(page, page.locator('#delete'));
    await button.waitFor({ state: 'detached' });
    await press(page, page.getByRole('button', { name: 'Deleted files' }));
    await tabTo(page, page.getByLabel('Select new.txt'));
    await page.keyboard.press('Space');
    await press(page, page.locator('#restore'));
    await button.waitFor({ state: 'detached' });
    expect(await read('/new.txt')).to.equal('new');
  });
});
