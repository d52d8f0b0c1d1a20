import { createHash } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makeContainer, ok, query, unique } from '../console/files/support.js';
import { startTestBed } from '../console/support/console.js';
import { findLeak } from '../console/support/leaks.js';
import { isFileOfAll, sharedBrowser } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { onlyOn, STACK } from '../support/stack.js';
import {
  countRequests,
  drop,
  finished,
  makeFolder,
  md5Of,
  namesBelow,
  segmentOf,
} from './files-page.js';
import { hold } from './acts.js';

/** A guard against a hang: on a busy machine a cluster takes a second for a file. */
const BROWSER_LIMIT_MS = 300_000;

const MIB = 1024 ** 2;
const SEGMENT_BYTES = 8 * MIB;
/** More than 64 MiB, which pages send in segments whatever the console takes. */
const LARGE_BYTES = 8 * SEGMENT_BYTES + 1;
const SEGMENTS = 9;
const SENT_BEFORE_THE_END = 5;
/** More than a page; a cluster takes its time for each. */
const FOLDER_FILES = STACK === 'swift' ? 20 : 200;
/** More than lines of what is done. */
const CHOSEN_FILES = 24;
/** Most of them in one folder, which browsers tell a hundred entries at a time. */
const DROPPED_FILES = STACK === 'swift' ? 24 : 125;
/** Of what is not there. */
const LINES_MAX = 100;
const BODIES = '**/api/files/object/body?*';

