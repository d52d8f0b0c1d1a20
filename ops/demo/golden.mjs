/**
 * Breaks things in a cluster of four nodes that Deploy has made, and counts what comes of it: see
 * docs/lab.md. It fails where a figure is not what the rings and Swift's rules say.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { endProcesses } from '../swift-lab/lib/processes.mjs';
import { startService } from '../swift-lab/lib/up.mjs';
import { demoSpec } from './lib/cluster.mjs';
import { consoleClient } from './lib/console-client.mjs';
import { dataFile, Disks, md5 } from './lib/disks.mjs';
import { swiftClient } from './lib/fill.mjs';
import { placementOf } from './lib/placement.mjs';
import { runOnCluster } from './lib/program.mjs';
import { swiftServices } from './lib/services.mjs';
import { bringUp, START_LIMIT_MS } from './lib/up.mjs';

/** @typedef {import('./lib/cluster.mjs').DemoPorts} DemoPorts */
/** @typedef {import('./lib/cluster.mjs').Places} Places */
/** @typedef {import('./lib/console-client.mjs').ConsoleApi} ConsoleApi */

const DEFAULT_DIR = '.ringway-golden';
const BUCKET = 'golden';
const BODY = 'what was written';
const OBJECTS = 20;
const DOWN = 'node3';
const GHOSTS = 4;
const CASES = 20;
const LATE_MS = 50;
const PORTS = /** @type {const} */ (['account', 'container', 'object']);
const POLL_MS = 500;
const LIMIT_MS = 240_000;

const say = (/** @type {string} */ line) => console.log(line);

/** @param {DemoPorts} ports @param {Places} places */
function goldenSpec(ports, places) {
  const spec = demoSpec(ports, places);
  const { 'object-server': server } = spec.tuning;
  // On a busy machine a container server may take longer than Swift's second: what waits then waits
  // for a server that is there.
  const patient = { ...server, container_update_timeout: 30 };
  return { ...spec, tuning: { ...spec.tuning, 'object-server': patient } };
}

/**
 * @param {string} what
 * @param {unknown} measured
 * @param {unknown} wanted
 * @throws {Error} where they differ
 */
