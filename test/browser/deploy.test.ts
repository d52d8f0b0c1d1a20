import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { DeployPage } from '../console/deploy/support.js';
import type { Spec } from '../../src/deploy/spec/schema.js';
import { small as base } from '../deploy/service-support.js';
import { expectAccessible } from '../support/axe.js';
import { ALL_SIZES, BROWSER_LIMIT_MS } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { until } from '../support/until.js';
import {
  deployActs,
  expectNoComplaints,
  openDeployScreen,
  type DeployScreen,
} from './deploy-page.js';
import { inspect, saved } from './acts.js';

describeWith([program('chromium')], 'the page of Deploy in a browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const screen = useOnce(openDeployScreen, 'close');
  let on: DeployScreen['on'];
  let watched: DeployScreen['watched'];
  let page: Page;
  let small: Spec;

  const {
    json,
    open,
    tab,
    press,
    reads,
    enter,
    jsonHas,
    verdict,
    isRun,
    confirm,
    tabTo,
    fieldSays,
  } = deployActs(() => screen());

  before(() => {
    ({ on, watched } = screen());
    ({ page } = watched);
    small = on.recon.on(base);
  });

  afterEach(() => {
    expectNoComplaints(watched);
  });

  it('begins with nothing, and keeps form and JSON in step', async () => {
    await open();
    await page.getByText('No cluster specification yet').waitFor();
    await inspect(watched, 'deploy-empty');
    await page.getByRole('button', { name: 'Start with three nodes' }).click();
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
    await page.getByText('Invalid JSON.').waitFor();
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
    const nodes = wrong.nodes as unknown as { name: string; storage_ip: string; zone: number }[];
    nodes[0]!.name = hostile;
    nodes[1]!.storage_ip = '$(reboot)';
    nodes[2]!.zone = 0;
    const rings = wrong.rings as unknown as { name: string; part_power: unknown }[];
    rings[0]!.part_power = 'eight';
    rings[1]!.name = 'account';
    await enter(JSON.stringify({ ...wrong, cluster: '', [hostile]: 1 }, null, 2));
    await verdict('problems');
    const list = page.locator('.deploy-problem-list');
    for (const [place, what] of [
      ['nodes 1, name', 'expected a name'],
      ['nodes 2, storage_ip', 'expected an IPv4 or IPv6 address'],
      ['nodes 3, zone', 'expected a whole number from 1 to 65535'],
      ['rings 1, part_power', 'expected a whole number from 0 to 24'],
      ['rings 2, name', 'expected each ring once'],
      ['<img src=x', 'expected a key that exists'],
    ] as const) {
      await list.locator('li', { hasText: place }).filter({ hasText: what }).first().waitFor();
    }
    // At their places in the form, and at their lines in the JSON.
    for (const label of ['Ring 1: Part power', 'Ring 2: Name']) {
      const [isInvalid, said] = await fieldSays(label);
      expect([label, isInvalid, said.includes('expected')]).to.deep.equal([label, 'true', true]);
    }
    // Sections that are closed say how much is wrong within.
    await page
      .locator('.deploy-section > summary', { hasText: 'Rings4' })
      .getByText('2 problems')
      .waitFor();
    expect(await page.locator('.deploy-gutter mark').count()).to.be.at.least(6);
    await list.getByRole('button', { name: 'cluster' }).click();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).to.equal(
      'Name',
    );
    await page.locator('.deploy-node .badge').first().waitFor();
    await list.getByText('nodes 1, name').click();
    await inspect(watched, 'deploy-problems', ALL_SIZES);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await list.getByText('nodes 1, name').waitFor();
    // A mistake in the form is as wrong as one in the JSON.
    await enter(JSON.stringify(small, null, 2));
    await verdict('valid');
    await page.locator('summary', { hasText: 'Rings' }).click();
    const power = page.getByLabel('Ring 1: Part power');
    await power.fill('99');
    await verdict('1 problem');
    expect((await fieldSays('Ring 1: Part power'))[1]).to.include('from 0 to 24');
    await jsonHas('"part_power": 99');
    await power.fill('four');
    await jsonHas('"part_power": "four"');
    await list.getByText('rings 1, part_power').waitFor();
    await power.fill('4');
    await verdict('valid');
    expect((await fieldSays('Ring 1: Part power'))[0]).to.equal(null);
  });

  it('leads from the specification to a plan and to a run, also with the keyboard alone', async () => {
    await tabTo('Specification as JSON');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(JSON.stringify(small, null, 2));
    await verdict('valid');
    await watched.shoot('deploy-spec', ALL_SIZES);
    await tabTo('Save and plan');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Summary' }).waitFor();
    await page.getByRole('region', { name: 'Ring changes' }).waitFor();
    await inspect(watched, 'deploy-plan', ALL_SIZES);
    const address = page.url();
    expect(address).to.match(/tab=plan&plan=[0-9a-f]+/);
    await page.reload();
    await page.getByRole('tab', { name: 'container' }).click();
    await page.getByRole('heading', { name: 'container devices' }).waitFor();
    await reads('container balance by device');
    on.driver.waitsAt = 'node2';
    await tabTo('Apply…');
    await page.keyboard.press('Enter');
    await page.getByLabel('Type the cluster name').waitFor();
    // The question has the focus where its answer is typed.
    await page.keyboard.type('other');
    await page.keyboard.press('Enter');
    await page.getByText('The cluster name does not match.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('example');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('node1').first().waitFor();
    await until(() => on.driver.release !== undefined);
    await page.locator('.deploy-node-state[data-state="running"]', { hasText: 'node2' }).waitFor();
    await inspect(watched, 'deploy-run', ALL_SIZES);
    // The run is the service's: a page that is loaded again has all of it.
    await page.reload();
    await page.getByRole('log').getByText('node1').first().waitFor();
    await page.locator('.deploy-node-state[data-state="running"]', { hasText: 'node2' }).waitFor();
  });

  it('shows who holds the lock, cancels between two nodes, and retries', async () => {
    const second = new DeployPage(await on.bed.login());
    const other = (await second.plan({ seed: 5 })).json() as { id: string };
    await open(`?tab=plan&plan=${other.id}`);
    await press('Apply…');
    await confirm();
    await page.getByText('Another run is in progress').first().waitFor();
    await page.getByText('Locked by deploy').waitFor();
    await inspect(watched, 'deploy-locked');
    await page.getByRole('button', { name: 'View run' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('The run stops after the current step.').waitFor();
    on.driver.waitsAt = undefined;
    on.driver.release?.();
    await page.getByText('Completed steps are kept.').waitFor();
    await press('Create new plan');
    await page.getByRole('heading', { name: 'Summary' }).waitFor();
    on.driver.failsAt = 'node3';
    await press('Apply…');
    await confirm();
    await page.getByText('Only some nodes have the new files').waitFor();
    await inspect(watched, 'deploy-partial');
    on.driver.failsAt = undefined;
    // One node at first, and then all others.
    await press('Retry node3');
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    await reads('Retry of an earlier run');
    await reads('Not retried: node4.');
    await page.locator('.deploy-node-state[data-state="staged"]', { hasText: 'node3' }).waitFor();
    await inspect(watched, 'deploy-retried');
    await press('Retry remaining nodes');
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    await isRun('succeeded');
    await page.getByRole('heading', { name: 'Commands to run manually' }).waitFor();
    await watched.shoot('deploy-done');
    // The plan of before is another one's by now.
    await open(`?tab=plan&plan=${other.id}`);
    await press('Apply…');
    await confirm();
    await reads('The plan is out of date');
    await inspect(watched, 'deploy-stale');
    await press('Create new plan');
    await reads('No changes to apply');
  });

  it('lists the files of a run, and has each of them without its secrets', async () => {
    await tab('Apply');
    await press('List files');
    await page.getByRole('combobox', { name: /^Node/ }).selectOption('node2');
    await page.getByLabel('Only files changed by this run').check();
    const button = page.getByRole('button', { name: 'Download etc/swift/swift.conf from node2' });
    const { name, bytes } = await saved(page, button);
    expect(name).to.equal('swift.conf');
    const content = bytes.toString('utf8');
    expect(content).to.include('swift_hash_path_prefix = {{secret hash-prefix}}');
    expect(content).not.to.include('prefix%1');
    await inspect(watched, 'deploy-files');
  });

  it('tells drift by file, and goes back to what was', async () => {
    await tab('Status');
    await page.getByText('4 of 4').waitFor();
    await writeFile(join(on.folder, 'nodes/node3/etc/swift/swift.conf'), 'changed\n');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.locator('td code', { hasText: 'etc/swift/swift.conf' }).waitFor();
    await inspect(watched, 'deploy-status', ALL_SIZES);
    const client = new DeployPage(await on.bed.login());
    const otherWorkers = { ...small, proxy: { ...small.proxy, workers: 5 } };
    expect((await client.putSpec(otherWorkers, await client.etag())).status).to.equal(200);
    await on.deploy.deploy('second');
    await tab('History');
    const rollBack = page.getByRole('button', { name: /^Roll back/ });
    await rollBack.nth(1).waitFor();
    await expectAccessible(page);
    await page.getByRole('cell', { name: 'test:tester' }).first().waitFor();
    await watched.shoot('deploy-history', ALL_SIZES);
    await rollBack.nth(1).click();
    await page.getByRole('button', { name: 'Create plan' }).click();
    await page.locator('.deploy-line.added', { hasText: 'workers = 1' }).waitFor();
    await page.locator('.deploy-line.removed', { hasText: 'workers = 5' }).waitFor();
    // A node that is down: the plan says so, the run stops there, and what it has left is taken back.
    on.driver.away.add('node2');
    await press('Create new plan');
    await reads(
      'Could not check node2: no route to host. Applying the plan will stop at this node.',
    );
    await watched.shoot('deploy-down');
    await press('Apply…');
    await confirm();
    await reads('Only some nodes have the new files');
    on.driver.away.clear();
    await tab('History');
    await page
      .getByRole('row', { name: /succeeded/ })
      .first()
      .getByRole('button', { name: /^Roll back/ })
      .click();
    await press('Create plan');
    await reads(
      'node1 has files from a run that did not succeed. Applying the plan replaces them.',
    );
    await press('Apply…');
    await confirm();
    await isRun('succeeded');
    // The change by hand on node3 is still there.
    await tab('Status');
    await reads('3 of 4');
    await press('Plan repair');
    await press('Apply…');
    await confirm();
    await isRun('succeeded');
    await tab('Status');
    await reads('4 of 4');
  });
});
