import { readFile } from 'node:fs/promises';
import type { Locator, Page, Route } from 'playwright-core';
import { expectAccessible } from '../support/axe.js';
import type { Watched } from '../support/browser.js';

/** Expects a page to be accessible, and photographs it: see {@link Watched.shoot}. */
export async function inspect(
  watched: Watched,
  ...[name, sizes]: Parameters<Watched['shoot']>
): Promise<void> {
  await expectAccessible(watched.page);
  await watched.shoot(name, sizes);
}

/** The file that a button saves. */
export async function saved(
  page: Page,
  button: Locator,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/**
 * Holds requests back until the function that it returns is called; then and from then on they go on.
 * @param isHeld by default each is held
 */
export async function hold(
  page: Page,
  pattern: string,
  isHeld: (route: Route) => boolean = () => true,
): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    if (isHeld(route)) await released;
    await route.continue();
  });
  return release;
}
