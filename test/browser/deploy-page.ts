import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { REAL_CLOCK } from '../console/support/console.js';
import { startDeployBed, type DeployBed } from '../console/deploy/support.js';
import { logIn, openPage, tabTo, type Watched } from '../support/browser.js';
import { eventually } from '../support/eventually.js';

/** The page of Deploy in a browser, over a console and a control service of this process. */
export interface DeployScreen {
  readonly on: DeployBed;
  readonly watched: Watched;
  close(): Promise<void>;
}

/** An operator has logged in. The console's password file is `console-token`, in the bed's folder. */
export async function openDeployScreen(): Promise<DeployScreen> {
  const on = await startDeployBed(REAL_CLOCK, 'console-token');
  const watched = await openPage();
  await watched.page.goto(`http://127.0.0.1:${on.bed.console.port}/`);
  await logIn(watched.page);
  const close = async (): Promise<void> => {
    await watched.close();
    await on.close();
  };
  return { on, watched, close };
}

/** Refusals are part of the flow: Chromium writes each answer above 399 to its console. */
export function expectNoComplaints({ complaints }: Watched): void {
  const unexpected = complaints.filter((text) => !text.includes('Failed to load resource'));
  expect(unexpected).to.deep.equal([]);
  complaints.splice(0);
}

/** The acts and waits of people on the page. @param screen - asked for when it is there */
export function deployActs(screen: () => DeployScreen) {
  const page = (): Page => screen().watched.page;
  const json = () => page().getByLabel('Specification as JSON');
  return {
    json,
    open: (search = '') =>
      page().goto(`http://127.0.0.1:${screen().on.bed.console.port}/deploy${search}`),
    tab: (name: string) => page().getByRole('tab', { name, exact: true }).click(),
    press: (name: string) => page().getByRole('button', { name, exact: true }).click(),
    /** Waits until the page says so. */
    reads: (words: string) => page().getByText(words).first().waitFor(),
    enter: (text: string) => json().fill(text),
    jsonHas: (text: string) =>
      eventually(
        () => json().inputValue(),
        (value) => value.includes(text),
      ),
    verdict: (text: string) =>
      page()
        .getByRole('status')
        .getByText(text)
        .or(page().locator('.deploy-bar .badge', { hasText: text }))
        .first()
        .waitFor(),
    /** Waits until the run or ramp that is shown is in a state. */
    isRun: (state: string) =>
      page().locator('.deploy-bar .badge', { hasText: state }).first().waitFor(),
    /** Types the name of the cluster into the question that is open. */
    confirm: async (name = 'example'): Promise<void> => {
      await page().getByLabel('Type the cluster name').fill(name);
      await page().keyboard.press('Enter');
    },
    /** Presses Tab until the focus is on the field or button of this name. */
    tabTo: (name: string): Promise<void> => {
      const button = page().getByRole('button', { name, exact: true });
      return tabTo(page(), page().getByLabel(name, { exact: true }).or(button));
    },
    /** Whether a field of the form is marked as wrong, and what is said at it. */
    fieldSays: async (
      label: string,
    ): Promise<readonly [isInvalid: string | null, said: string]> => {
      const field = page().getByLabel(label, { exact: true }).first();
      const place = page().locator('[data-field]').filter({ has: field }).first();
      return [await field.getAttribute('aria-invalid'), String(await place.textContent())];
    },
  };
}
