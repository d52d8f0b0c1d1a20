import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makeContainer } from '../console/files/support.js';
import { ConsoleClient } from '../console/support/client.js';
import { BROWSER_LIMIT_MS, logIn, openPage } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { startService } from '../support/service.js';
import { S3TestClient } from '../support/s3-client.js';
import { childUp, consoleOf, consoleUp } from '../support/service-console.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { makeFolder, namesBelow } from './files-page.js';
import { hold } from './acts.js';

const FILES = 25;
const BODIES = '**/api/files/object/body?*';
const CONTAINER = 'restarted';
const MANY = 500;
const BUCKET = 'killed';
const ENABLED =
  '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>';

describeWith([program('chromium')], 'Uploads in Chromium, over restarts', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const folder = useTempFolderOnce('uploads-restart');
  const service = useOnce(
    () =>
      startService({
        store: '127.0.0.1:0',
        console: '127.0.0.1:0',
        listeners: 1,
        config: { restart_backoff_ms_min: 1 },
      }),
    'stop',
  );
  const watched = useOnce(openPage, 'close');
  let page: Page;

  before(async () => {
    await consoleUp(service());
    page = watched().page;
    page.setDefaultTimeout(BROWSER_LIMIT_MS / 2);
  });

  const told = () => page.locator('#transfers-count');

  /** Once the page says that its session is over. */
  async function logInAgain(): Promise<void> {
    await page.locator('#session-over').waitFor();
    await page.locator('#log-in-again').click();
    await page.locator('#dialog').getByLabel('Key').fill(consoleOf(service()).key);
    await page.locator('#dialog-ok').click();
  }

  async function connect(): Promise<ConsoleClient> {
    const { port, account, user, key } = consoleOf(service());
    const client = new ConsoleClient(port, { storeOrigin: 'nothing', stateDir: folder() });
    const answer = await client.login({ account, user, key });
    expect(answer.status, answer.text).to.equal(200);
    return client;
  }

  it('wait while the console is killed and started again, and all end up stored', async () => {
    await makeContainer(await connect(), CONTAINER);
    const { port } = consoleOf(service());
    await page.goto(`http://127.0.0.1:${port}/`);
    await logIn(page, consoleOf(service()));
    await page.goto(`http://127.0.0.1:${port}/buckets#${CONTAINER}/`);
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    const paths = await makeFolder(join(folder(), 'files'), FILES);
    let sent = 0;
    // Some are there when the console ends, some are under way, and most wait.
    const release = await hold(page, BODIES, () => ++sent > 5);
    await page.locator('#folder-picker').setInputFiles(join(folder(), 'files'));
    await told()
      .getByText(/5 done/)
      .waitFor();
    const former = await consoleUp(service());
    process.kill(former, 'SIGKILL');
    release();
    await consoleUp(service(), former);
    await page.locator('#session-over').waitFor();
    expect(await told().textContent()).to.not.include('failed');
    await logInAgain();
    await told().getByText(`${FILES} done`, { exact: true }).waitFor();
    expect(await namesBelow(await connect(), CONTAINER)).to.deep.equal(paths);
  });

  it('wait while the store does not answer, and say so', async () => {
    let refusals = 0;
    await page.route(BODIES, (route) => {
      refusals += 1;
      return route.fulfill({
        status: 503,
        json: {
          error: {
            code: 'upstream_unavailable',
            message: 'The store is unavailable. Try again later.',
          },
        },
      });
    });
    const buffer = Buffer.from('x');
    await page
      .locator('#picker')
      .setInputFiles(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, mimeType: 'a/b', buffer })));
    await told()
      .getByText(/5 waiting.*store unavailable/)
      .waitFor();
    expect(refusals).to.be.at.most(3);
    await page.unroute(BODIES);
    await told()
      .getByText(/5 done/)
      .waitFor();
    expect(await told().textContent()).to.not.include('failed');
  });

  it('end up stored, all of 500, though store, listener and console are killed meanwhile', async () => {
    // A bucket with versions: each upload passes the console, a listener and the store.
    const s3 = new S3TestClient(service());
    await s3.put(`/${BUCKET}`);
    await s3.put(`/${BUCKET}?versioning`, ENABLED);
    await page.locator('#clear-ended').click();
    await page.goto(`${consoleOf(service()).endpoint}/buckets#${BUCKET}/`);
    await page.locator('#crumbs').getByText(BUCKET).waitFor();
    const paths = await makeFolder(join(folder(), 'many'), MANY);
    const doneCount = async () =>
      Number(/(\d+) done/.exec((await told().textContent()) ?? '')?.[1] ?? 0);
    await page.locator('#folder-picker').setInputFiles(join(folder(), 'many'));
    for (const [kind, doneBefore] of [
      ['store', 50],
      ['listener', 150],
      ['store', 200],
      ['console', 250],
    ] as const) {
      const pid = await childUp(service(), kind);
      await eventually(doneCount, (done) => done >= doneBefore);
      process.kill(pid, 'SIGKILL');
      await childUp(service(), kind, pid);
    }
    await logInAgain();
    await told().getByText(`${MANY} done`, { exact: true }).waitFor();
    const stored: string[] = [];
    let last = '';
    for (;;) {
      const { text } = await s3.get(
        `/${BUCKET}?list-type=2&encoding-type=url&start-after=${encodeURIComponent(last)}`,
      );
      const keys = [...text.matchAll(/<Key>([^<]+)</g)].map(([, key = '']) =>
        decodeURIComponent(key.replaceAll('+', ' ')),
      );
      stored.push(...keys);
      last = keys.at(-1) ?? '';
      if (!text.includes('<IsTruncated>true<')) break;
    }
    expect(stored).to.deep.equal(paths);
    await s3.close();
  });
});