function show(what, measured, wanted) {
  say(`  ${what}: ${JSON.stringify(measured)}`);
  if (JSON.stringify(measured) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: ${JSON.stringify(wanted)} was to be expected`);
  }
}

/**
 * @template T
 * @param {() => Promise<T> | T} look
 * @param {(seen: T) => boolean} isEnough
 * @returns {Promise<T>} what was seen last, also when that took too long
 */
async function until(look, isEnough) {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (isEnough(seen) || Date.now() > end) return seen;
    await delay(POLL_MS);
  }
}

/** @param {Disks} disks @returns {string[]} as many objects without a copy on each of the nodes */
function evenNames(disks) {
  const { nodes } = disks.spec;
  /** @type {Map<string, string[]>} */
  const found = new Map(nodes.map(({ name }) => [name, []]));
  for (let number = 0; [...found.values()].flat().length < OBJECTS; number += 1) {
    const path = `AUTH_demo/${BUCKET}/o${number}`;
    const has = new Set(disks.primariesOf('object', path).map(({ node }) => node));
    const lacking = found.get(nodes.find(({ name }) => !has.has(name))?.name ?? '');
    if (lacking !== undefined && lacking.length < OBJECTS / nodes.length) lacking.push(path);
  }
  return [...found.values()].flat();
}

/** @param {string} dir */
async function golden(dir) {
  const demo = await bringUp(dir, goldenSpec, say);
  const { id, places, ports, state, spec } = demo;
  const ask = await consoleClient(state.console, state.login);
  const swift = await swiftClient(places, spec);
  const disks = new Disks(id, places, spec, await placementOf(places, spec));
  const names = evenNames(disks);
  const { account, user, key } = state.login;
  const s3 = new S3Client({
    ...{ endpoint: state.s3, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: `${account}:${user}`, secretAccessKey: key },
  });
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  // Shadow's comparison comes first: the proxies know of no node that was away.
  await compareWithPeer(ask);
  await takeNodeDown(ask, disks, names, s3);
  s3.destroy();
  await stopContainerServer({ demo, ask, swift, disks, names });
  await corruptCopy(ask, disks, names[0] ?? '');
  await leaveGhosts(ask, disks);
  const { headers } = await swift('HEAD', `AUTH_demo/${BUCKET}`);
  show('objects in the listing at the end', headers.get('x-container-object-count'), `${OBJECTS}`);
  await delayBodies(ask, `http://${spec.nodes[0]?.storage_ip}:${ports.proxy}`, swift.token);
}

/** @param {ConsoleApi} ask */
async function compareWithPeer(ask) {
  say(`\nShadow compares the cluster with a stock proxy, ${CASES} cases`);
  const { id } = await ask('POST', '/lab/api/shadow/runs', { mode: 'dual', cases: CASES });
  const run = await until(
    () => ask('GET', `/lab/api/shadow/runs/${id}`),
    ({ state }) => state === 'done' || state === 'failed',
  );
  show('cases sent, and not sent', [run.result?.cases, run.result?.skipped], [CASES, 0]);
  const differences = run.result.findings.filter(
    (/** @type {any} */ { difference }) => difference.rule !== 'server_error',
  );
  show('differences', differences.length, 0);
}

/**
 * @param {ConsoleApi} ask
 * @param {Disks} disks
 * @param {readonly string[]} names
 * @param {S3Client} s3
 */
async function takeNodeDown(ask, disks, names, s3) {
  say(`\n${DOWN} of ${disks.spec.nodes.length} is down, by the Node HA Drill`);
  const own = disks.spec.nodes.find(({ name }) => name === DOWN);
  const impact = await ask('GET', `/lab/api/node/impact?node=${DOWN}`);
  const [first] = impact.rings?.filter((/** @type {any} */ one) => one.ring === 'object') ?? [];
  if (first !== undefined) say(`  impact on the ring of objects: ${JSON.stringify(first)}`);
  const given = { node: DOWN, ttl_secs: 600, force: true };
  const { journal_id: drill } = await ask('POST', '/lab/api/node/down', given);
  const answering = async () => {
    const tries = PORTS.map((port) =>
      globalThis.fetch(`http://${own?.storage_ip}:${own?.ports[port]}/healthcheck`),
    );
    return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
  };
  show('its servers that answer', await until(answering, (count) => count === 0), 0);
  const puts = await Promise.allSettled(
    names.map((path) =>
      s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: path.split('/')[2] ?? '', Body: BODY })),
    ),
  );
  const acknowledged = puts.filter(({ status }) => status === 'fulfilled').length;
  show('PUTs acknowledged', acknowledged, OBJECTS);
  const byRing = names.filter((path) =>
    disks.primariesOf('object', path).some(({ node }) => node === DOWN),
  ).length;
  show('copies on handoffs, as the rings say', byRing, 15);
  show('copies on handoffs, on the disks', disks.handoffs(names).length, byRing);
  await ask('POST', '/lab/api/node/up', { journal_id: drill });
  const { run } = await until(
    () => ask('GET', `/lab/api/node/drills/${drill}`),
    (view) => view.run.ended_unix_s !== null,
  );
  say(`  the drill ended ${run.state}`);
  await disks.pass('object-replicator');
  show('copies on handoffs after one pass', disks.handoffs(names).length, 0);
  const all = names.reduce((sum, path) => sum + disks.copiesOf(path).length, 0);
  show('copies altogether', all, 3 * OBJECTS);
  await disks.pass('object-updater');
}

/** @param {ConsoleApi} ask @param {string} component @param {(count: number | null) => boolean} isEnough */
async function debtOf(ask, component, isEnough) {
  const find = (/** @type {any} */ snapshot) =>
    snapshot.components.find((/** @type {any} */ one) => one.id === component);
  const snapshot = await until(
    () => ask('GET', '/lab/api/debt/snapshot'),
    (seen) => isEnough(find(seen).count),
  );
  const { count, debt_s: debtS, state } = find(snapshot);
  say(
    `  the Repair Debt Index: ${component} ${state}, ${count}, ${debtS} s; all ${snapshot.debt_s} s`,
  );
  return { count, debtS: debtS ?? 0, allS: snapshot.debt_s ?? 0 };
}

