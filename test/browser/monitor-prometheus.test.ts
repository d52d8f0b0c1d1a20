import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BROWSER_LIMIT_MS, logIn, openMonitor, type Watched } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { describeWith, program } from '../support/needs.js';
import {
  startNodeExporter,
  startPrometheus,
  substituted,
  type Mortal,
  type Proxy,
} from '../support/proxy.js';
import { ringway } from '../support/ringway.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { consoleOf, consoleUp } from '../support/service-console.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { inspect, saved } from './acts.js';

const NODES = [
  { name: 'node-a', storage_ip: '127.0.0.1' },
  { name: 'node-b', storage_ip: '127.0.0.2' },
];
const RULES = `
groups:
  - name: own
    rules:
      - alert: HostGone
        expr: up{job="node"} == 0
        labels: { severity: page }
        annotations: { summary: 'Host {{ $labels.instance }} is gone' }
`;
const MEASURED = ['nodes_online', 'requests_per_s', 'error_ratio', 'latency_p99'];
const POSITIVE = /^(?!0[ .]|0$)[\d.,]+/;

describeWith(
  [program('chromium'), program('prometheus'), program('prometheus-node-exporter')],
  'Monitor in Chromium over a real Prometheus',
  function () {
    this.timeout(BROWSER_LIMIT_MS);
    const folder = useTempFolderOnce('monitor-prometheus');
    let service: Service;
    let exporters: Proxy[];
    let prometheus: Mortal;
    let watched: Watched;
    let page: Page;

    /** As an operator does it: Prometheus is told of the service, and then the console of both. */
    before(async () => {
      const consoleConfig = join(folder(), 'console.json');
      const keys = { recon_interval_s: 1, cluster_nodes: NODES };
      await writeFile(consoleConfig, JSON.stringify(keys));
      service = await startService({
        store: '127.0.0.1:0',
        console: '127.0.0.1:0',
        config: { console_config: consoleConfig, restart_backoff_ms_min: 1 },
      });
      exporters = await Promise.all(NODES.map(({ storage_ip }) => startNodeExporter(storage_ip)));
      const hosts = exporters.map(({ endpoint }) => `'${new URL(endpoint).host}'`);
      const shipped = substituted(readFileSync('ops/prometheus/scrape.yml', 'utf8'), {
        '127.0.0.1:9464': new URL(service.adminEndpoint).host,
        ': 15s': ': 1s',
        ': 10s': ': 1s',
      });
      const rest = `
  - { job_name: node, static_configs: [{ targets: [${hosts.join(', ')}] }] }
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml, rules.yml]
`;
      const alerts = readFileSync('ops/prometheus/alerts.yml', 'utf8');
      prometheus = await startPrometheus(shipped.trimEnd() + rest, {
        'alerts.yml': alerts,
        'rules.yml': RULES,
      });
      await writeFile(consoleConfig, JSON.stringify({ ...keys, metrics_url: prometheus.endpoint }));
      expect(await ringway(service, 'reload')).to.deep.equal({ code: 0, stderr: '' });
      await consoleUp(service);
      watched = await openMonitor();
      page = watched.page;
      page.setDefaultTimeout(BROWSER_LIMIT_MS / 2);
    });

    after(async () => {
      await watched.close();
      await Promise.all([prometheus, ...exporters].map((one) => one.stop()));
      await service.stop();
    });

    const tile = (id: string) => page.locator(`[data-tile=${id}]`);
    const value = (id: string) => tile(id).locator('.value');
    /** A rate is of what was counted more than once. */
    async function askUntilCounted(): Promise<void> {
      const s3 = new S3TestClient(service);
      await eventually(
        async () => {
          await s3.get('/nowhere/a');
          return value('requests_per_s').textContent();
        },
        (text) => POSITIVE.test(text ?? ''),
      );
      await s3.close();
    }

    const tab = (name: string) => page.getByRole('tab', { name });

    it('shows figures that Prometheus has scraped', async () => {
      await page.goto(`${consoleOf(service).endpoint}/`);
      await logIn(page, consoleOf(service));
      await page.getByRole('link', { name: 'Monitor', exact: true }).click();
      await page.getByText('source: Prometheus').waitFor();
      await value('nodes_online').getByText('2 / 2').waitFor();
      await askUntilCounted();
      await value('latency_p99').filter({ hasText: POSITIVE }).waitFor();
      expect(await value('error_ratio').textContent()).to.equal('0%');
      await page
        .getByText('No alerts. All monitored metrics are within their thresholds.')
        .waitFor();
    });

    it('draws them over a range, and gives them as a table and as a file', async () => {
      await page.getByRole('radio', { name: 'Last 15 minutes' }).check();
      await page.getByRole('button', { name: /^404 (?!0 )[\d.]+ \/s$/ }).waitFor();
      const chart = page.getByRole('img', { name: /^Chart: Requests by status/ });
      expect(await chart.locator('canvas').count()).to.equal(1);
      await page.getByRole('button', { name: 'Table: Requests by status' }).click();
      const table = page.getByRole('region', { name: 'Table: Requests by status' });
      await table.getByRole('columnheader', { name: '404' }).waitFor();
      await watched.shoot('monitor-prometheus-table');
      const csv = page.getByRole('button', { name: 'Download CSV: Requests by status' });
      const text = (await saved(page, csv)).bytes.toString('utf8').trimEnd();
      const [head = '', ...rows] = text.split(/\r?\n/);
      const column = head.split(',').findIndex((name) => name.includes('404'));
      expect(column, head).to.be.above(0);
      expect(rows.map((row) => Number(row.split(',')[column]))).to.satisfy((all: number[]) =>
        all.some((rate) => rate > 0),
      );
      await page.getByRole('button', { name: 'Table: Requests by status' }).click();
      await page.getByRole('radio', { name: 'Custom' }).check();
      await page.getByRole('textbox', { name: 'From' }).fill('2026-01-02T03:04');
      await page.getByRole('textbox', { name: 'To' }).fill('2026-01-03T03:04');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('the metrics store has no such series').first().waitFor();
      await page.getByRole('radio', { name: 'Last 15 minutes' }).check();
      await page.getByRole('button', { name: /^404 (?!0 )[\d.]+ \/s$/ }).waitFor();
    });

    it('lists an alert of Prometheus beside its own, and a node less', async () => {
      await exporters[1]?.stop();
      await value('nodes_online').getByText('1 / 2').waitFor();
      const row = page.getByRole('row').filter({ hasText: 'from Prometheus' });
      await row.getByText('Host node-b is gone').waitFor();
      await page.getByText(/^Workers: all \d+ up$/).click();
      await page.getByRole('rowheader', { name: 'listener 2' }).waitFor();
      await inspect(watched, 'monitor-prometheus');
    });

    it('follows the log while a listener is killed, and filters it', async () => {
      await tab('Logs').click();
      await page.getByText('service ready').first().waitFor();
      // The console's requests to its store are hidden, unless somebody wants to see them.
      const own = page.locator('#log .path').getByText('/auth/v1.0', { exact: true });
      expect(await own.count()).to.equal(0);
      await page.getByRole('checkbox', { name: 'Include console requests' }).check();
      await own.first().waitFor();
      await page.getByRole('checkbox', { name: 'Include console requests' }).uncheck();
      await own.first().waitFor({ state: 'hidden' });
      await page.getByText('service ready').first().waitFor();
      await page.getByText(/^\d+ lines from .* Lines before .* are not retained/).waitFor({
        state: 'attached',
      });
      expect(await page.getByRole('button', { name: 'Load older lines' }).count()).to.equal(0);
      const [listener = 0] = service.pids();
      process.kill(listener, 'SIGKILL');
      await page
        .getByText(/listener ended, will be restarted/)
        .first()
        .waitFor();
      await page.getByLabel('Level').selectOption('error');
      await page.getByLabel('Contains').fill('will be restarted');
      await page.getByText('1 line', { exact: true }).waitFor();
      await page.locator('#log').scrollIntoViewIfNeeded();
      await watched.shoot('monitor-prometheus-logs');
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await tab('Gateway').click();
      // Panels far below the screen are not asked for.
      await page.locator('summary', { hasText: 'Workers' }).scrollIntoViewIfNeeded();
      await page.getByText(/^Workers: all \d+ up$/).waitFor();
    });

    it('knows nothing while Prometheus is dead, and never says zero', async () => {
      await page.evaluate(`{
        const look = () => {
          for (const tile of document.querySelectorAll('[data-tile]'))
            seen.add(tile.dataset.tile + ': ' + tile.querySelector('.value')?.textContent);
        };
        globalThis.seen = new Set();
        new MutationObserver(look).observe(document.querySelector('#tiles'), { childList: true });
      }`);
      await prometheus.kill9();
      await page.getByText(/^✖ Metrics store: .* No data since .*\.$/).waitFor();
      for (const id of MEASURED) {
        await tile(id)
          .getByText(/^no data since/)
          .waitFor();
        expect(await value(id).textContent(), id).to.equal('unknown');
      }
      await page.getByText('the metrics store: not responding').first().waitFor();
      await inspect(watched, 'monitor-prometheus-dead');
    });

    it('has its figures back once Prometheus is', async () => {
      await prometheus.again();
      await value('nodes_online').getByText('1 / 2').waitFor();
      await askUntilCounted();
      await page.getByText(/Metrics store: not responding/).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^404 (?!0 )[\d.]+ \/s$/ }).waitFor();
      const seen = await page.evaluate<string[]>('[...seen]');
      expect(seen).to.include('requests_per_s: unknown');
      const zeros = seen.filter((one) =>
        /^(nodes_online|requests_per_s|latency_p99): 0(?![.\d])/.test(one),
      );
      expect(zeros).to.deep.equal([]);
    });

    it('had nothing to complain of, and was told no address', () => {
      expect(watched.complaints).to.deep.equal([]);
      const { host } = new URL(prometheus.endpoint);
      expect(watched.answers.filter((answer) => answer.includes(host))).to.deep.equal([]);
    });
  },
);
