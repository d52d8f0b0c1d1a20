import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startTestBed } from '../console/support/console.js';
import { makeContainer, ok, query, unique, upload } from '../console/files/support.js';
import { expectAccessible } from '../support/axe.js';
import { BROWSER_LIMIT_MS, logIn, openPage } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { inspect } from './acts.js';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SCRIPT = '<script>document.title = "run"</script>';
/** The browser's messages about the failures that the tests make. */
const MEANT =
  /^Failed to load resource: (?:net::ERR_FAILED|.*\b(?:400|412|503)\b).*\/api\/files\/(?:object|acl|search)/s;
const STORE = 'https://store.example.com';
const A = unique('first');
const B = unique('second');

describeWith([program('chromium')], 'the Files page in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const bed = useOnce(
    () => startTestBed({ tempurl_default_secs: 5400, store_public_base: STORE }),
    'close',
  );
  const client = useOnce(() => bed().login());
  const watched = useOnce(openPage, 'close');
  let page: Page;

  before(async () => {
    for (const name of [A, B]) await makeContainer(client(), name);
    await ok(upload(client(), A, 'page.html', SCRIPT, { type: 'text/html' }), 201);
    await ok(upload(client(), A, 'pixel.png', PIXEL, { type: 'image/png' }), 201);
    await ok(upload(client(), A, 'a//b', 'x'), 201);
    for (const name of ['x-1', 'x-2', 'y/1', 'y/2']) await ok(upload(client(), A, name, 'x'), 201);
    page = watched().page;
    await page.goto(`http://127.0.0.1:${bed().console.port}/login.html`);
    await logIn(page);
    await page.goto(`http://127.0.0.1:${bed().console.port}/buckets#${A}/`);
    await row('x-1').waitFor();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const row = (name: string) => button(name);
  const drawer = () => page.locator('#drawer');
  const focused = () => page.evaluate('document.activeElement.dataset.name ?? null');
  const ended = (title: RegExp) =>
    page.locator('#queue li[data-state]').filter({ hasText: title }).first();

  it('goes through the table with the keyboard, and says which keys there are', async () => {
    await row('a/').waitFor();
    await page.locator('#rows tr').first().focus();
    expect(await focused()).to.equal('a/');
    await page.keyboard.press('End');
    expect(await focused()).to.equal('x-2');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    // Folders are first.
    expect(await focused()).to.equal('y/');
    await page.keyboard.press('Enter');
    await row('1').waitFor();
    await page.keyboard.press('Backspace');
    await row('x-1').waitFor();
    await page.locator('#rows tr[data-name="x-1"]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected, 2 B').waitFor();
    await watched().shoot('selection');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Shortcuts' }).waitFor();
    await inspect(watched(), 'keys');
    await button('Close').click();
  });

  it('shows pictures and texts, and runs nothing of them', async () => {
    await button('page.html').click();
    await drawer().locator('pre').getByText(SCRIPT).waitFor();
    await drawer().getByText('Versioning is not enabled for this bucket.').waitFor();
    expect(await page.title()).not.to.equal('run');
    await inspect(watched(), 'drawer');
    await page.keyboard.press('Escape');
    await drawer().waitFor({ state: 'hidden' });
    await button('pixel.png').click();
    const image = drawer().locator('img');
    await image.waitFor();
    await image.evaluate('(image) => image.decode()');
  });

  it('edits metadata and expiry', async () => {
    await drawer().getByRole('button', { name: 'Add metadata' }).click();
    await drawer().getByLabel('Metadata name').fill('colour');
    await drawer().getByLabel('Metadata value').fill('grün');
    await drawer().getByLabel('Expires (leave empty for never)').fill('2099-01-01T10:00');
    await drawer().getByRole('button', { name: 'Save' }).click();
    await drawer().locator('.badges').getByText('expires').waitFor();
    const path = `/api/files/object?${query({ container: A, name: 'pixel.png' })}`;
    const info = await client().read<{ meta: object; delete_at_unix_s: number }>(path);
    expect(info.meta).to.deep.equal({ colour: 'grün' });
    expect(info.delete_at_unix_s).to.be.greaterThan(4_000_000_000);
  });

  it('makes a URL that ends', async () => {
    await drawer().getByRole('button', { name: 'Share' }).click();
    // As the console is configured.
    expect(await page.getByLabel('Valid for').inputValue()).to.equal('90');
    expect(await page.getByLabel('Unit').inputValue()).to.equal('60');
    await page.getByLabel('Valid for').fill('2');
    await page.getByLabel('Unit').selectOption('days');
    await watched().shoot('share');
    await button('Create URL').click();
    const url = await page.getByLabel('URL', { exact: true }).inputValue();
    expect(url.replace(STORE, '')).to.match(
      /^\/v1\/.*\/pixel\.png\?temp_url_sig=[0-9a-f]{64}&temp_url_expires=\d+$/,
    );
    await page.getByText('signed with sha256').waitFor();
    await button('Close').click();
    await button('Close details').click();
  });

  it('goes to names that begin so, and searches within limits', async () => {
    await page.getByLabel('Go to names starting with').fill('x-');
    await page.keyboard.press('Enter');
    await row('page.html').waitFor({ state: 'detached' });
    // A listing under way shows no rows at all.
    await row('x-2').waitFor();
    expect(await page.locator('#rows tr').count()).to.equal(2);
    await button(A).first().click();
    await row('page.html').waitFor();
    await page.getByLabel('Search in this folder').fill('[12]$');
    await page.locator('#search-more summary').click();
    await page.getByLabel('Match').selectOption('regex');
    await button('Search').click();
    await page.getByText('Search complete. 4 matches in 7 names.').waitFor();
    await inspect(watched(), 'search');
    await page.getByLabel('Search in this folder').fill('(');
    await button('Search').click();
    await page
      .locator('#state')
      .getByText('The pattern cannot be read: missing closing ).')
      .waitFor();
    await button('Clear').click();
    await row('page.html').waitFor();
  });

  it('shows no more of what it found than a page can hold, and goes on where it failed', async () => {
    const asked: unknown[] = [];
    await page.route('**/api/files/search', (route) => {
      const { q, marker } = route.request().postDataJSON() as { q: string; marker?: string };
      asked.push([q, marker]);
      if (asked.length === 3) {
        return route.fulfill({ status: 503, json: { error: { code: 'x', message: 'Failed.' } } });
      }
      const start = marker === undefined ? 0 : Number(marker.slice('hit-'.length)) + 1;
      const count = start < 2000 ? 1000 : 3;
      const hits = Array.from({ length: count }, (_, i) => ({
        name: `hit-${start + i}`,
        bytes: i,
      }));
      const truncated = count === 1000;
      const lines = [...hits, { scanned: 2 * count, truncated, next_marker: hits.at(-1)?.name }];
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      return route.fulfill({ contentType: 'application/x-ndjson', body });
    });
    // The selection goes with its rows.
    await page.getByLabel('Select page.html').check();
    await page.getByLabel('Search in this folder').fill('hit');
    await button('Search').click();
    await page.getByText('Search stopped at “hit-999”. 1,000 matches in 2,000 names.').waitFor();
    expect(await page.locator('#banner').isVisible()).to.equal(false);
    expect(await page.locator('#selected').textContent()).to.equal('');
    // It goes on as what it was, whatever is typed meanwhile.
    await page.getByLabel('Search in this folder').fill('other');
    await button('Continue search').click();
    await page.getByText('2,000 matches in 4,000 names. Showing the last 1,000.').waitFor();
    expect(await page.locator('#rows tr').count()).to.equal(1000);
    await row('hit-1000').waitFor();
    expect(await page.evaluate('document.activeElement.id')).to.equal('objects');
    // Above the rows: nobody looks below a thousand of them for what there is to know.
    const [told, table] = await Promise.all([
      page.locator('#state').boundingBox(),
      page.locator('#objects').boundingBox(),
    ]);
    expect(told!.y).to.be.below(table!.y);
    await button('Continue search').click();
    await page.locator('#state').getByText('Failed.').waitFor();
    expect(await page.locator('#rows tr').count()).to.equal(1000);
    await button('Try again').click();
    await page.getByText('2,003 matches in 4,006 names. Showing the last 1,000.').waitFor();
    expect(await page.locator('#rows tr').count()).to.equal(1000);
    await row('hit-1003').waitFor();
    expect(asked).to.deep.equal([
      ['hit', undefined],
      ['hit', 'hit-999'],
      ['hit', 'hit-1999'],
      ['hit', 'hit-1999'],
    ]);
    await page.unroute('**/api/files/search');
    await button('Clear').click();
    await row('page.html').waitFor();
  });

  it('ends a search with what takes its place', async () => {
    // Nobody answers.
    await page.route('**/api/files/search', () => undefined);
    for (const other of ['Refresh', 'Clear']) {
      await button('Search').click();
      await button('Stop').waitFor();
      const end = page.waitForEvent('requestfailed');
      await button(other).click();
      expect(new URL((await end).url()).pathname).to.equal('/api/files/search');
      await row('page.html').waitFor();
      expect(await page.locator('#state').textContent()).to.equal('');
    }
    await page.unroute('**/api/files/search');
  });

  it('copies a folder into another container but not into itself, and shows what failed', async () => {
    await page.getByLabel('Select y/').check();
    await button('Copy or move').click();
    await page.locator('#dialog').getByLabel('Folder', { exact: true }).fill('y/deeper');
    await button('Start').click();
    await page.getByText('Cannot copy or move y/ into itself.').waitFor();
    await watched().shoot('into-itself');
    await page.keyboard.press('Escape');
    const copy = async () => {
      await button('Copy or move').click();
      await page.getByLabel('Destination bucket').fill(B);
      await watched().shoot('copy');
      await button('Start').click();
    };
    await copy();
    await ended(/Copy .*y\/.*done: 2/).waitFor();
    await page.getByLabel('Select y/').check();
    await copy();
    await ended(/2 failed/).waitFor();
    await page.getByText('Failures').click();
    await page.getByText('y/1: An object with this name already exists.').waitFor();
    await inspect(watched(), 'transfers');
  });

  it('tries an upload again by itself that was cut, and asks before it overwrites', async () => {
    const file = { name: 'up.txt', mimeType: 'text/plain', buffer: Buffer.from('up') };
    await page.route('**/api/files/object/body?*', (route) => route.abort(), { times: 1 });
    await page.locator('#picker').setInputFiles([file]);
    await ended(/up\.txt.*done, 2 B/).waitFor();
    await page.locator('#picker').setInputFiles([file]);
    await button('Overwrite: up.txt').click();
    await row('up.txt').waitFor();
    // Who uses the keyboard goes on where the button was.
    const focusedId = () => page.evaluate('document.activeElement.id');
    await button('Dismiss: up.txt').first().click();
    expect(await focusedId()).to.equal('transfers');
    await button('Clear finished').click();
    await page.locator('#transfers').waitFor({ state: 'hidden' });
    expect(await focusedId()).to.equal('objects');
  });

  it('keeps what it shows when the store fails, says so, and tries again', async () => {
    await page.route('**/api/files/objects?*', (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: 'upstream_unavailable', message: 'The store is unavailable.' } },
      }),
    );
    await button('Refresh').click();
    await page.getByText('This list may be out of date (listed by the store at').waitFor();
    await row('up.txt').waitFor();
    await watched().shoot('stale');
    await page.evaluate(`location.hash = '${B}/'`);
    await page.locator('#state').getByText('The store is unavailable.').waitFor();
    await watched().shoot('failed');
    await page.unroute('**/api/files/objects?*');
    await button('Try again').click();
    await row('y/').waitFor();
  });

  it('explains an ACL while it is written, and keeps none that is malformed', async () => {
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('2, 2 B', { exact: true }).waitFor();
    await inspect(watched(), 'container');
    await page.getByRole('tab', { name: 'Access' }).click();
    await page.getByText('No other users can read.').waitFor();
    await expectAccessible(page);
    await page.reload();
    await button('Edit access').click();
    await page.locator('#dialog').getByText('No other users can read.').waitFor();
    await button('Allow public read and listing').click();
    await page.getByText('.r:*: Anyone can read objects at the store’s address').waitFor();
    await page.getByText('.rlistings: Clients allowed by the referrer rules').waitFor();
    await page.getByRole('textbox', { name: 'Write' }).fill('.r:*');
    await page.getByText('Referrers cannot be granted write access').waitFor();
    await inspect(watched(), 'acl');
    await button('Save').click();
    await page.locator('#dialog [role=alert]').getByText('Referrers cannot').waitFor();
    await page.getByRole('textbox', { name: 'Write' }).fill('other:user');
    await button('Save').click();
    const title = page.getByRole('heading', { name: 'Read and write access' });
    await title.waitFor({ state: 'hidden' });
    await page.locator('#container-page').getByText('.r:*: Anyone can read objects').waitFor();
    await page.getByRole('tab', { name: 'Objects' }).click();
    await row('y/').waitFor();
  });

  it('deletes a bucket once its name is typed', async () => {
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('This cannot be undone.').waitFor();
    await inspect(watched(), 'container-danger');
    await button('Empty or delete').click();
    await button('Delete permanently').last().click();
    await page.getByLabel(`Type “${B}” to confirm`).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The name does not match.').waitFor();
    await watched().shoot('remove');
    await page.getByLabel(`Type “${B}” to confirm`).fill(B);
    await page.keyboard.press('Enter');
    await ended(/Delete bucket .*done: 2/).waitFor();
    await page.getByRole('heading', { name: 'Buckets' }).waitFor();
    expect((await client().get(`/api/files/container?${query({ name: B })}`)).status).to.equal(404);
  });

  it('takes an address as a user typed it', async () => {
    await makeContainer(client(), '50%');
    await ok(upload(client(), '50%', 'half', 'x'), 201);
    await page.goto(`http://127.0.0.1:${bed().console.port}/buckets#50%/`);
    await row('half').waitFor();
  });

  it('had nothing to complain of', () => {
    const unforeseen = watched().complaints.filter((text) => !MEANT.test(text));
    expect(unforeseen).to.deep.equal([]);
  });
});
