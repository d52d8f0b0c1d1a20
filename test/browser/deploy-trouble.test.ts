import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { DeployPage } from '../console/deploy/support.js';
import type { Spec } from '../../src/deploy/spec/schema.js';
import { PASSWORD, small as base } from '../deploy/service-support.js';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { serve } from '../support/serve.js';
import {
  deployActs,
  expectNoComplaints,
  openDeployScreen,
  type DeployScreen,
} from './deploy-page.js';
import { hold, inspect } from './acts.js';

describeWith([program('chromium')], 'the page of Deploy in trouble', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const screen = useOnce(openDeployScreen, 'close');
  let on: DeployScreen['on'];
  let watched: DeployScreen['watched'];
  let page: Page;
  let small: Spec;

  const { open, tab, press, reads, enter, verdict, isRun, confirm } = deployActs(() => screen());

  before(async () => {
    ({ on, watched } = screen());
    ({ page } = watched);
    small = on.recon.on(base);
    // A cluster that is in force, and has settled.
    await on.deploy.putSpec(small);
    expect((await on.deploy.deploy('first')).state).to.equal('succeeded');
    await open();
  });

  afterEach(() => {
    expectNoComplaints(watched);
  });

  const HOUR_MS = 3_600_000;
  /** Two hours, and a full pass of the replicators, later. */
  function letSettle(): void {
    on.aheadMs += 2 * HOUR_MS;
    on.recon.beganS = (Date.now() + on.aheadMs) / 1000 - 120;
  }

  it('follows a ramp: its steps, what they wait for, and why it stops', async () => {
    const client = new DeployPage(await on.bed.login());
    const [first, ...others] = small.nodes;
    const devices = first!.devices.map((device, at) =>
      at === 0 ? { ...device, weight: 40 } : device,
    );
    const lighter = {
      ...small,
      nodes: [{ ...first!, devices }, ...others],
      rollout: { weight_step_pct: 50 },
    };
    expect((await client.putSpec(lighter, await client.etag())).status).to.equal(200);
    letSettle();
    await tab('Ramp');
    await press('Start ramp…');
    await confirm('other');
    await reads('The cluster name does not match.');
    await confirm();
    await page.getByText('Step 1', { exact: true }).waitFor();
    await reads('All replicators have finished a full pass');
    await page.locator('.deploy-gates li[data-state="warn"]').first().waitFor();
    await inspect(watched, 'deploy-ramp', ALL_SIZES);
    await press('Pause');
    await reads('Ramp paused');
    await watched.shoot('deploy-ramp-paused');
    await press('Resume');
    await isRun('running');
    on.recon.odd.set('node3/container', { status: 500 });
    await reads('the container server of node3 does not answer');
    await isRun('stopped automatically');
    await inspect(watched, 'deploy-ramp-stopped');
    on.recon.odd.clear();
    await press('Resume');
    letSettle();
    await page.getByText('Step 2', { exact: true }).waitFor();
    letSettle();
    await page.getByText('Step 3', { exact: true }).waitFor();
    letSettle();
    await isRun('succeeded');
    await page.getByRole('heading', { name: 'Start a ramp' }).waitFor();
    await press('View run of step 3');
    await reads('Ramp step 3');
    await isRun('succeeded');
    // The plan of a step has the balance of each device before and after it.
    await page.locator('.deploy-bar a[href*="tab=plan"]').click();
    const chart = page.locator('section.chart', { hasText: 'account balance by device' });
    await chart.waitFor();
    await expectAccessible(page);
    await chart.scrollIntoViewIfNeeded();
    await watched.shoot('deploy-balance', ALL_SIZES);
  });

  /** A page that does not say what it replaces is told so. */
  async function withoutTag(): Promise<void> {
    const address = '**/deploy/api/spec';
    await page.route(address, async (route) => {
      const headers = Object.entries(route.request().headers());
      const others = headers.filter(([name]) => name !== 'if-match');
      await route.continue({ headers: Object.fromEntries(others) });
    });
    await press('Save');
    await reads('Unknown specification version');
    await expectAccessible(page);
    await page.unroute(address);
    await press('Load saved version');
    await page.locator('.deploy-failure').waitFor({ state: 'detached' });
  }

  /** A change that is made while the specification is on its way is not saved with it. */
  async function whileSaving(): Promise<void> {
    const address = '**/deploy/api/spec';
    const release = await hold(page, address);
    await Promise.all([page.waitForRequest(address), press('Save')]);
    const name = page.getByLabel('Name', { exact: true }).first();
    await name.fill('later');
    await verdict('valid');
    // The page looks at the specification once more when it is saved.
    const checked = page.waitForRequest('**/deploy/api/validate');
    release();
    await checked;
    await reads('Unsaved changes.');
    await page.unroute(address);
    await name.fill('example');
    await press('Save');
    await reads('Saved as version');
  }

  it('keeps changes beside those of someone else, and asks before a large change', async () => {
    await open();
    await verdict('valid');
    const client = new DeployPage(await on.bed.login());
    expect((await client.putSpec(small, await client.etag())).status).to.equal(200);
    const fewer = { ...small, nodes: small.nodes.filter(({ zone }) => zone < 3) };
    await enter(JSON.stringify({ ...small, proxy: { ...small.proxy, workers: 7 } }));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The specification was changed by another user').waitFor();
    await inspect(watched, 'deploy-changed');
    await page.getByRole('button', { name: 'Overwrite with my version' }).click();
    await page.getByText('Specification saved.').waitFor();
    await withoutTag();
    await whileSaving();
    expect((await client.client.get('/deploy/api/spec')).text).to.include('"workers":7');
    const rings = fewer.rings.map((ring) => ({ ...ring, replicas: 2 }));
    const policies = small.policies.slice(0, 1);
    const two = { ...fewer, policies, rings: rings.filter(({ name }) => name !== 'object-1') };
    await enter(JSON.stringify(two, null, 2));
    await verdict('valid');
    await page.getByRole('button', { name: 'Save and plan' }).click();
    await page.getByText('Change rejected').waitFor();
    await inspect(watched, 'deploy-refused');
  });

  it('has a state for each way in which the service cannot be reached', async () => {
    const token = join(on.folder, 'console-token');
    await writeFile(token, 'another\n');
    await open('?tab=status');
    await reads('Deploy service authentication failed');
    await inspect(watched, 'deploy-refused-login');
    await writeFile(token, '');
    await press('Try again');
    await page.getByText('Could not read the deploy service password').waitFor();
    await inspect(watched, 'deploy-unconfigured');
    await writeFile(token, `${PASSWORD}\n`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('4 of 4').or(page.getByText('3 of 4')).waitFor();
    await on.stopDeploy();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('The deploy service is not responding').first().waitFor();
    await watched.shoot('deploy-unreachable');
    await tab('Specification');
    await page.getByText('The deploy service is not responding').first().waitFor();
    await expectAccessible(page);
    // Another program listens where the service did.
    const other = await serve(
      (_request, response) => response.end('<h1>hello</h1>'),
      '127.0.0.1',
      on.deploy.port,
    );
    try {
      await press('Try again');
      await reads('The deploy service returned an invalid response');
      await expectAccessible(page);
    } finally {
      other.close();
    }
  });
});
