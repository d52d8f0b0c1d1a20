import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { FakeLoki } from '../console/monitor/loki.js';
import { BROWSER_LIMIT_MS, logIn, openPage, type Watched } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { Relay } from '../support/relay.js';
import { startService, type Service } from '../support/service.js';
import { consoleOf, consoleUp } from '../support/service-console.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

const A = { unit: 'proxy', hostname: 'node-a', level: 'info' };
const B = { unit: 'proxy', hostname: 'node-b', level: 'info' };
/** The lines that the page asks for at a time, unless somebody wants more. */
const LINES = 200;
/** Longer than a stream of the console is ever silent. */
const SILENCE_MS = 60_000;

describeWith(
  [program('chromium')],
  'Monitor in Chromium, beyond a network that fails',
  function () {
    this.timeout(BROWSER_LIMIT_MS);
    const folder = useTempFolderOnce('monitor-live');
    const loki = useOnce(() => new FakeLoki().start());
    let relay: Relay;
    let service: Service;
    let watched: Watched;
    let page: Page;
    let written = 0;

    before(async () => {
      relay = await new Relay().start();
      const consoleConfig = join(folder(), 'console.json');
      const keys = {
        logs_url: loki().server.url,
        allowed_hosts: [`127.0.0.1:${relay.port}`],
        recon_interval_s: 1,
      };
      await writeFile(consoleConfig, JSON.stringify(keys));
      service = await startService({
        store: '127.0.0.1:0',
        console: '127.0.0.1:0',
        listeners: 1,
        config: { console_config: consoleConfig, restart_backoff_ms_min: 1 },
      });
      await consoleUp(service);
      relay.target = consoleOf(service).port;
      watched = await openPage();
      page = watched.page;
      page.setDefaultTimeout(BROWSER_LIMIT_MS / 2);
    });

    after(async () => {
      await watched.close();
      await relay.stop();
      await service.stop();
      await loki().server.stop();
    });

    const write = (count: number) => {
      for (let i = 0; i < count; i++) loki().write(i % 2 === 0 ? A : B, `line ${++written}`);
    };

    const line = (text: string) => page.locator('#log .text').getByText(text, { exact: true });

    /** Texts of the log as it stands, oldest first. */
    const shown = async () => (await page.locator('#log .text').allTextContents()).reverse();

    const expectEach = async (first: number) => {
      await line(`line ${written}`).waitFor();
      const all = Array.from({ length: written - first + 1 }, (_, i) => `line ${first + i}`);
      const texts = (await shown()).filter((text) => text.startsWith('line '));
      expect(texts).to.deep.equal(all);
    };

    const isGapTold = () => page.getByText(/^Lines between .* may be missing/).count();

    it('shows new lines of a Loki by itself, each once', async () => {
      write(20);
      await page.goto(`http://127.0.0.1:${relay.port}/`);
      await logIn(page, consoleOf(service));
      await page.getByRole('link', { name: 'Monitor', exact: true }).click();
      await page.getByRole('tab', { name: 'Logs' }).click();
      await line('line 20').waitFor();
      write(5);
      await expectEach(1);
    });

    it('shows what was written while the network was cut, none of it twice', async () => {
      relay.cut();
      await page.getByText('connection lost, reconnecting').waitFor();
      await page.getByText('The console is not responding.').waitFor();
      write(30);
      // The same words twice in a millisecond, and on two nodes.
      const now = BigInt(Date.now()) * 1_000_000n;
      for (const ns of [now, now + 1n]) loki().write(A, 'the same', ns);
      loki().write(B, 'the same', now);
      relay.mend();
      await expectEach(1);
      await page.getByText('connection lost, reconnecting').waitFor({ state: 'hidden' });
      expect(await line('the same').count()).to.equal(3);
      expect(await isGapTold()).to.equal(0);
    });

    it('says where lines may be missing after more than it asks for', async () => {
      relay.cut();
      await page.getByText('The console is not responding.').waitFor();
      write(LINES + 50);
      relay.mend();
      await line(`line ${written}`).waitFor();
      expect(await isGapTold()).to.equal(1);
      const last = (await shown()).filter((text) => text.startsWith('line ')).length;
      expect(last).to.equal(55 + LINES);
      write(3);
      await line(`line ${written}`).waitFor();
      expect(await isGapTold()).to.equal(1);
      await page.getByText(/may be missing/).scrollIntoViewIfNeeded();
      await watched.shoot('monitor-log-gap');
    });

    it('comes back to its filter once the user has logged in at the next console', async () => {
      await page.getByLabel('Contains').fill('line 3');
      await line('line 2').waitFor({ state: 'detached' });
      const before = await shown();
      process.kill(await consoleUp(service), 'SIGKILL');
      await page.waitForURL('**/login.html*');
      await page.clock.install();
      await logIn(page, consoleOf(service));
      expect(page.url()).to.include('tab=logs').and.include('contains=line+3');
      await line(before.at(-1) ?? '').waitFor();
      expect(await shown()).to.deep.equal(before);
      loki().write(A, 'line 3 again');
      await line('line 3 again').waitFor();
      expect(await shown()).to.deep.equal([...before, 'line 3 again']);
    });

    it('opens another stream of events when the one it has is silent', async () => {
      const stream = 'GET /api/events';
      await page.getByText('healthy').waitFor();
      const next = page.waitForRequest('**/api/events?*');
      expect(relay.forget(stream)).to.equal(1);
      await page.clock.fastForward(SILENCE_MS);
      await next;
      const updated = page.locator('#updated');
      await updated.getByText(/^updated (?:just now|\d s ago)$/).waitFor();
      await page.getByText('healthy').waitFor();
    });
  },
);
