import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { REAL_CLOCK } from '../console/support/console.js';
import { DeployPage, startDeployBed, type DeployBed } from '../console/deploy/support.js';
import type { Spec } from '../../src/deploy/spec/schema.js';
import { PASSWORD, small as base } from '../deploy/service-support.js';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS, logIn, openPage, type Watched } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { describeWith, program } from '../support/needs.js';
import { until } from '../support/until.js';

describeWith([program('chromium')], 'the page of Deploy in a browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  let on: DeployBed;
  let watched: Watched;
  let page: Page;
  let small: Spec;

  before(async () => {
    on = await startDeployBed(REAL_CLOCK);
    small = on.recon.on(base);
    watched = await openPage();
    page = watched.page;
    await page.goto(`http://127.0.0.1:${on.bed.console.port}/`);
    await logIn(page);
  });

  after(async () => {
    await watched.close();
    await on.close();
  });

  afterEach(() => {
    // Refusals are part of the flow: Chromium writes each answer above 399 to its console.
    const unexpected = watched.complaints.filter(
      (text) => !text.includes('Failed to load resource'),
    );
    expect(unexpected).to.deep.equal([]);
    watched.complaints.splice(0);
  });

  const open = (search = '') =>
    page.goto(`http://127.0.0.1:${on.bed.console.port}/deploy${search}`);
  const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
  const json = () => page.getByLabel('Specification as JSON');
  const enter = (text: string) => json().fill(text);
  const jsonHas = (text: string) =>
    eventually(
      () => json().inputValue(),
      (value) => value.includes(text),
    );
  const verdict = (text: string) =>
    page
      .getByRole('status')
      .getByText(text)
      .or(page.locator('.deploy-bar .badge', { hasText: text }))
      .first()
      .waitFor();

  it('begins with nothing, and keeps form and JSON in step', async () => {
    await open();
    await page.getByText('No cluster is described yet').waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-empty');
    await page.getByRole('button', { name: 'Begin with three nodes' }).click();
    await verdict('valid');
    await page.getByLabel('Name', { exact: true }).first().fill('photos');
    await jsonHas('"cluster": "photos"');
    const text = await json().inputValue();
    await enter(text.replace('"photos"', '"example"'));
    await eventually(
      () => page.getByLabel('Name', { exact: true }).first().inputValue(),
      (value) => value === 'example',
    );
    await enter('{');
    await page.getByText('This is not JSON yet.').waitFor();
    // Nothing is saved of it.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('TEXTAREA');
  });

  it('draws nothing for each line of a long text that is put in', async () => {
    await page.evaluate(`
      globalThis.drawn = 0;
      new MutationObserver((all) => { drawn += all.length; })
        .observe(document.querySelector('.deploy-form'), { childList: true });
      globalThis.heard = 0;
      document.querySelector('.deploy-json textarea').addEventListener('input', () => { heard += 1; });`);
    const [first] = small.nodes;
    const nodes = Array.from({ length: 200 }, (_, at) => ({ ...first, name: `n${at}` }));
    await enter(JSON.stringify({ ...small, nodes }, null, 2));
    await page.locator('.deploy-node', { hasText: 'n199' }).waitFor();
    expect(await page.evaluate('[heard, drawn]')).to.deep.equal([1, 1]);
    // Who types has the other side follow, and keeps the place in the field.
    const name = page.getByLabel('Name', { exact: true }).first();
    await name.press('End');
    await name.pressSequentially('-2');
    await jsonHas('"cluster": "example-2"');
  });

  it('shows all that is wrong at once, at its places, whatever names say', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202egpj';
    const wrong = structuredClone(small) as Record<string, never> & typeof small;
    const nodes = wrong.nodes as unknown as { name: string; storage_ip: string }[];
    nodes[0]!.name = hostile;
    nodes[1]!.storage_ip = '$(reboot)';
    await enter(JSON.stringify({ ...wrong, cluster: '', [hostile]: 1 }, null, 2));
    await verdict('problems');
    const list = page.locator('.deploy-problem-list');
    await list.getByText('nodes 1, name').waitFor();
    await list.getByText('nodes 2, storage_ip').waitFor();
    await list.getByRole('button', { name: 'cluster' }).click();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).to.equal(
      'Name',
    );
    await page.locator('.deploy-node .badge').first().waitFor();
    await list.getByText('nodes 1, name').click();
    await expectAccessible(page);
    await watched.shoot('deploy-problems', ALL_SIZES);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await list.getByText('nodes 1, name').waitFor();
  });

  it('leads from the specification to a plan, and from a plan to a run', async () => {
    await enter(JSON.stringify(small, null, 2));
    await verdict('valid');
    await watched.shoot('deploy-spec', ALL_SIZES);
    await page.getByRole('button', { name: 'Save and plan' }).click();
    await page.getByRole('heading', { name: 'In short' }).waitFor();
    await page.getByRole('region', { name: 'Rings of the plan' }).waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-plan', ALL_SIZES);
    const address = page.url();
    expect(address).to.match(/tab=plan&plan=[0-9a-f]+/);
    await page.reload();
    await page.getByRole('tab', { name: 'container' }).click();
    await page.getByRole('heading', { name: 'Devices of container' }).waitFor();
    on.driver.waitsAt = 'node2';
    await page.getByRole('button', { name: 'Apply…' }).click();
    const typed = page.getByLabel('Type the name of the cluster');
    await typed.fill('other');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the name of the cluster.').waitFor();
    await expectAccessible(page);
    await typed.fill('example');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('node1').first().waitFor();
    await until(() => on.driver.release !== undefined);
    await page.locator('.deploy-node-state[data-state="running"]', { hasText: 'node2' }).waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-run', ALL_SIZES);
    // The run is the service's: a page that is loaded again has all of it.
    await page.reload();
    await page.getByRole('log').getByText('node1').first().waitFor();
    await page.locator('.deploy-node-state[data-state="running"]', { hasText: 'node2' }).waitFor();
  });

  it('shows who holds the lock, cancels between two nodes, and retries', async () => {
    const second = new DeployPage(await on.bed.login());
    const other = (await second.plan({ seed: 5 })).json() as { id: string };
    await open(`?tab=plan&plan=${other.id}`);
    await page.getByRole('button', { name: 'Apply…' }).click();
    await page.getByLabel('Type the name of the cluster').fill('example');
    await page.keyboard.press('Enter');
    await page.getByText('Another run is under way').first().waitFor();
    await page.getByText('It is held by deploy').waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-locked');
    await page.getByRole('button', { name: 'Show that run' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('The run ends after the step that is under way.').waitFor();
    on.driver.waitsAt = undefined;
    on.driver.release?.();
    await page.getByText('What was done stays.').waitFor();
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.getByRole('heading', { name: 'In short' }).waitFor();
    on.driver.failsAt = 'node3';
    await page.getByRole('button', { name: 'Apply…' }).click();
    await page.getByLabel('Type the name of the cluster').fill('example');
    await page.keyboard.press('Enter');
    await page.getByText('Some nodes have the new files, others do not').waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-partial');
    on.driver.failsAt = undefined;
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.getByRole('button', { name: 'Apply…' }).click();
    await page.getByLabel('Type the name of the cluster').fill('example');
    await page.keyboard.press('Enter');
    await page.locator('.deploy-bar .badge', { hasText: 'succeeded' }).waitFor();
    await page.getByRole('heading', { name: 'For you to run' }).waitFor();
    await watched.shoot('deploy-done');
  });

  it('tells drift by file, and goes back to what was', async () => {
    await tab('Status');
    await page.getByText('4 of 4').waitFor();
    await writeFile(join(on.folder, 'nodes/node3/etc/swift/swift.conf'), 'changed\n');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.locator('td code', { hasText: 'etc/swift/swift.conf' }).waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-status', ALL_SIZES);
    const client = new DeployPage(await on.bed.login());
    const otherWorkers = { ...small, proxy: { ...small.proxy, workers: 5 } };
    expect((await client.putSpec(otherWorkers, await client.etag())).status).to.equal(200);
    await on.deploy.deploy('second');
    await tab('History');
    await page
      .getByRole('button', { name: /^Go back to it/ })
      .nth(1)
      .waitFor();
    await expectAccessible(page);
    await page.getByRole('cell', { name: 'test:tester' }).first().waitFor();
    await watched.shoot('deploy-history', ALL_SIZES);
    await page
      .getByRole('button', { name: /^Go back to it/ })
      .nth(1)
      .click();
    await page.getByRole('button', { name: 'Make the plan' }).click();
    await page.locator('.deploy-line.added', { hasText: 'workers = 1' }).waitFor();
    await page.locator('.deploy-line.removed', { hasText: 'workers = 5' }).waitFor();
  });

  it('keeps changes beside those of someone else, and asks before a large change', async () => {
    await open();
    await verdict('valid');
    const client = new DeployPage(await on.bed.login());
    expect((await client.putSpec(small, await client.etag())).status).to.equal(200);
    const fewer = { ...small, nodes: small.nodes.filter(({ zone }) => zone < 3) };
    await enter(JSON.stringify({ ...small, proxy: { ...small.proxy, workers: 7 } }));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The specification was changed by someone else').waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-changed');
    await page.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByText('The specification is saved.').waitFor();
    expect((await client.client.get('/deploy/api/spec')).text).to.include('"workers":7');
    const rings = fewer.rings.map((ring) => ({ ...ring, replicas: 2 }));
    const policies = small.policies.slice(0, 1);
    const two = { ...fewer, policies, rings: rings.filter(({ name }) => name !== 'object-1') };
    await enter(JSON.stringify(two, null, 2));
    await verdict('valid');
    await page.getByRole('button', { name: 'Save and plan' }).click();
    await page.getByText('The change is refused').waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-refused');
  });

  it('has a state for each way in which the service cannot be reached', async () => {
    await writeFile(join(on.folder, 'token'), '', { mode: 0o600 });
    await open('?tab=status');
    await page.getByText('The password of the deploy service cannot be read').waitFor();
    await expectAccessible(page);
    await watched.shoot('deploy-unconfigured');
    await writeFile(join(on.folder, 'token'), `${PASSWORD}\n`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('4 of 4').or(page.getByText('3 of 4')).waitFor();
    await on.stopDeploy();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('The deploy service does not answer').first().waitFor();
    await watched.shoot('deploy-unreachable');
    await tab('Specification');
    await page.getByText('The deploy service does not answer').first().waitFor();
    await expectAccessible(page);
  });
});
