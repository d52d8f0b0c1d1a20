import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { performance } from 'node:perf_hooks';
import { chromium, type CDPSession } from 'playwright-core';
import { SCRIPT_FOLDER, SOURCE_FOLDER } from '../console/server/console-folders.js';
import { domainOrder, ringMap } from '../console/surfaces/lab/rings/ring-map.js';
import type { Device } from '../src/ring/device.js';
import type { RingData } from '../src/ring/ring-data.js';

/**
 * The heat map of RingScope over a large ring: the CPU that counting a view takes in the Lab's thread,
 * and that a move takes of the browser's main thread, which must have a frame ready in 16 ms:
 * node dist/bench/ring-map.js [part power] [devices] [path of chromium]
 */

const [PART_POWER = 18, DEVICES = 1000] = process.argv.slice(2, 4).map(Number);
const CHROMIUM = process.argv[4] ?? '/usr/bin/chromium';
const REPLICAS = 3;
const COUNTS = 20;
const MOVES = 100;
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

function madeRing(): RingData {
  const devices = Array.from({ length: DEVICES }, (_, id): Device => {
    const ip = `10.0.${id % 5}.${Math.floor(id / 20)}`;
    const place = { region: 1, zone: id % 5, ip, port: 6200, device: `d${id % 20}` };
    return { ...place, id, weight: 100, meta: '', replicationIp: ip, replicationPort: 6200 };
  });
  const rows = Array.from({ length: REPLICAS }, (_, replica) =>
    Uint16Array.from(
      { length: 2 ** PART_POWER },
      (_unused, part) => (part * 7919 + replica * 331) % DEVICES,
    ),
  );
  const partCounts = new Uint32Array(DEVICES);
  const about = { format: 1, partPower: PART_POWER, nextPartPower: undefined, version: 1 } as const;
  return { ...about, devices, rows, partCounts };
}

const ring = madeRing();
const ALL = { first_part: 0, parts: 2 ** 32, first_device: 0, devices: 2 ** 32 };

/** The console's answers to the requests of the page. */
async function answer(url: URL, response: ServerResponse): Promise<void> {
  if (url.pathname === '/') {
    const styles = ['tokens', 'base', 'components', 'charts'].map(
      (name) => `<link rel="stylesheet" href="/ui/css/${name}.css">`,
    );
    response.end(`<!doctype html>${styles.join('')}<main id="main"></main>`);
  } else if (url.pathname.endsWith('/map')) {
    const asked = Object.fromEntries(
      [...url.searchParams].map(([key, text]) => [key, Number(text)]),
    );
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(ringMap(ring, { ...ALL, ...asked })));
  } else {
    const folder = url.pathname.endsWith('.js') ? SCRIPT_FOLDER : SOURCE_FOLDER;
    const file = join(folder, normalize(url.pathname));
    response.setHeader('content-type', TYPES[file.split('.').at(-1) ?? ''] ?? 'image/svg+xml');
    response.end(await readFile(file).catch(() => ''));
  }
}

/** Mounts the panel as RingScope does, and makes `moves(n)` drag it, a frame after the other. */
const PAGE = `
  const { heatMapPanel } = await import('/surfaces/lab/rings/page/heat-map.js');
  const report = () => Promise.resolve(${JSON.stringify({
    parts: 2 ** PART_POWER,
    devices: ring.devices.map((device) => ({ ...device })),
    device_order: domainOrder(ring.devices),
  })});
  document.querySelector('main').append(...(await heatMapPanel({ ring: { name: 'object' }, report })));
  const plane = document.querySelector('[role=group]');
  const press = (key) => plane.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  globalThis.moves = async (count) => {
    for (let at = 0; at < count; at++) {
      press(['+', 'ArrowDown', 'ArrowRight', '-'][at % 4]);
      await frame();
    }
  };
`;

/** Seconds of CPU of the browser's main thread. */
async function cpu(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
}

const server = createServer((request, response) => {
  void answer(new URL(request.url ?? '/', 'http://localhost'), response);
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`http://127.0.0.1:${port}/`);
  const before = await cpu(session);
  await page.evaluate(`(async () => {${PAGE}})()`);
  const opened = await cpu(session);
  await page.evaluate(`moves(${MOVES})`);
  const moved = await cpu(session);
  const countedAt = performance.now();
  const { user } = process.cpuUsage();
  for (let at = 0; at < COUNTS; at++) ringMap(ring, ALL);
  const counted = process.cpuUsage().user - user;
  process.stdout.write(
    `${JSON.stringify(
      {
        ...{
          part_power: PART_POWER,
          devices: DEVICES,
          answer_bytes: ringMap(ring, ALL).cells.length,
        },
        count_cpu_ms: (counted / 1000 / COUNTS).toFixed(1),
        count_ms: ((performance.now() - countedAt) / COUNTS).toFixed(1),
        open_cpu_ms: (1000 * (opened - before)).toFixed(0),
        move_cpu_ms: ((1000 * (moved - opened)) / MOVES).toFixed(2),
      },
      null,
      2,
    )}\n`,
  );
} finally {
  await browser.close();
  server.close();
  server.closeAllConnections();
}
