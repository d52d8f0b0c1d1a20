import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { parseDeployConfig } from '../src/deploy/service/config.js';
import { startDeploy } from '../src/deploy/service/start.js';
import { createLogger } from '../src/telemetry/logger.js';

/**
 * A control service that plans a large cluster, first from nothing, and then with a tenth of its
 * devices lighter: CPU of its process (its thread included, programs of Swift's not), how long its
 * event loop is held up, and its memory:
 * node dist/bench/deploy-plan.js [devices] [part power]
 */

const DEVICES = Number(process.argv[2] ?? 1000);
const PART_POWER = Number(process.argv[3] ?? 16);
const DEVICES_OF_A_NODE = 20;
const ZONES = 5;
const TOKEN = 'benchmark';
const EXAMPLE = new URL('../../ops/examples/deploy-spec.json', import.meta.url);

interface SpecParts {
  readonly policies: readonly object[];
  readonly rings: readonly object[];
  readonly nodes: readonly object[];
}

function specOf(weight: number): object {
  const example = JSON.parse(readFileSync(EXAMPLE, 'utf8')) as SpecParts;
  const nodes = Array.from({ length: Math.ceil(DEVICES / DEVICES_OF_A_NODE) }, (_, node) => ({
    name: `node${node}`,
    zone: 1 + (node % ZONES),
    storage_ip: `10.0.${Math.floor(node / 250)}.${1 + (node % 250)}`,
    roles: ['account', 'container', 'object', ...(node < 2 ? ['proxy', 'expirer'] : [])],
    devices: Array.from({ length: DEVICES_OF_A_NODE }, (__, device) => ({
      name: `d${device}`,
      weight: device < DEVICES_OF_A_NODE / 10 ? weight : 100,
    })),
  }));
  const rings = ['account', 'container', 'object'].map((name) => ({
    ...{ name, part_power: PART_POWER, replicas: 3, min_part_hours: 0 },
  }));
  return { ...example, policies: example.policies.slice(0, 1), rings, nodes };
}

const folder = mkdtempSync(join(tmpdir(), 'ringway-deploy-plan-'));
mkdirSync(join(folder, 'secrets'));
writeFileSync(join(folder, 'token'), TOKEN, { mode: 0o600 });
for (const name of ['hash-prefix', 'hash-suffix', 'gateway-key', 'admin-key', 'filter-secret']) {
  writeFileSync(join(folder, 'secrets', name), `${name}-of-this-benchmark-alone`, { mode: 0o600 });
}
const paths = { state_dir: 'state', token_file: 'token', secrets_dir: 'secrets' };
const config = { ...paths, listen: '127.0.0.1:0', install_root: 'nodes', parallel_nodes: 8 };
const logger = createLogger({ level: 'warn', process: 'deploy' });
const service = await startDeploy(parseDeployConfig(config, folder), { logger });

async function ask(
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`deploy:${TOKEN}`).toString('base64')}`;
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** Plans a specification, tells what that took, and applies it. */
async function planned(what: string, spec: object): Promise<void> {
  const etag = (await ask('GET', '/spec')).headers.get('etag') ?? '';
  await ask('PUT', '/spec', spec, { 'if-match': etag });
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const before = process.cpuUsage();
  const answer = await ask('POST', '/plans', {});
  const { user, system } = process.cpuUsage(before);
  delays.disable();
  const plan = (await answer.json()) as {
    readonly id: string;
    readonly base_etag: string;
    readonly ring_changes: readonly { readonly parts_moved: number }[];
  };
  const said = {
    what,
    cpu_s: ((user + system) / 1e6).toFixed(2),
    delay_p99_ms: (delays.percentile(99) / 1e6).toFixed(1),
    delay_max_ms: (delays.max / 1e6).toFixed(1),
    max_rss_mib: Math.round(process.resourceUsage().maxRSS / 1024),
    parts_moved: plan.ring_changes.map(({ parts_moved: moved }) => moved),
  };
  process.stdout.write(`${JSON.stringify(said)}\n`);
  const headers = { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': plan.id };
  const begun = await ask('POST', `/plans/${plan.id}/apply`, {}, headers);
  const { run_id: run } = (await begun.json()) as { readonly run_id: string };
  await (await ask('GET', `/runs/${run}/events`)).text();
}

try {
  await planned('from nothing', specOf(100));
  await planned('a tenth of the devices lighter', specOf(50));
} finally {
  await service.close();
  rmSync(folder, { recursive: true });
}
