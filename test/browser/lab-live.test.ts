import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSocket } from 'node:dgram';
import { expect } from 'chai';
import { expectAccessible } from '../support/axe.js';
import { BROWSER_LIMIT_MS, openConsole } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { freePort } from '../support/free-port.js';
import { describeWith, program } from '../support/needs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { REAL_CLOCK, startTestBed } from '../console/support/console.js';
import { startPeerShim, startReconCluster } from '../console/lab/support.js';
import { inspect } from './acts.js';

describeWith([program('chromium')], 'the pages of the Lab that watch a cluster', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const cluster = useOnce(startReconCluster, 'close');
  const statsd = useOnce(freePort);
  const bed = useOnce(() => {
    // The console looks when it starts.
    const nowS = Date.now() / 1000;
    Object.assign(cluster().answers, {
      time: nowS,
      async: { async_pending: 90_000, async_pending_last: nowS - 120 },
      quarantined: { accounts: 0, containers: 0, objects: 4000, policies: {} },
      'replication/object': { object_replication_time: 1, object_replication_last: nowS - 900 },
    });
    const keys = { lab_enabled: true, statsd_listen: `127.0.0.1:${statsd()}` };
    return startTestBed({ ...keys, ...cluster().config }, REAL_CLOCK);
  }, 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');

  afterEach(() => {
    expect(watched().complaints).to.deep.equal([]);
  });

  const open = (path: string) =>
    watched().page.goto(`http://127.0.0.1:${bed().console.port}${path}`);

  it('shows the repair debt, of what it is made, and what is unknown', async () => {
    const { page } = watched();
    await open('/lab/debt');
    const table = page.getByRole('table', { name: 'Components' });
    await table.waitFor();
    const row = table.getByRole('row', { name: /^Pending updates/ });
    expect(await row.innerText()).to.include('30 min 0 s');
    expect(await row.innerText()).to.include('swift-recon-cron');
    const disks = await table.getByRole('row', { name: /^Disks above/ }).innerText();
    expect(disks).to.include('unknown').and.not.match(/\b0\b/);
    await page.getByText('Check that the object-updater is running.').waitFor();
    await inspect(watched(), 'lab-debt');
  });

  it('shows where the time goes, hollow where nothing is measured, and what changed', async () => {
    const { page } = watched();
    const socket = createSocket('udp4');
    const lines = (ms: number) =>
      [
        `proxy-server.object.PUT.201.timing:${ms + 12}|ms`,
        `object-server.PUT.timing:${ms}|ms`,
        'container-server.PUT.timing:2|ms',
      ].join('\n');
    const send = (ms: number) =>
      new Promise((resolve) => {
        socket.send(lines(ms), statsd(), '127.0.0.1', resolve);
      });
    try {
      await open('/lab/profilemap');
      const stages = page.getByRole('table', { name: 'Stages' });
      const server = stages.getByRole('row', { name: /^Object server: PUT/ });
      await server.getByText('not measured').waitFor();
      const shows = async (ms: number, text: string) => {
        for (;;) {
          await send(ms);
          await page.getByRole('button', { name: 'Refresh' }).click();
          await stages.waitFor();
          if ((await server.innerText()).includes(text)) return;
        }
      };
      await shows(4, '4 ms');
      await page.getByRole('button', { name: 'Start measuring' }).click();
      await page.getByRole('region', { name: 'Before and after' }).waitFor();
      await shows(54, '54 ms');
      expect(await server.innerText()).to.match(/54 ms[^]*4 ms/);
      await page.getByRole('row', { name: /^Sync/ }).getByText('not measured').waitFor();
      await page.getByRole('button', { name: 'Send pulse' }).click();
      await page.getByText('Client p95').waitFor();
      await inspect(watched(), 'lab-profilemap');
    } finally {
      socket.close();
    }
  });
});

