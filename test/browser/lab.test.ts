import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../support/axe.js';
import {
  BROWSER_LIMIT_MS,
  logIn,
  openConsole,
  press,
  tabTo,
  typeInto,
} from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { REAL_CLOCK, startTestBed } from '../console/support/console.js';
import { askStore } from '../console/files/support.js';
import { builtRing, clusterFolder } from '../console/lab/support.js';
import { makeObject } from '../console/lab/tombstones-support.js';
import { removeFolder, useTempFolderOnce } from '../support/temp-folder.js';
import { inspect, saved } from './acts.js';

/** Answers as swift-ring-builder-analyzer does. */
const RING_ANALYZER = `#!/bin/sh
[ "$1" = --check ] && exit 0
printf 'Round 1\\n\\tRebalance 1: moved 768 parts, balance is 0.100000, 0 removed devs\\n'
printf 'Round 2\\n\\tRebalance 1: moved 120 parts, balance is 1.500000, 1 removed devs\\n'
printf '\\tRebalance 2: moved 0 parts, balance is 1.500000, 0 removed devs\\n'
`;

/** Counts, in the page, what paints cells and what copies pixels. */
const COUNT_DRAWING = `
  globalThis.counts = { painted: 0, copied: 0 };
  for (const [name, count] of [['putImageData', 'painted'], ['drawImage', 'copied']]) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      counts[count] += 1;
      return draw.apply(this, given);
    };
  }
`;

