import { mkdir } from 'node:fs/promises';
import { chromium, type Browser, type Locator, type Page, type Response } from 'playwright-core';
import { findProgram } from './programs.js';
import { IS_CLUSTER } from './stack.js';

/** Headless, and without anything that asks other hosts for something. */
const BROWSER_FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** A guard: a browser takes its time to start on a busy machine. */
export const BROWSER_LIMIT_MS = 120_000;

/** Screenshots are for people to look at, and for the pictures of the documentation. */
const SHOTS = 'artifacts/console';
const IS_SHOOTING = process.env.RINGWAY_PICTURES === '1';
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** A wide screen besides. */
export const ALL_SIZES: Readonly<Record<string, { width: number; height: number }>> = {
  wide: { width: 1440, height: 900 },
  ...SIZES,
};

/** A page in Chromium, and what went wrong in it. */
export interface Watched {
  readonly page: Page;
  /** Errors of scripts, what the console says at level error, and so what a policy refused. */
  readonly complaints: string[];
  /** URL and headers of every answer, with the body of all but scripts, styles and fonts. */
  readonly answers: string[];
  /** With RINGWAY_PICTURES=1, photographs the page in both themes, by default in two sizes. */
  shoot(name: string, sizes?: typeof ALL_SIZES): Promise<void>;
  close(): Promise<void>;
}

/** Kinds of files that are the same for everyone, of which a page loads a hundred; images may be objects. */
const FILES_OF_ALL = new Set(['script', 'stylesheet', 'font']);

let shared: Promise<Browser> | undefined;

/** The Chromium of this run of mocha, started when it is first asked for; suites have contexts of their own. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= chromium.launch({
    executablePath: findProgram('chromium')!,
    args: BROWSER_FLAGS,
  });
  return shared;
}

// A hook of the root suite, so it runs after the last test that may have used it.
after('close Chromium', async () => {
  await (await shared)?.close();
});

/** Whether a secret cannot be in it. */
export function isFileOfAll(response: Response): boolean {
  return FILES_OF_ALL.has(response.request().resourceType());
}

export async function openPage(): Promise<Watched> {
  const context = await (await sharedBrowser()).newContext({ viewport: SIZES.desk });
  const page = await context.newPage();
  const complaints: string[] = [];
  const answers: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('response', (response) => {
    const head = `${response.url()} ${JSON.stringify(response.headers())}`;
    // A stream of events does not end, and has no body that could be asked for.
    const body = isFileOfAll(response) ? Promise.resolve('') : response.text();
    body.then(
      (text) => answers.push(`${head} ${text}`),
      () => answers.push(head),
    );
  });
  if (IS_SHOOTING) await mkdir(SHOTS, { recursive: true });
  return {
    page,
    complaints,
    answers,
    async shoot(name, sizes = SIZES) {
      // The run on the embedded store takes the same ones.
      if (!IS_SHOOTING || IS_CLUSTER) return;
      for (const theme of ['light', 'dark'] as const) {
        for (const [size, viewport] of Object.entries(sizes)) {
          await page.emulateMedia({ colorScheme: theme });
          await page.setViewportSize(viewport);
          await page.screenshot({ path: `${SHOTS}/${name}-${size}-${theme}.png` });
        }
      }
      await page.setViewportSize(SIZES.desk);
    },
    close: () => context.close(),
  };
}

/**
 * The same for pages of the Monitor: the clock by which charts are asked for again runs ten times as
 * fast. They are looked at every 10 s, and empty ones every 30 s.
 */
export async function openMonitor(): Promise<Watched> {
  const watched = await openPage();
  await watched.page.addInitScript(`{
    const now = performance.now.bind(performance);
    performance.now = () => 10 * now();
  }`);
  return watched;
}

const TESTER = { account: 'test', user: 'tester', key: 'testing' };

/** Logs in at the login page, by default as an operator of the test bed. */
export async function logIn(page: Page, user = TESTER): Promise<void> {
  await typeLogin(page, user);
  await page.getByText(`${user.user} (operator)`).waitFor();
}

/** Sends the login page as a Swift user, with the keyboard alone. */
export async function typeLogin(page: Page, { account, user, key } = TESTER): Promise<void> {
  await page.getByRole('radio', { name: 'Access key' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  await page.keyboard.type(account);
  await page.keyboard.press('Tab');
  await page.keyboard.type(user);
  await page.keyboard.press('Tab');
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
}

/** Opens the console of a test bed, logged in as its operator. */
export async function openConsole(bed: {
  readonly console: { readonly port: number };
}): Promise<Watched> {
  const watched = await openPage();
  await watched.page.goto(`http://127.0.0.1:${bed.console.port}/`);
  await logIn(watched.page);
  return watched;
}

/** The limit of presses: no page has so many elements that take the focus. */
const TABS_MAX = 400;

/**
 * Moves the focus to an element with the Tab key alone.
 * @throws Error when that leads nowhere
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  // Looking for it anew after each key would take longer than all the rest of a test.
  let element = await target.elementHandle();
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    const place = await element.evaluate(placeOfFocus);
    if (place === 'here') return;
    if (place === 'elsewhere') await page.keyboard.press('Tab');
    else element = await target.elementHandle();
  }
  throw new Error(`the Tab key does not lead to ${String(target)}`);
}

/** Runs in the page: where the focus is, of an element that may have been drawn anew. */
function placeOfFocus(element: unknown): 'here' | 'elsewhere' | 'gone' {
  const { document } = globalThis as unknown as { document: { readonly activeElement: unknown } };
  if (element === document.activeElement) return 'here';
  return (element as { readonly isConnected: boolean }).isConnected ? 'elsewhere' : 'gone';
}

/** Goes to a button or a link with the Tab key, and presses Enter. */
export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Goes to a field with the Tab key, and replaces what it holds. */
export async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Control+a');
  if (text === '') await page.keyboard.press('Delete');
  else await page.keyboard.type(text);
}
