import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makeContainer, ok, query, unique } from '../console/files/support.js';
import type { ConsoleClient } from '../console/support/client.js';
import { startTestBed } from '../console/support/console.js';
import { sharedBrowser } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { drop, makeFolder, namesBelow, segmentOf } from './files-page.js';
import { hold, saved } from './acts.js';

const BROWSER_LIMIT_MS = 120_000;
const MIB = 1024 ** 2;
const FILES = 8;
/** Of them, how many are sent at the same time. */
const AT_ONCE = 3;
const BODIES = '**/api/files/object/body?*';
const SEGMENT_BODIES = '**/api/files/uploads/segment?*';
/** More than a page waits where nothing goes over the connection. */
const LONG_SILENCE_MS = 160_000;
/** After so long a page without a session looks for another one. */
const LOOK_MS = 5000;
/** CSS pixels. */
const PHONE = { width: 360, height: 640 };
/** Where it is there already, that is well too: the end of the session before may be told late. */
const WATCH_NOTICE = `{
  const notice = document.querySelector('#session-over');
  globalThis.noticed = new Promise((resolve) => {
    const look = () => notice.hidden || resolve();
    new MutationObserver(look).observe(notice, { attributes: true });
    look();
  });
  undefined;
}`;

describeWith([program('chromium')], 'Uploads in Chromium, when things go wrong', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(() => startTestBed({ max_upload_bytes: MIB, segment_bytes: MIB }), 'close');
  /** Logged in for itself: it ends no session of the page. */
  const client = useOnce(() => bed().login());
  const context = useOnce(async () => (await sharedBrowser()).newContext(), 'close');
  const container = unique('trouble');

  before(async () => {
    await makeContainer(client(), container);
    context().setDefaultTimeout(BROWSER_LIMIT_MS);
  });

  /** As another tab would: its cookie is that of all tabs. */
  async function logIn(user?: string, key?: string): Promise<ConsoleClient> {
    const one = await bed().login(user, key);
    const [name, value] = (one.cookie ?? '').split('=', 2);
    const url = `http://127.0.0.1:${bed().console.port}`;
    await context().addCookies([{ name: name!, value: value!, url, httpOnly: true }]);
    return one;
  }

  async function openPage(): Promise<Page> {
    const page = await context().newPage();
    await page.clock.install();
    await page.goto(
      `http://127.0.0.1:${bed().console.port}/buckets#${encodeURIComponent(container)}/`,
    );
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    return page;
  }

  const namesIn = (prefix: string) => namesBelow(client(), container, prefix);

  it('fails what a silent network holds up, and sends it again', async () => {
    await logIn();
    const page = await openPage();
    await page.route(BODIES, () => undefined);
    const sent = page.waitForRequest(BODIES);
    await page
      .locator('#picker')
      .setInputFiles([{ name: 'silent', mimeType: 'a/b', buffer: Buffer.from('body') }]);
    await sent;
    await page.clock.fastForward(LONG_SILENCE_MS);
    await page.locator('#queue').getByText('The connection stalled.').waitFor();
    await page.unroute(BODIES);
    await page.getByRole('button', { name: 'Retry: silent' }).click();
    await page.locator('#transfers-count').getByText('1 done', { exact: true }).waitFor();
    expect(await namesIn('silent')).to.deep.equal(['silent']);
    await page.close();
  });

  it('goes on with a large file behind silence, and behind the end of the session', async () => {
    const session = await logIn();
    const page = await openPage();
    const sent: string[] = [];
    await page.route(SEGMENT_BODIES, async (route) => {
      const count = sent.push(segmentOf(route.request()) ?? '');
      // Nobody answers the first one; before the third one the session ends.
      if (count === 1) return;
      if (count === 3) await session.send('DELETE', '/api/session');
      await route.continue();
    });
    const first = page.waitForRequest(SEGMENT_BODIES);
    const buffer = Buffer.alloc(2 * MIB + 1, 'large');
    await page.locator('#picker').setInputFiles([{ name: 'large', mimeType: 'a/b', buffer }]);
    await first;
    await page.clock.fastForward(LONG_SILENCE_MS);
    await page.locator('#session-over').waitFor();
    await logIn();
    await page.clock.fastForward(LOOK_MS);
    await page.locator('#transfers-count').getByText('1 done', { exact: true }).waitFor();
    expect(sent).to.deep.equal(['0', '0', '1', '1', '2']);
    const path = `/api/files/object/body?${query({ container, name: 'large' })}`;
    expect((await ok(client().get(path), 200)).bytes.equals(buffer)).to.equal(true);
    await page.close();
  });

  it('keeps what is not there yet when the session ends, until its user is back', async () => {
    const first = await logIn();
    const folder = join(bed().stateDir, 'folder');
    const paths = await makeFolder(folder, FILES);
    const page = await openPage();
    const notice = page.locator('#session-over');
    const told = page.locator('#transfers-count');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const release = await hold(page, BODIES);
    await drop(page, folder);
    await page
      .locator('#queue li')
      .nth(AT_ONCE - 1)
      .waitFor();
    const all = `${AT_ONCE} running, ${FILES - AT_ONCE} waiting`;
    await told.getByText(all, { exact: true }).waitFor();
    await page.setViewportSize(PHONE);
    await page.evaluate('scrollTo(0, 0)');
    await first.send('DELETE', '/api/session');
    await notice.waitFor();
    const isSeen =
      "document.querySelector('#log-in-again').getBoundingClientRect().top < innerHeight";
    expect(await page.evaluate(isSeen)).to.equal(true);
    // On a phone it is in the drawer.
    const countdown = page.locator('#countdown:not([hidden])');
    expect(await countdown.count()).to.equal(0);
    expect(await told.textContent()).to.not.include('left');

    // Also what is under way is not there yet.
    const { bytes } = await saved(page, page.getByRole('button', { name: 'Download file list' }));
    const names = paths.map((path) => `${container}/${path.replaceAll('\n', '\\n')}`);
    expect(bytes.toString('utf8').trimEnd().split('\n').sort()).to.deep.equal(names.sort());
    release();
    await told.getByText(`${FILES} waiting`, { exact: true }).waitFor();

    // Files that are meant for one account do not go into another.
    await logIn('tester3', 'testing3');
    await page.clock.fastForward(LOOK_MS);
    await notice.getByText('resume when test:tester logs in again.').waitFor();
    expect(await namesIn('folder/')).to.deep.equal([]);

    await press('Log in');
    const dialog = page.locator('#dialog');
    await dialog.getByLabel('Key').fill('wrong');
    await page.locator('#dialog-ok').click();
    await dialog.getByText('Invalid user or key').waitFor();
    await dialog.getByLabel('Key').fill('testing');
    const again = await hold(page, BODIES);
    await page.locator('#dialog-ok').click();
    await notice.waitFor({ state: 'hidden' });
    await countdown.waitFor({ state: 'attached' });
    // Who uses the keyboard goes on where the notice was.
    expect(await page.evaluate('document.activeElement.id')).to.equal('transfers');

    // In another tab, while files are sent: the token of this one is worth nothing from then on.
    await page
      .locator('#queue li')
      .nth(AT_ONCE - 1)
      .waitFor();
    await logIn();
    // The page goes on by itself, maybe before anybody has seen that it waited.
    await page.evaluate(WATCH_NOTICE);
    again();
    await page.evaluate('noticed');
    await page.clock.fastForward(LOOK_MS);
    await told.getByText(`${FILES} done`, { exact: true }).waitFor();
    await notice.waitFor({ state: 'hidden' });
    expect(await namesIn('folder/')).to.deep.equal(paths);
    await page.close();
  });
});
