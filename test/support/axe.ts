import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** The rules of WCAG 2.2, levels A and AA, and axe's own best practices. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A theme changes colours only, and only these rules read them. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

const RULES = { light: TAGS, dark: COLOUR_RULES } as const;

let source: string | undefined;

/**
 * Asserts that axe finds nothing on the page as it stands: no element without a name, no text without
 * contrast in the light or in the dark theme, nothing out of the keyboard's reach.
 *
 * It is evaluated by the browser's debugger, which the page's security policy does not bind.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // An element that is scrolled below a fixed bar is not obscured for good.
  await page.evaluate('scrollTo(0, 0)');
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const options = { runOnly: RULES[colorScheme], resultTypes: ['violations'] };
    const results = await page.evaluate<AxeResults>(
      `axe.run(document, ${JSON.stringify(options)})`,
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