describeWith([program('chromium')], 'Files in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(
    () => startTestBed({ max_upload_bytes: SEGMENT_BYTES, segment_bytes: SEGMENT_BYTES }),
    'close',
  );
  const client = useOnce(() => bed().login());
  const context = useOnce(async () => (await sharedBrowser()).newContext(), 'close');
  const container = unique('flow');
  const leaks: string[] = [];

  before(async () => {
    await makeContainer(client(), container);
    context().setDefaultTimeout(BROWSER_LIMIT_MS);
    const [name, value] = (client().cookie ?? '').split('=', 2);
    const url = `http://127.0.0.1:${bed().console.port}`;
    await context().addCookies([{ name: name!, value: value!, url, httpOnly: true }]);
  });

  const watch = (text: string) => {
    const leak = findLeak(text, bed().secrets);
    if (leak !== undefined) leaks.push(`${leak} in ${text.slice(0, 300)}`);
  };

  /** A page of the container; all that it is told is searched for what it must not see. */
  async function openPage(): Promise<Page> {
    const page = await context().newPage();
    const network = await context().newCDPSession(page);
    await network.send('Network.enable');
    network.on('Network.eventSourceMessageReceived', (message) => {
      watch(JSON.stringify(message));
    });
    page.on('response', (response) => {
      watch(JSON.stringify(response.headers()));
      if (!isFileOfAll(response)) response.text().then(watch, () => undefined);
    });
    await page.goto(
      `http://127.0.0.1:${bed().console.port}/buckets#${encodeURIComponent(container)}/`,
    );
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    return page;
  }

  const namesIn = (prefix: string) => namesBelow(client(), container, prefix);

  it('uploads, throws away and brings back', async () => {
    const page = await openPage();
    const name = '<b>ü ☃?#%25&+=;.txt';
    await page
      .locator('#picker')
      .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('body') }]);
    await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByLabel(`Select ${name}`).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Trash', exact: true }).click();
    await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByLabel(`Select ${name}`).waitFor({ state: 'detached' });
    const path = `/api/files/object/body?${query({ container, name })}`;
    expect((await ok(client().get(path), 200)).text).to.equal('body');
    await page.close();
  });

  it('uploads a folder of many files', async () => {
    const page = await openPage();
    const files = Array.from({ length: FOLDER_FILES }, (_, i) => ({
      name: `many-${String(i).padStart(4, '0')}`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`file ${i}`),
    }));
    const all = finished(page, '/api/files/object/body', FOLDER_FILES);
    await page.locator('#picker').setInputFiles(files);
    await all;
    expect(await namesIn('many-')).to.deep.equal(files.map(({ name }) => name));
    await page.close();
  });

  it('goes to the last page and to the first, and knows that nothing is beyond', async function () {
    onlyOn(this, 'embedded', 'a cluster takes its time for more objects than a page has');
    const page = await openPage();
    await page.evaluate(`location.hash = '${encodeURIComponent(container)}/many-'`);
    const row = (i: number) =>
      page.locator(`#rows tr[data-name="many-${String(i).padStart(4, '0')}"]`);
    const open = async () => {
      const names = ['First', 'Previous', 'Next', 'Last'];
      const enabled = names.map((name) =>
        page.getByRole('button', { name, exact: true }).isEnabled(),
      );
      return (await Promise.all(enabled)).join(' ');
    };
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await row(0).waitFor();
    expect(await open()).to.equal('false false true true');
    await press('Last');
    await row(FOLDER_FILES - 1).waitFor();
    expect(await open()).to.equal('true true false false');
    await press('Previous');
    await row(0).waitFor();
    expect(await open()).to.equal('false false true true');
    await press('Next');
    await row(FOLDER_FILES - 1).waitFor();
    expect(await open()).to.equal('true true false false');
    await press('First');
    await row(0).waitFor();
    await press('Last');
    await row(FOLDER_FILES - 1).waitFor();
    // An upload that arrives meanwhile leaves the user where they are.
    const read = page.waitForRequest((one) => new URL(one.url()).pathname === '/api/files/objects');
    const buffer = Buffer.from('body');
    await page.locator('#picker').setInputFiles([{ name: 'beside', mimeType: 'a/b', buffer }]);
    expect(new URL((await read).url()).searchParams.get('reverse')).to.equal('1');
    await page.close();
  });

  it('uploads a folder that is dropped, and says what of it is not there', async () => {
    const folder = join(bed().stateDir, 'dropped');
    const paths = await makeFolder(folder, DROPPED_FILES);
    await mkdir(join(folder, 'nothing', 'in it'), { recursive: true });
    const page = await openPage();
    const release = await hold(page, BODIES);

    await drop(page, folder);
    const told = page.locator('#transfers-count');
    const started = page.locator('#queue li:not([data-state])');
    await started.nth(2).waitFor();
    const running = await started.locator('.what').allTextContents();
    // A name that is shown as it is: that of a line, and of a button.
    const gone = paths.find((path) => /file-\d+$/.test(path) && !running.includes(path))!;
    await rename(join(bed().stateDir, gone), join(bed().stateDir, 'moved'));
    // Its folder is that of the drop, wherever the user goes meanwhile.
    await page.evaluate(`location.hash = '${encodeURIComponent(container)}/elsewhere%2F'`);
    release();
    await told.getByText(`${DROPPED_FILES - 1} done, 1 failed`, { exact: true }).waitFor();
    await page.getByText('dropped/nothing/in it/: empty').waitFor({ state: 'attached' });

    await rename(join(bed().stateDir, 'moved'), join(bed().stateDir, gone));
    await page.getByRole('button', { name: `Retry: ${gone}` }).click();
    await told.getByText(`${DROPPED_FILES} done`, { exact: true }).waitFor();
    expect(await namesIn('dropped/')).to.deep.equal(paths);
    expect(await page.locator('#queue li').count()).to.be.below(DROPPED_FILES);

    // Lines that were cleared make room for others.
    await page.evaluate(`location.hash = '${encodeURIComponent(container)}/'`);
    await page.locator('#crumbs').getByText('elsewhere').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear finished', exact: true }).click();
    // Its figures change at most twice a second: those of before are not to be taken for new ones.
    await told.getByText(/^(?:\d+ done|\d+ already exist)$/).waitFor({ state: 'detached' });
    await drop(page, folder);
    await told.getByText(`${DROPPED_FILES} already exist`, { exact: true }).waitFor();
    const lines = page.getByRole('button', { name: /^Overwrite: / });
    const shown = Math.min(DROPPED_FILES, LINES_MAX);
    await lines.nth(shown - 1).waitFor();
    expect(await lines.count()).to.equal(shown);
    await page.close();
  });

  it('takes a folder that is chosen, cancels it, goes on, and overwrites all at once', async () => {
    const folder = join(bed().stateDir, 'chosen');
    const paths = await makeFolder(folder, CHOSEN_FILES);
    const page = await openPage();
    const told = page.locator('#transfers-count');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    // Nobody answers: what is under way stays so until it is cancelled.
    await page.route(BODIES, () => undefined);
    await page.locator('#folder-picker').setInputFiles(folder);
    await button('Cancel all').click();
    await told.getByText(`${CHOSEN_FILES} cancelled`, { exact: true }).waitFor();
    await page.unroute(BODIES);
    await rename(join(bed().stateDir, paths[0]!), join(bed().stateDir, 'away'));
    await button(`Retry ${CHOSEN_FILES} uploads`).click();
    await told.getByText(`${CHOSEN_FILES - 1} done, 1 failed`, { exact: true }).waitFor();
    await page.getByText('The file was changed or removed').waitFor();
    await rename(join(bed().stateDir, 'away'), join(bed().stateDir, paths[0]!));
    await button(`Retry: ${paths[0]}`).click();
    await told.getByText(`${CHOSEN_FILES} done`, { exact: true }).waitFor();
    expect(await namesIn('chosen/')).to.deep.equal(paths);

    await page.locator('#folder-picker').setInputFiles(folder);
    await told.getByText(`${CHOSEN_FILES} already exist`, { exact: true }).waitFor();
    expect(await countRequests(page)).to.be.below(CHOSEN_FILES);
    await button(`Overwrite ${CHOSEN_FILES}`).click();
    await page
      .locator('#dialog')
      .getByText(`${CHOSEN_FILES} existing objects will be replaced`)
      .waitFor();
    await page.locator('#dialog-ok').click();
    await told.getByText(`${CHOSEN_FILES} done`, { exact: true }).waitFor();
    await button('Clear finished').click();
    await page.locator('#transfers').waitFor({ state: 'hidden' });

    // Objects that turn up during the question are not among those that the user agrees to replace.
    let sent = 0;
    const release = await hold(page, BODIES, () => ++sent > 2);
    await page.locator('#folder-picker').setInputFiles(folder);
    await button('Overwrite 2').click();
    await page.locator('#dialog').getByText('2 existing objects will be replaced').waitFor();
    release();
    await told.getByText(`${CHOSEN_FILES} already exist`, { exact: true }).waitFor();
    await page.locator('#dialog-ok').click();
    await told.getByText(`2 done, ${CHOSEN_FILES - 2} already exist`, { exact: true }).waitFor();
    await page.close();
  });

  it('goes on with a large upload where the page was closed', async () => {
    const file = join(bed().stateDir, 'large');
    const handle = await open(file, 'w');
    await handle.truncate(LARGE_BYTES);
    await handle.write('end', LARGE_BYTES - 3);
    await handle.close();

    const first = await openPage();
    const sent = new Set<string>();
    const enough = new Promise<void>((resolve) => {
      first.on('requestfinished', (request) => {
        const index = segmentOf(request);
        if (index !== undefined) sent.add(index);
        if (sent.size === SENT_BEFORE_THE_END) resolve();
      });
    });
    await first.locator('#picker').setInputFiles(file);
    await enough;
    await first.close();

    const second = await openPage();
    const again: string[] = [];
    second.on('request', (request) => {
      const index = segmentOf(request);
      if (index !== undefined) again.push(index);
    });
    const end = finished(second, '/api/files/uploads/finish', 1);
    await second.locator('#picker').setInputFiles(file);
    await end;
    expect(again.filter((index) => sent.has(index))).to.deep.equal([]);
    expect(again.length).to.be.within(1, SEGMENTS - SENT_BEFORE_THE_END);

    const path = `/api/files/object/body?${query({ container, name: 'large' })}`;
    const { bytes } = await ok(client().get(path), 200);
    expect(createHash('md5').update(bytes).digest('hex')).to.equal(await md5Of(file));
    await second.close();
  });

  it('sends no more in one body than the console takes', async () => {
    const file = join(bed().stateDir, 'over-the-limit');
    const handle = await open(file, 'w');
    await handle.truncate(SEGMENT_BYTES + 1);
    await handle.close();
    const page = await openPage();
    const ends = ['/api/files/object/body', '/api/files/uploads/finish'];
    const end = page.waitForResponse((answer) => ends.includes(new URL(answer.url()).pathname));
    await page.locator('#picker').setInputFiles(file);
    const answer = await end;
    expect([answer.status(), new URL(answer.url()).pathname]).to.deep.equal([201, ends[1]]);
    await page.close();
  });

  it('showed nothing of the store', () => {
    expect(leaks).to.deep.equal([]);
  });
});