/**
 * @param {{ demo: Awaited<ReturnType<typeof bringUp>>, ask: ConsoleApi, swift: Awaited<ReturnType<typeof swiftClient>>, disks: Disks, names: readonly string[] }} given
 */
async function stopContainerServer({
  demo: { id, places, ports, spec },
  ask,
  swift,
  disks,
  names,
}) {
  const container = `AUTH_demo/${BUCKET}`;
  const [primary] = disks.primariesOf('container', container);
  const name = `container-server.${primary?.node}`;
  say(`\n${name} is stopped, which has a replica of the container`);
  show('updates that wait before', disks.pending(), 0);
  const calm = await debtOf(ask, 'async', (count) => count === 0);
  await endProcesses(id, ({ service }) => service === name);
  for (const path of names) await swift('PUT', path, {}, BODY);
  show(
    'updates that wait',
    await until(
      () => disks.pending(),
      (count) => count >= OBJECTS,
    ),
    OBJECTS,
  );
  const owed = await debtOf(ask, 'async', (count) => count === OBJECTS);
  show('the debt has risen', [owed.count, owed.debtS > calm.debtS], [OBJECTS, true]);
  const service = swiftServices(places, ports, spec).find((one) => one.name === name);
  if (service === undefined) throw new Error(`there is no ${name}`);
  await startService(id, service, START_LIMIT_MS);
  const part = disks.partOf('container', container);
  const url = `http://${service.ip}:${service.port}/${primary?.device}/${part}/${container}`;
  const times = async () => {
    const answer = await globalThis.fetch(`${url}?format=json`);
    return /** @type {{ last_modified: string }[]} */ (await answer.json());
  };
  const before = (await times()).map((one) => one.last_modified).sort();
  await disks.pass('object-updater');
  show('updates that wait after one pass of the updaters', disks.pending(), 0);
  const after = (await times()).map((one) => one.last_modified).sort();
  show('its replica has every later write', (after[0] ?? '') > (before.at(-1) ?? ''), true);
  const paid = await debtOf(ask, 'async', (count) => count === 0);
  show('the debt has fallen', [paid.count, paid.debtS], [0, 0]);
}

/** @param {ConsoleApi} ask @param {Disks} disks @param {string} path */
async function corruptCopy(ask, disks, path) {
  // A copy on a handoff goes away by itself: a proxy may have written one since the drill.
  const isPrimary = (/** @type {import('./lib/disks.mjs').Copy} */ { node }) =>
    disks.primariesOf('object', path).some((one) => one.node === node);
  const copy = disks.copiesOf(path).find(isPrimary);
  if (copy === undefined) throw new Error(`there is no copy of ${path}`);
  say(`\nA copy on ${copy.node} is damaged`);
  const fileOf = (/** @type {string} */ folder) => {
    const found = disks.copiesOf(path).find((one) => one.folder === folder);
    return found === undefined ? undefined : dataFile(folder);
  };
  const file = dataFile(copy.folder);
  const calm = await debtOf(ask, 'quarantine', (count) => count === 0);
  writeFileSync(file, 'X'.repeat(BODY.length), { flag: 'r+' });
  await disks.pass('object-auditor', copy.node);
  show('copies in quarantine', disks.quarantined().length, 1);
  show('the copy is gone from its place', fileOf(copy.folder), undefined);
  const owed = await debtOf(ask, 'quarantine', (count) => (count ?? 0) > 0);
  show('the debt has risen', owed.debtS > calm.debtS, true);
  await disks.pass('object-replicator');
  const restored = fileOf(copy.folder);
  const digest = restored === undefined ? '' : md5(readFileSync(restored));
  show('the copy is back, and right', digest, md5(Buffer.from(BODY)));
  for (const { folder } of disks.quarantined()) rmSync(folder, { recursive: true });
  const paid = await debtOf(ask, 'quarantine', (count) => count === 0);
  show('the debt has fallen', paid.debtS, 0);
}