describeWith([program('chromium')], 'Observatory and Shadow in a browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const root = useTempFolderOnce('shadow');
  const peer = useOnce(startPeerShim, 'close');
  const bed = useOnce(() => {
    const keys = {
      shadow_peer_base: peer().origin,
      shadow_peer_auth: `${peer().origin}/auth/v1.0`,
    };
    return startTestBed({ lab_enabled: true, shadow_root: root(), ...keys }, REAL_CLOCK);
  }, 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');

  before(() => {
    peer().target = bed().store.origin;
  });

  it('writes objects, shows their course, and keeps it when the run is ended', async () => {
    const { page } = watched();
    await page.goto(`http://127.0.0.1:${bed().console.port}/lab/expired`);
    await page.getByRole('spinbutton', { name: /^Objects/ }).fill('3');
    await page.getByLabel('First expiry').fill('2');
    await page.getByLabel('Interval between expiries').fill('1');
    await page.getByRole('button', { name: 'Start observation' }).click();
    const objects = page.getByRole('table', { name: 'Objects' });
    await objects.getByRole('row', { name: /^00.*Logically Expired/ }).waitFor();
    await page.getByText('X-Open-Expired requires Swift 2.34').waitFor();
    await page.getByRole('region', { name: 'Object timeline' }).waitFor();
    await inspect(watched(), 'lab-expired');
    // The run goes on without the page.
    await page.reload();
    await page.getByRole('button', { name: 'Stop and keep results' }).click();
    await page.getByText('done', { exact: true }).first().waitFor();
    await page.getByText('excluded from the times').waitFor();
    expect(watched().complaints).to.deep.equal([]);
  });

  it('compares two stores, shows what differs, and sends it again', async () => {
    const { page } = watched();
    await page.goto(`http://127.0.0.1:${bed().console.port}/lab/shadow`);
    // Control requests have one HEAD.
    peer().passes = 1;
    await page.getByLabel('Cases').fill('1');
    await page.getByRole('button', { name: 'Start' }).click();
    const findings = page.getByRole('table', { name: 'Findings' });
    await findings.getByText('200 and 203').waitFor();
    await page.getByText('done', { exact: true }).first().waitFor();
    await page.getByRole('table', { name: 'Verdicts by method' }).waitFor();
    await inspect(watched(), 'lab-shadow');
    await findings.getByRole('button', { name: 'View' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('peer: 203').waitFor();
    await dialog.getByRole('button', { name: 'Replay case' }).click();
    await dialog.getByText('Step 2: semantic (status: 200 and 203)').waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    const hidden = await dialog
      .locator('pre')
      .evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    expect(Math.max(...hidden), 'pixels of an answer beyond its frame').to.equal(0);
    await watched().shoot('lab-shadow-finding');
    expect(watched().complaints).to.deep.equal([]);
  });
});

describeWith([program('chromium')], 'the page of benchmarks in a browser', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const home = useTempFolderOnce('benchmarks');
  const bed = useOnce(async () => {
    await mkdir(join(home(), 'profiles'));
    const profile = { title: 'Small objects', description: 'GET and PUT of 1 KiB.' };
    await writeFile(join(home(), 'profiles', 'small.json'), JSON.stringify(profile));
    // The second run is faster than the first one.
    const row =
      '{"op":"\'$op\'","bytes":1024,"concurrency":4,"ops":900,"errors":0,"ops_per_s":\'$n\'00,"p50_ms":1.2,"p95_ms":2,"p99_ms":3}';
    const script = `#!/bin/sh
echo run >> ${home()}/count
n=$(wc -l < ${home()}/count)
op=get-1k; a='${row}'
op=put-1k; b='${row}'
echo '{"rows":['"$a,$b"']}' > "$4/result.json"
echo "get-1k c=4 $n"
read line < ${home()}/go
echo "$line"
`;
    await writeFile(join(home(), 'runner'), script);
    await chmod(join(home(), 'runner'), 0o755);
    await writeFile(join(home(), 'go'), 'all is measured\n');
    const keys = { benchmark_bin: join(home(), 'runner'), benchmark_home: home() };
    return startTestBed({ test_enabled: true, ...keys }, REAL_CLOCK);
  }, 'close');
  const watched = useOnce(() => openConsole(bed()), 'close');

  it('runs a profile with live output, and compares it with a former run', async () => {
    const { page } = watched();
    await page.goto(`http://127.0.0.1:${bed().console.port}/benchmarks`);
    for (const run of [1, 2]) {
      await page.getByRole('button', { name: 'Run Small objects' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
      await page.getByRole('log').getByText(`get-1k c=4 ${run}`).waitFor();
      await page.getByText('all is measured').waitFor();
      await page
        .getByRole('row', { name: /^get-1k/ })
        .getByText(`${run}00`, { exact: true })
        .waitFor();
      await page.getByRole('button', { name: 'Run Small objects', disabled: false }).waitFor();
    }
    await page.getByRole('region', { name: 'Operations per second', exact: true }).waitFor();
    await inspect(watched(), 'benchmarks');
    // The address is the view.
    await page.reload();
    await page.getByText('all is measured').waitFor();
    expect(watched().complaints).to.deep.equal([]);
  });
});
