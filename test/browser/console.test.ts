import { mkdir } from 'node:fs/promises';
import { expect } from 'chai';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startTestBed, type TestBed } from '../console/support/console.js';
import { findLeak } from '../console/support/leaks.js';
import { describeWith, program } from '../support/needs.js';
import { findProgram } from '../support/programs.js';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync'];

/** A guard: a browser takes its time to start on a busy machine. */
const BROWSER_LIMIT_MS = 120_000;

/** Kept for people to look at. */
const SHOTS = 'artifacts/console';
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const EVIL = '<img src=x onerror=alert(1)>.txt';

describeWith([program('chromium')], 'the console in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  let bed: TestBed;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const answers: string[] = [];

  before(async () => {
    bed = await startTestBed();
    browser = await chromium.launch({ executablePath: findProgram('chromium')!, args: FLAGS });
    page = await browser.newPage({ viewport: SIZES.desk });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('response', (response) => {
      const head = `${response.url()} ${JSON.stringify(response.headers())}`;
      // A stream of events does not end, and has no body that could be asked for.
      response.text().then(
        (text) => answers.push(`${head} ${text}`),
        () => answers.push(head),
      );
    });
    await mkdir(SHOTS, { recursive: true });
  });

  after(async () => {
    await browser.close();
    await bed.close();
  });

  const shoot = async (name: string) => {
    for (const theme of ['light', 'dark'] as const) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize(viewport);
        await page.screenshot({ path: `${SHOTS}/${name}-${size}-${theme}.png` });
      }
    }
    await page.setViewportSize(SIZES.desk);
  };

  it('logs in with the keyboard', async () => {
    await page.goto(`http://127.0.0.1:${bed.console.port}/`);
    await page.waitForURL('**/login.html');
    await shoot('login');
    await page.keyboard.type('test');
    await page.keyboard.press('Tab');
    await page.keyboard.type('tester');
    await page.keyboard.press('Tab');
    await page.keyboard.type('testing');
    await page.keyboard.press('Enter');
    await page.getByText('tester (operator)').waitFor();
    await page.getByText('No containers yet.').waitFor();
    await shoot('empty');
  });

  it('makes a container, uploads, and shows names as text', async () => {
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByLabel('Name').fill('photos');
    await page.getByRole('button', { name: 'Make' }).click();
    await page.getByText('This folder is empty.').waitFor();
    await page.locator('#picker').setInputFiles([
      { name: EVIL, mimeType: 'text/plain', buffer: Buffer.from('evil') },
      { name: 'two.txt', mimeType: 'text/plain', buffer: Buffer.from('two') },
    ]);
    await page.getByRole('button', { name: EVIL, exact: true }).waitFor();
    await page.getByRole('button', { name: 'two.txt', exact: true }).waitFor();
    await shoot('files');
  });

  it('moves to the trash, and back', async () => {
    await page.getByLabel(`Select ${EVIL}`).check();
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByRole('button', { name: EVIL, exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Trash', exact: true }).click();
    await page.getByLabel(`Select ${EVIL}`).check();
    await shoot('trash');
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The trash is empty.').waitFor();
    await page.getByRole('button', { name: 'Back to files' }).click();
    await page.getByRole('button', { name: EVIL, exact: true }).waitFor();
  });

  it('shows properties', async () => {
    await page.getByRole('button', { name: 'Properties: two.txt' }).click();
    await page.getByText('text/plain').waitFor();
    await shoot('properties');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('had nothing to complain of, and was shown nothing of the store', () => {
    expect(complaints).to.deep.equal([]);
    expect(answers).not.to.deep.equal([]);
    expect(answers.map((answer) => findLeak(answer, bed.secrets))).to.deep.equal(
      answers.map(() => undefined),
    );
  });
});