/** @param {ConsoleApi} ask @param {Disks} disks */
async function leaveGhosts(ask, disks) {
  say(`\n${GHOSTS} objects expire, and no expirer runs`);
  const given = { count: GHOSTS, first_s: 3, step_s: 1, expirer_s: 10, watch_s: 3600 };
  const { id } = await ask('POST', '/lab/api/expired/runs', given);
  const seen = async () => {
    const run = await ask('GET', `/lab/api/expired/runs/${id}`);
    const { objects = [], findings = [], summary } = run.detail ?? run.result ?? {};
    const states = objects.map((/** @type {any} */ one) => one.state);
    const found = findings.map((/** @type {any} */ one) => one.id);
    return { run, states, found, summary };
  };
  const isOff = await until(seen, ({ found }) => found.includes('expirer_not_running'));
  show('states', isOff.states, Array(GHOSTS).fill('Recoverable Ghost'));
  show('the finding', isOff.found.includes('expirer_not_running'), true);
  // The expirer works by the listing of its queue, which updaters complete.
  let now = isOff;
  for (let passes = 0; passes < 6 && now.run.ended_unix_s === null; passes += 1) {
    await disks.pass('object-updater');
    await disks.pass('container-updater');
    await disks.pass('object-expirer', 'node1');
    now = await seen();
  }
  now = await until(seen, ({ run }) => run.ended_unix_s !== null);
  show('states after the expirer', now.states, Array(GHOSTS).fill('Physically Reaped'));
  show('objects reaped', [now.summary.n, now.summary.reaped], [GHOSTS, GHOSTS]);
  const { mean_s: mean, p95_s: p95, max_s: max } = now.summary;
  say(
    `  ghost periods: mean ${mean.toFixed(1)} s, P95 ${p95.toFixed(1)} s, longest ${max.toFixed(1)} s`,
  );
}

/** @param {ConsoleApi} ask @param {string} origin of the proxy @param {string} token */
async function delayBodies(ask, origin, token) {
  say(`\nBodies come ${LATE_MS} ms late: the stage of the proxy that waits for them`);
  const means = [];
  for (const lateMs of [0, LATE_MS]) {
    const { id } = await ask('POST', '/lab/api/profilemap/marks', {});
    for (let count = 0; count < 10; count += 1) await latePut(origin, token, lateMs);
    const { root, sources } = await ask('GET', `/lab/api/profilemap/snapshot?path=put&from=${id}`);
    const live = sources.filter((/** @type {any} */ one) => one.state === 'live');
    show(
      'sources that are live',
      live.map((/** @type {any} */ one) => one.id),
      ['recon_stage', 'filter', 'statsd'],
    );
    const nodes = flat(root).filter(({ mean_ms: mean }) => mean !== null);
    means.push(new Map(nodes.map((node) => [node.id, node.mean_ms])));
  }
  const [calm, late] = means;
  for (const stage of ['filter', 'middleware', 'guard', 'proxy_server', 'read_body', 'send_body']) {
    const name = `swift.proxy.${stage}`;
    say(`  ${stage}: ${calm?.get(name)?.toFixed(1)} ms, then ${late?.get(name)?.toFixed(1)} ms`);
  }
  const [was = 0, is = 0] = [calm, late].map((one) => one?.get('swift.proxy.read_body'));
  // A timer may fire a moment early.
  show(`read_body has the ${LATE_MS} ms`, is > was && is > LATE_MS - 5, true);
}

/** @param {any} node @returns {any[]} */
function flat(node) {
  return [node, ...node.children.flatMap(flat)];
}

/** @param {string} origin @param {string} token @param {number} lateMs */
function latePut(origin, token, lateMs) {
  return new Promise((resolvePut, reject) => {
    const headers = {
      ...{ 'x-auth-token': token, 'content-length': BODY.length },
      // The proxy says that it goes on when it reads the body, and not before.
      expect: '100-continue',
    };
    const sent = request(`${origin}/v1/AUTH_demo/${BUCKET}/timed`, { method: 'PUT', headers });
    sent.once('error', reject);
    sent.once('response', (answer) => answer.resume().once('end', resolvePut));
    sent.once('continue', () => setTimeout(() => sent.end(BODY), lateMs));
  });
}

await runOnCluster(DEFAULT_DIR, golden, say);
