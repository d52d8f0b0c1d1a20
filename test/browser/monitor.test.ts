import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { REAL_CLOCK, startTestBed } from '../console/support/console.js';
import { MONITOR } from '../../console/surfaces/monitor/surface.js';
import { expectAccessible } from '../support/axe.js';
import { BROWSER_LIMIT_MS, logIn, openMonitor } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { startService } from '../support/service.js';
import { inspect, saved } from './acts.js';

const REQUESTS = 40;
const EVIL = '<img src=x onerror=alert(1)>';
const REQUEST_ID = 'tx0123456789abcdef01234-006703abcd';

describeWith([program('chromium')], 'Monitor in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const service = useOnce(startService, 'kill9');
  const bed = useOnce(() => {
    const overrides = { admin_url: service().adminEndpoint, recon_interval_s: 1 };
    return startTestBed(overrides, REAL_CLOCK);
  }, 'close');
  const watched = useOnce(openMonitor, 'close');
  let page: Page;

  before(() => {
    page = watched().page;
    page.setDefaultTimeout(BROWSER_LIMIT_MS / 2);
  });

  const tile = (id: string) => page.locator(`[data-tile=${id}]`);
  const tab = (name: string) => page.getByRole('tab', { name });

  /** Requests without a signature: refused and counted. */
  const work = async () => {
    for (let i = 0; i < REQUESTS; i++) {
      const answer = await fetch(`${service().endpoint}/photos/${i}.jpg`);
      await answer.body?.cancel();
      expect(answer.status).to.equal(403);
    }
  };

  it('says what is measured, and what is not', async () => {
    await page.goto(`http://127.0.0.1:${bed().console.port}/`);
    await logIn(page);
    await page.getByRole('link', { name: 'Monitor', exact: true }).click();
    await page.getByText('source: built-in').waitFor();
    await page.getByRole('link', { name: 'healthy' }).waitFor();
    await tile('nodes_online').getByText('1 / 1').waitFor();
    await page.getByText(/^Not collected: .*Async pending.*no cluster_nodes/).waitFor();
    await page.getByText(/^Not shown: .*Time until TLS certificate expiry/).waitFor();
    await page.getByText('No alerts. All monitored metrics are within their thresholds.').waitFor();
    await page.getByText('2 / 2 up').waitFor();
    await page.getByText(/^More charts \(\d+\)$/).click();
    await page.getByRole('heading', { name: 'Last reload successful' }).waitFor();
    await page.getByText(/^More charts/).click();
    await page.locator('summary', { hasText: 'Workers' }).scrollIntoViewIfNeeded();
    await page.getByText(/^Workers: all \d+ up$/).click();
    await page.getByRole('rowheader', { name: 'listener 2' }).waitFor();
  });

  it('moves with the requests, without a reload', async () => {
    await work();
    const value = tile('requests_per_s').locator('.value');
    await value.filter({ hasText: /^(?!0 )[\d.]+ \/s$/ }).waitFor();
    await page.getByRole('radio', { name: 'Last 15 minutes' }).check();
    await page.getByRole('button', { name: /^403 [\d.]+ \/s$/ }).waitFor();
    expect(page.url()).to.include('range=900');
    await inspect(watched(), 'monitor');
  });

  it('shows every chart as a table too, and lets its lines be switched off', async () => {
    await page.getByRole('button', { name: 'Table: Requests by status' }).click();
    const table = page.getByRole('region', { name: 'Table: Requests by status' });
    await table.getByRole('columnheader', { name: '403' }).waitFor();
    expect(await table.getByRole('row').count()).to.be.above(1);
    await inspect(watched(), 'monitor-table');
    await page.getByRole('button', { name: 'Table: Requests by status' }).click();
    const line = page.getByRole('button', { name: /^403/ });
    await line.click();
    expect(await line.getAttribute('aria-pressed')).to.equal('false');
    const download = (kind: string) =>
      saved(page, page.getByRole('button', { name: `Download ${kind}: Requests by status` }));
    expect((await download('CSV')).name).to.equal('requests_by_code.csv');
    const { name, bytes } = await download('PNG');
    expect(name).to.equal('requests_by_code.png');
    expect(bytes.subarray(1, 4).toString()).to.equal('PNG');
    // The chart, its title, and a line of text for the one line that is left.
    expect(bytes.readUInt32BE(20)).to.be.within(210, 290);
  });

  it('goes through tabs with the arrow keys, and back', async () => {
    await tab('Gateway').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/^Not collected: no cluster_nodes/).waitFor();
    await page.keyboard.press('End');
    await page.getByText('Tracing is stopped.').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('listener up').first().waitFor();
    expect(await tab('Logs').getAttribute('aria-selected')).to.equal('true');
    await page.goBack();
    await page.getByText('Tracing is stopped.').waitFor();
    await page.goBack();
    await page.getByText(/^Not collected: no cluster_nodes/).waitFor();
    await expectAccessible(page);
  });

  it('traces requests while somebody looks, and stops', async () => {
    await tab('Trace').click();
    await page.getByText('Tracing is stopped.').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('errors');
    await page.getByLabel('Operation').fill('GetObject');
    const followed = page.waitForResponse('**/api/monitor/trace?*');
    await page.getByLabel('Operation').press('Enter');
    await followed;
    await page.getByText('No matching requests have finished yet.').waitFor();
    await work();
    const row = page.locator('#trace-rows tr').filter({ hasText: 'photos/0.jpg' });
    await row.getByText('403').waitFor();
    await row.getByRole('button', { name: /^Details for tx/ }).click();
    await page.getByText('"error_code": "AccessDenied"').waitFor();
    await inspect(watched(), 'monitor-trace');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Tracing is stopped.').waitFor();
    await page.getByRole('button', { name: 'View log lines' }).click();
    expect(await tab('Logs').getAttribute('aria-selected')).to.equal('true');
    await page.goBack();
    await page.goBack();
  });

  it('takes a range of its own, and stands still then', async () => {
    await page.getByRole('radio', { name: 'Custom' }).check();
    await page.getByRole('textbox', { name: 'From' }).fill('2026-01-02T03:04');
    await page.getByRole('textbox', { name: 'To' }).fill('2026-01-01T03:04');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The end of the range must be after its start.').waitFor();
    await page.getByRole('textbox', { name: 'To' }).fill('2026-01-03T03:04');
    await page.getByRole('button', { name: 'Apply' }).click();
    await tab('Gateway').click();
    await page.getByText('older than 14 days is not kept').first().waitFor();
    const live = page.getByRole('button', { name: 'Live' });
    expect(await live.getAttribute('aria-pressed')).to.equal('false');
    await live.click();
    await page.getByRole('button', { name: /^403/ }).waitFor();
  });

  it('filters the log by level and text, and stops following it', async () => {
    await tab('Logs').click();
    await page.getByText('listener up').first().waitFor();
    await page.getByRole('button', { name: 'Table: Log volume' }).waitFor();
    await inspect(watched(), 'monitor-logs');
    await page.getByLabel('Contains').fill('service ready');
    await page.getByText('1 line', { exact: true }).waitFor();
    await page.getByLabel('Level').selectOption('error');
    await page.getByText('No lines match the filter in this range.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('listener up').first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Follow' }).waitFor();
  });

  it('shows lines as text, and finds the other lines of a request', async () => {
    const line = {
      unix_s: Date.now() / 1000,
      service: 'proxy',
      node: 'node1',
      level: 'error',
      worker: null,
      trans_id: REQUEST_ID,
      line: JSON.stringify({
        ...{ msg: EVIL, request_id: REQUEST_ID, method: 'GET', status: 404, total_ms: 3 },
        ...{ bucket: 'photos', key: 'a.jpg' },
      }),
    };
    const times = { complete_from_unix_s: null, seen_to_unix_s: line.unix_s };
    const found = {
      source: 'embedded',
      state: 'ok',
      truncated: true,
      services: ['proxy'],
      ...times,
    };
    await page.route('**/api/monitor/logs?*', (route) =>
      route.fulfill({ json: { ...found, nodes: ['node1'], lines: [line] } }),
    );
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator('#log .text').getByText(EVIL, { exact: true }).waitFor();
    await page.locator('#log .path').getByText('/photos/a.jpg').waitFor();
    await page.locator('#log .ms').getByText('3.0 ms').waitFor();
    await page.getByText('1 line shown. More match').waitFor();
    const older = page.waitForRequest((request) => request.url().includes('&to='));
    await page.getByRole('button', { name: 'Load older lines' }).click();
    expect(new URL((await older).url()).searchParams.get('own')).to.equal('hide');
    await page.getByRole('button', { name: 'No older lines found. Check again' }).waitFor();
    const shown = page.waitForRequest((request) => request.url().includes('own=show'));
    await page.getByRole('checkbox', { name: 'Include console requests' }).check();
    await shown;
    await page.getByRole('checkbox', { name: 'Include console requests' }).uncheck();
    const asked = page.waitForRequest((request) => request.url().includes(REQUEST_ID));
    await page
      .getByRole('button', { name: `Show all log lines for request ${REQUEST_ID}` })
      .click();
    await asked;
    expect(await page.getByLabel('Contains').inputValue()).to.equal(REQUEST_ID);
    const narrowed = page.waitForRequest((request) => request.url().includes('nodes=node1'));
    await page.getByRole('checkbox', { name: 'node1' }).check();
    await narrowed;
    await page.unroute('**/api/monitor/logs?*');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('listener up').first().waitFor();
  });

  it('says where lines were let go before it could ask for them, once each', async () => {
    const startS = Math.floor(Date.now() / 1000);
    const answer = { source: 'embedded', state: 'ok', truncated: false, services: [], nodes: [] };
    let completeFromS = startS - 60;
    let seenToS = startS;
    await page.route('**/api/monitor/logs?*', (route) =>
      route.fulfill({
        json: {
          ...answer,
          lines: [],
          complete_from_unix_s: completeFromS,
          seen_to_unix_s: (seenToS += 2),
        },
      }),
    );
    const followed = () => page.waitForResponse('**/api/monitor/logs?*');
    await page.getByLabel('Contains').fill('seldom');
    await page.getByText('No lines match the filter in this range.').waitFor();
    const notices = page.locator('#log .gap');
    await page.getByText(/^Lines before .* are no longer retained\.$/).waitFor();
    await followed();
    expect(await notices.count()).to.equal(1);
    completeFromS = startS + 100;
    const gap = page.getByText(/^Lines between .* may be missing: there were too many to keep/);
    await gap.waitFor();
    await followed();
    // The same loss is no news, and one at the same place makes the notice longer.
    expect(await notices.count()).to.equal(2);
    const text = await gap.textContent();
    completeFromS = startS + 200;
    await gap.filter({ hasNotText: text ?? '' }).waitFor();
    expect(await notices.count()).to.equal(2);
    await inspect(watched(), 'monitor-log-lost');
    await page.unroute('**/api/monitor/logs?*');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('listener up').first().waitFor();
  });

  it('asks now and then while eight other pages of its session have their streams', async () => {
    const [cookie] = await page.context().cookies();
    const client = bed().client();
    client.cookie = `${cookie?.name ?? ''}=${cookie?.value ?? ''}`;
    await page.goto('about:blank');
    const held: ReturnType<typeof client.events>[] = [];
    const findsPlace = async () => {
      const stream = client.events();
      const first = await stream.next();
      if (first.done === true || first.value.event === 'full') return false;
      held.push(stream);
      return true;
    };
    await eventually(
      async () => (await findsPlace()) && held.length,
      (count) => count === 8,
    );
    const answered = () => page.waitForResponse('**/api/events?*');
    await Promise.all([answered(), page.goto(`http://127.0.0.1:${bed().console.port}/monitor`)]);
    await tile('nodes_online').getByText('1 / 1').waitFor();
    await answered();
    await page.getByRole('link', { name: 'healthy' }).waitFor();
    expect(await page.getByText(/no data since/).count()).to.equal(0);
    expect(await findsPlace()).to.equal(false);
    // The page takes the place that gets free.
    await eventually(
      async () => {
        // It takes it at once, and then asks no more.
        const next = answered();
        await held.pop()?.return(undefined);
        await next;
        return findsPlace();
      },
      (isFree) => !isFree,
    );
    for (const stream of held) await stream.return(undefined);
  });

  it('says since when nothing is known once the service is dead', async () => {
    await tab('Gateway').click();
    await service().kill9();
    await page.getByText(/^✖ Gateway: .* No data since .*\.$/).waitFor();
    await tile('requests_per_s')
      .getByText(/^no data since/)
      .waitFor();
    await page.getByRole('link', { name: 'unknown: Gateway' }).waitFor();
    await page.locator('summary', { hasText: 'Workers' }).scrollIntoViewIfNeeded();
    await page.getByText('Workers: unavailable').waitFor();
    // Nothing is to lie below the bar that stays at the top.
    await page.evaluate('scrollTo(0, 0)');
    expect(await tile('requests_per_s').locator('.value').textContent()).to.equal('unknown');
    await inspect(watched(), 'monitor-dead');
  });

  it('says that its figures are old once no new ones arrive', async () => {
    await bed().console.service(MONITOR)!.close();
    await tile('nodes_online')
      .getByText(/^no data since .*: the console is not responding$/)
      .waitFor();
    await page.getByText('Console: no data received.').waitFor();
  });

  it('had nothing to complain of, and was told no address and no folder', () => {
    const { answers, complaints } = watched();
    expect(complaints).to.deep.equal([]);
    expect(answers).not.to.deep.equal([]);
    const secrets = [
      service().adminEndpoint,
      bed().store.origin,
      bed().stateDir,
      service().secretKey,
    ];
    const addresses = secrets.map((secret) => secret.replace('http://', ''));
    const leaks = answers.flatMap((answer) =>
      addresses
        .map((one) => answer.indexOf(one))
        .filter((at) => at >= 0)
        .map((at) => answer.slice(Math.max(0, at - 300), at + 40)),
    );
    expect(leaks).to.deep.equal([]);
  });
});
