import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

const THEMES = ['light', 'dark'] as const;

/** What the rules of WCAG 2.2, levels A and AA, and axe's own best practices ask for. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let source: string | undefined;

/**
 * Asserts that axe finds nothing on the page as it stands, in the light and in the dark theme: no
 * element without a name, no text without contrast, nothing out of the keyboard's reach.
 *
 * It is evaluated by the browser's debugger, which the page's security policy does not bind.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // What is scrolled to below a bar that stays is not obscured for good.
  await page.evaluate('scrollTo(0, 0)');
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(source);
    const results = await page.evaluate<AxeResults>(
      `axe.run(document, ${JSON.stringify({ runOnly: TAGS, resultTypes: ['violations'] })})`,
    );
    const found = results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => {
        const how = failureSummary.replaceAll(/\s+/g, ' ');
        return `${colorScheme}: ${id}: ${target.join(' ')}: ${how}`;
      }),
    );
    expect(found, `axe at ${page.url()}`).to.deep.equal([]);
  }
}