describeWith([program('chromium')], 'the pages of the Lab in a browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const ring = builtRing({ partPower: 8, zones: 4, devicesPerZone: 4, weights: [100, 150, 100] });
  const folder = useOnce(() => clusterFolder({ object: ring }), removeFolder);
  const disks = useTempFolderOnce('disks');
  const bed = useOnce(async () => {
    const place = { part: 3, hash: 'a'.repeat(32) };
    const ts = (Date.now() / 1000 - 3600).toFixed(5);
    makeObject(disks(), { ...place, device: 'd0' }, [`${ts}.ts`]);
    makeObject(disks(), { ...place, device: 'd1' }, ['1600000000.00001.data']);
    const analyzer = join(folder(), 'analyzer');
    await writeFile(analyzer, RING_ANALYZER, { mode: 0o755 });
    const paths = { store_dir: folder(), node_root: disks(), ringsim_bin: analyzer };
    return startTestBed({ lab_enabled: true, ...paths }, REAL_CLOCK);
  }, 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');

  afterEach(() => {
    expect(watched().complaints).to.deep.equal([]);
  });

  const open = (path: string) =>
    watched().page.goto(`http://127.0.0.1:${bed().console.port}${path}`);

  it('are found by their tasks, from one entry, and lead back to it', async () => {
    const { page } = watched();
    await page.getByRole('link', { name: 'Lab' }).click();
    const groups = page.getByRole('heading', { level: 2 });
    await page.getByRole('heading', { name: 'Repair', exact: true }).waitFor();
    expect((await groups.allTextContents()).slice(-3)).to.deep.equal([
      ...['Understand', 'Test', 'Repair'],
    ]);
    expect(await page.getByRole('article').count()).to.equal(11);
    const rings = page.getByRole('article').filter({ hasText: 'RingScope' });
    await rings.getByText('live').waitFor();
    await inspect(watched(), 'lab-overview');
    await rings.getByRole('link').click();
    await page.waitForURL('**/lab/rings');
    const back = page.getByRole('banner').getByRole('link', { name: 'Lab' });
    await back.click();
    await rings.waitFor();
  });

  it('shows rings, looks up an object, and tries a change', async () => {
    const { page } = watched();
    await open('/lab/rings');
    await page.getByRole('tabpanel').getByRole('table').waitFor();
    await page.locator('.lab-source').getByText('live').waitFor();
    await inspect(watched(), 'lab-rings');
    await page.getByRole('tab', { name: 'Zones' }).click();
    const zones = page.getByRole('region', { name: 'Regions, zones, servers and devices' });
    await zones
      .locator('canvas')
      .first()
      .hover({ position: { x: 60, y: 280 } });
    await zones
      .getByText(/^(all devices|region 1)/)
      .first()
      .waitFor();
    await expectAccessible(page);
    await zones.scrollIntoViewIfNeeded();
    await watched().shoot('lab-rings-zones');
    await page.getByRole('tab', { name: 'Heat map' }).click();
    await page.getByRole('region', { name: 'Partitions and devices' }).waitFor();
    await expectAccessible(page);
    await page.getByText('Each cell is').scrollIntoViewIfNeeded();
    await watched().shoot('lab-rings-map');
    await lookCloser(page, () => open('/lab/rings?tab=map'));
    // From here on with the keyboard alone, as on the pages below.
    await tabTo(page, page.getByRole('tab', { name: 'Heat map' }));
    await page.keyboard.press('ArrowRight');
    await typeInto(page, page.getByLabel('Account'), 'AUTH_test');
    await typeInto(page, page.getByLabel('Container'), 'photos');
    await typeInto(page, page.getByLabel('Object', { exact: true }), '2026/a.jpg');
    await press(page, page.getByRole('button', { name: 'Look up' }));
    await page.getByRole('region', { name: 'Placement' }).waitFor();
    expect(page.url()).to.include('place=AUTH_test%2Fphotos%2F2026%252Fa.jpg');
    const shown = await page.getByRole('region', { name: 'Placement' }).innerText();
    await inspect(watched(), 'lab-rings-lookup');
    // The address is the view: whoever opens it sees the same.
    await page.reload();
    await page.getByRole('region', { name: 'Placement' }).waitFor();
    expect(await page.getByRole('region', { name: 'Placement' }).innerText()).to.equal(shown);
    await tabTo(page, page.getByRole('tab', { name: 'Look up' }));
    await page.keyboard.press('ArrowRight');
    await typeInto(page, page.getByLabel('Weight of device 3', { exact: true }), '300');
    await typeInto(page, page.getByLabel('Weight of device 4', { exact: true }), '');
    await press(page, page.getByRole('button', { name: 'Simulate' }));
    await page.getByText('Replicas to move').first().waitFor();
    await page.getByText('assuming the ring stores 1.0 TiB').waitFor();
    expect(page.url()).to.include('weights=3%3A300%2C4%3A');
    await page.getByRole('heading', { name: 'Swift ring builder' }).waitFor();
    await page.getByText('RingScope: ').waitFor();
    await inspect(watched(), 'lab-rings-whatif');
    await page.getByRole('button', { name: 'Send to Deploy' }).click();
    await page.getByText('Set deploy_upstream in the console configuration').waitFor();
  });

  /** Moves in the heat map: what moves it copies pixels, and paints no cell again. */
  const lookCloser = async (page: Page, reopen: () => Promise<unknown>): Promise<void> => {
    await reopen();
    const chart = page.getByRole('region', { name: 'Partitions and devices' });
    await chart.locator('canvas').first().waitFor();
    await page.evaluate(COUNT_DRAWING);
    let answers = 0;
    page.on('response', (answer) => {
      if (answer.url().includes('/map?')) answers += 1;
    });
    await page.getByRole('group', { name: /^Map:/ }).focus();
    for (const key of ['+', '+', 'ArrowDown', 'ArrowRight', '-']) await page.keyboard.press(key);
    await page.waitForURL(/view=\d+-128-\d+-8/);
    await page.getByText('Each cell is 1 partition on 1 device').waitFor();
    const counts = await page.evaluate<{ painted: number; copied: number }>('counts');
    expect(counts.copied).to.be.greaterThan(0);
    // Cells are painted when their counts have come, once.
    expect(counts.painted).to.be.at.most(answers);
    await chart.hover({ position: { x: 300, y: 200 } });
    await page.getByText(/^Partition \d+, 10\.0\.\d\.\d\/d\d+: (0 replicas|1 replica)$/).waitFor();
    const url = page.url();
    const shown = await chart.locator('text').allInnerTexts();
    await page.reload();
    await chart.locator('canvas').first().waitFor();
    expect(page.url()).to.equal(url);
    expect(await chart.locator('text').allInnerTexts()).to.deep.equal(shown);
    const svg = page.getByRole('button', { name: 'Download SVG: Partitions and devices' });
    const picture = (await saved(page, svg)).bytes.toString('utf8');
    expect(picture).to.match(/<image [^>]*href="data:image\/png;base64,/);
    expect(picture).to.not.include('foreignObject');
    await page.getByText('Each cell is').scrollIntoViewIfNeeded();
    await watched().shoot('lab-rings-map-closer');
  };

  it('compares policies with the keyboard alone', async () => {
    const { page } = watched();
    await open('/lab/policies');
    await page.getByRole('region', { name: 'Policies' }).waitFor();
    const hours = page.getByLabel('Hours to restore a lost replica');
    await typeInto(page, hours, '48');
    await page.keyboard.press('Enter');
    await page.getByText('a lost replica is restored after 48 h').waitFor();
    // The address is the view.
    expect(page.url()).to.match(/\?mttr=48$/);
    await page.reload();
    await page.getByText('a lost replica is restored after 48 h').waitFor();
    await page.getByText('Writable after losing a server').waitFor();
    const refused = page.getByText('Could not create a container with this policy.');
    expect(await refused.count()).to.equal(0);
    // The names of the policies are those of another store.
    await press(page, page.locator('summary', { hasText: 'Measure cluster policies' }));
    await press(page, page.getByRole('button', { name: 'Compare and measure' }));
    await refused.first().waitFor();
    await inspect(watched(), 'lab-policies');
    const download = page.waitForEvent('download');
    await press(page, page.getByRole('button', { name: 'Download JSON: Storage overhead' }));
    const rows: unknown = JSON.parse(await readFile(await (await download).path(), 'utf8'));
    expect(rows).to.be.an('array').with.length(4);
  });

  it('says what to set where nothing is configured, and asks for nothing in vain', async () => {
    const { page } = watched();
    const bare = await startTestBed({ lab_enabled: true }, REAL_CLOCK);
    try {
      await page.goto(`http://127.0.0.1:${bare.console.port}/`);
      await logIn(page);
      for (const [name, key] of [
        ['rings', 'store_dir'],
        ['policies', 'store_dir'],
        ['genome', 'store_dir'],
        ['tombstones', 'node_root'],
      ]) {
        await page.goto(`http://127.0.0.1:${bare.console.port}/lab/${name}`);
        await page.getByText(`Set ${key} in the console's configuration.`).waitFor();
        await page.locator('.lab-source').getByText('unavailable').waitFor();
      }
      await expectAccessible(page);
    } finally {
      // A page that is open would notice the end of its stream of events.
      await page.goto('about:blank');
      await bare.close();
    }
    await open('/');
    await logIn(page);
  });

  it('captures an object, and verifies the capsule that was downloaded', async () => {
    const { page } = watched();
    const store = await askStore(bed().store);
    await store('PUT', 'photos');
    await store('PUT', 'photos/a.txt', {}, 'hello');
    await open('/lab/capsule');
    await typeInto(page, page.getByLabel('Container', { exact: true }), 'photos');
    await typeInto(page, page.getByLabel('Object', { exact: true }), 'a.txt');
    await press(page, page.getByRole('button', { name: 'Capture object' }));
    await page.getByRole('region', { name: 'Replicas' }).waitFor();
    expect(page.url()).to.include('capture=');
    await inspect(watched(), 'lab-capsule');
    const download = page.waitForEvent('download');
    await press(page, page.getByRole('button', { name: 'Download capsule' }));
    const file = await (await download).path();
    await page.locator('input[name=capsule]').setInputFiles(file);
    await page.getByText('signed by a trusted key').waitFor();
    await expectAccessible(page);
    const changed = await readFile(file);
    changed[changed.indexOf('hello')] = 0x6a;
    const other = { name: 'b.capsule', mimeType: 'application/zip', buffer: changed };
    await page.locator('input[name=capsule]').setInputFiles(other);
    await page.getByText('body: its bytes are not those that were written.').waitFor();
    await watched().shoot('lab-capsule-changed');
  });

  it('scans disks for deleted objects, and explains one', async () => {
    const { page } = watched();
    await open('/lab/tombstones');
    await press(page, page.getByRole('button', { name: 'Scan disks' }));
    await page.getByRole('region', { name: 'Exhibits' }).waitFor();
    await press(page, page.getByRole('button', { name: 'a'.repeat(32) }));
    await page.getByText('Older data on d1').first().waitFor();
    await inspect(watched(), 'lab-tombstones');
    // The address is the view.
    await page.reload();
    await page.getByText('Older data on d1').first().waitFor();
  });

  it('searches weights, and shows what it found', async () => {
    const { page } = watched();
    await open('/lab/genome');
    await typeInto(page, page.getByRole('spinbutton', { name: /^Candidates/ }), '8');
    await typeInto(page, page.getByLabel('Generations'), '3');
    await press(page, page.getByRole('button', { name: 'Search', exact: true }));
    await page.getByRole('button', { name: 'Download commands' }).waitFor();
    await inspect(watched(), 'lab-genome');
    expect(page.url()).to.include('run=');
    // The same seed has the same candidates: the last one has other weights than the ring.
    const candidates = page.getByRole('table', { name: 'Candidates' });
    await press(page, candidates.getByRole('button', { name: /^Candidate/ }).last());
    const link = page.getByRole('link', { name: 'Simulate in RingScope' });
    expect(await link.getAttribute('href')).to.match(/^\/lab\/rings\?ring=object&.*weights=\d/);
    await press(page, link);
    await page.getByText('Replicas to move').first().waitFor();
    expect(page.url()).to.include('weights=');
    await page.getByRole('button', { name: 'Send to Deploy' }).waitFor();
  });
});
