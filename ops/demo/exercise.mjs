/**
 * Changes a cluster that Deploy has made while a client reads and writes: see docs/deploy.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { labProcesses, signalAll, spawnService } from '../swift-lab/lib/processes.mjs';
import { startService } from '../swift-lab/lib/up.mjs';
import { demoSpec, SPARE_ADDRESS } from './lib/cluster.mjs';
import { controlOf, deployOnce, jsonOf } from './lib/control.mjs';
import { fill, swiftClient } from './lib/fill.mjs';
import { Load } from './lib/load.mjs';
import { expectRingsEverywhere, movedParts, placementOf, untilPlaced } from './lib/placement.mjs';
import { runOnCluster } from './lib/program.mjs';
import { copyingServices, makeDevices, swiftServices } from './lib/services.mjs';
import { bringUp, START_LIMIT_MS } from './lib/up.mjs';

/** @typedef {import('./lib/cluster.mjs').DemoSpec} DemoSpec */
/** @typedef {import('./lib/cluster.mjs').DemoPorts} DemoPorts */
/** @typedef {import('./lib/cluster.mjs').Places} Places */
/** @typedef {Awaited<ReturnType<typeof bringUp>>} Demo */
/** @typedef {import('./lib/placement.mjs').Placement} Placement */

const DEFAULT_DIR = '.ringway-exercise';
/** 32 partitions: each of them gets data. */
const PART_POWER = 5;
/** Replicators on a busy machine. */
const COPY_LIMIT_MS = 900_000;
const PLANS_MAX = 6;
const POLL_MS = 100;

const say = (/** @type {string} */ line) => console.log(line);

/** The demo's cluster with a second proxy, few partitions, and replicators that do not rest. @param {DemoPorts} ports @param {Places} places @returns {DemoSpec} */
function exerciseSpec(ports, places) {
  const spec = demoSpec(ports, places);
  const interval = { interval: 2 };
  return {
    ...spec,
    rings: spec.rings.map((ring) => ({ ...ring, part_power: PART_POWER })),
    nodes: spec.nodes.map((node, at) => ({
      ...node,
      roles: at === 1 ? [...node.roles, 'proxy'] : node.roles,
    })),
    // A master, which lets its worker finish when it is told to end.
    proxy: { ...spec.proxy, workers: 1 },
    tuning: Object.assign(spec.tuning, {
      'account-replicator': interval,
      'container-replicator': interval,
      'object-replicator': interval,
      'object-reconstructor': interval,
    }),
  };
}

/** @param {DemoSpec} spec @param {(node: DemoSpec['nodes'][number]) => DemoSpec['nodes'][number]} change */
function withNode1(spec, change) {
  return {
    ...spec,
    nodes: spec.nodes.map((node) => (node.name === 'node1' ? change(node) : node)),
  };
}

/** @type {{ title: string, byRamp?: boolean, change: (spec: DemoSpec) => DemoSpec }[]} */
const PHASES = [
  {
    title: 'a node with two devices is added',
    change: (spec) => {
      const [first] = spec.nodes.slice(2);
      if (first === undefined) throw new Error('the demo has nodes');
      const added = { ...first, name: 'node5', zone: 5, storage_ip: SPARE_ADDRESS };
      return { ...spec, nodes: [...spec.nodes, added] };
    },
  },
  {
    title: 'a device is drained, by a ramp in two steps',
    byRamp: true,
    change: (spec) =>
      withNode1(Object.assign({}, spec, { rollout: { weight_step_pct: 50 } }), (node) => ({
        ...node,
        devices: node.devices.map((device) => ({
          ...device,
          weight: device.name === 'd2' ? 0 : device.weight,
        })),
      })),
  },
  {
    title: 'the device is removed',
    change: (spec) =>
      withNode1(spec, (node) => ({
        ...node,
        devices: node.devices.filter(({ name }) => name !== 'd2'),
      })),
  },
  {
    title: 'another policy is the default',
    change: (spec) => ({
      ...spec,
      policies: spec.policies.map((policy) => {
        const isDefault = policy.name === 'silver';
        return /** @type {DemoSpec['policies'][number]} */ ({ ...policy, default: isDefault });
      }),
    }),
  },
];

/** @param {string} dir */
async function exercise(dir) {
  const demo = await bringUp(dir, exerciseSpec, say);
  const { id, places, ports, state } = demo;
  let { spec } = demo;
  const ask = controlOf(state.deploy, state.token_file);
  const swift = await swiftClient(places, spec);
  const objects = await fill(places, spec, swift);
  say(`${objects.length} objects, and something in every partition of all rings`);
  for (const service of copyingServices(places, ports, spec)) spawnService(id, service);
  const load = new Load(state.s3, state.login, 'load');
  await load.makeBucket('load');
  load.start();
  /** @type {Placement} */
  let before = await untilPlaced(places, spec, COPY_LIMIT_MS);
  for (const { title, change, byRamp } of PHASES) {
    const former = spec;
    spec = change(spec);
    say(`\n${title}`);
    makeDevices(places, spec);
    for (let number = 1; byRamp !== true; number += 1) {
      if (number > PLANS_MAX) throw new Error(`more than ${PLANS_MAX} plans`);
      const { plan, run } = await deployOnce(ask, spec);
      if (number === 1) await startNew(demo, former, spec);
      const asked = await expectRingsEverywhere(places, spec);
      const commands = run.steps.flatMap(
        (/** @type {{ commands: string[] }} */ step) => step.commands,
      );
      if (commands.some((/** @type {string} */ line) => line.endsWith(' swift-proxy'))) {
        await restartProxies(demo, spec);
      }
      // The disks of what leaves are looked at as well.
      const all = {
        ...spec,
        nodes: former.nodes.length > spec.nodes.length ? former.nodes : spec.nodes,
      };
      const after = await untilPlaced(places, all, COPY_LIMIT_MS);
      report(predictedBy(plan), before, after);
      say(`  ${asked} rings have the right MD5 in recon`);
      before = after;
      if (plan.complete) break;
    }
    if (byRamp === true) {
      let rings = before;
      await rampTo(ask, spec, async (plan) => {
        const now = await placementOf(places, spec);
        const moved = movedParts(rings, now, 'assigned');
        const predicted = predictedBy(plan);
        say(
          `  a step: predicted ${JSON.stringify(predicted)}, in the rings ${JSON.stringify(moved)}`,
        );
        for (const [ring, parts] of Object.entries(moved)) {
          if ((predicted[ring] ?? 0) !== parts) throw new Error('the prediction was wrong');
        }
        rings = now;
      });
      const after = await untilPlaced(places, spec, COPY_LIMIT_MS);
      report(movedParts(before, after, 'assigned'), before, after);
      say(`  ${await expectRingsEverywhere(places, spec)} rings have the right MD5 in recon`);
      before = after;
    }
    for (const path of objects) {
      const { text } = await swift('GET', path);
      if (text !== path) throw new Error(`${path} has another content`);
    }
  }
  await load.makeBucket('later');
  const { headers } = await swift('HEAD', `AUTH_${state.login.account}/later`);
  const policy = headers.get('x-storage-policy');
  say(`\na new bucket has the policy ${policy}`);
  const again = await deployAgain(ask, spec);
  say(`the same specification once more: ${again}`);
  const written = await load.finish();
  const { errors, ...counts } = load.counts;
  say(`the client: ${JSON.stringify(counts)}, ${written} objects, ${errors} errors`);
  for (const line of load.errors) say(`  ${line}`);
  if (errors > 0 || policy !== 'silver') throw new Error('it is not as it should be');
}

/**
 * Applies a specification by a ramp, and waits for its end.
 *
 * @param {import('./lib/control.mjs').ControlApi} ask
 * @param {DemoSpec} spec
 * @param {(plan: Plan) => Promise<void>} check is called after each step
 */
async function rampTo(ask, spec, check) {
  const headers = { 'idempotency-key': 'exercise' };
  const { ramp_id: id } = jsonOf(await ask('POST', '/ramps', { body: { spec }, headers }));
  let told = '';
  let steps = 0;
  for (;;) {
    const ramp = jsonOf(await ask('GET', `/ramps/${id}`));
    const closed = ramp.gates.filter((/** @type {{ ok: boolean }} */ gate) => !gate.ok);
    const waits = closed.map((/** @type {{ name: string }} */ gate) => gate.name);
    const line = `  ramp ${ramp.state}, ${ramp.runs.length} steps; closed gates: ${waits.join() || 'none'}`;
    if (line !== told) say(line);
    told = line;
    for (; steps < ramp.runs.length; steps += 1) {
      const { plan_id: plan } = jsonOf(await ask('GET', `/runs/${ramp.runs[steps]}`));
      await check(jsonOf(await ask('GET', `/plans/${plan}`)));
    }
    if (ramp.state === 'succeeded') return;
    if (ramp.state !== 'running') throw new Error(`the ramp is ${ramp.state}: ${ramp.message}`);
    await delay(10 * POLL_MS);
  }
}

/** @typedef {{ ring_changes: { ring: string, parts_moved: number }[] }} Plan */

/** @param {Plan} plan @returns {Record<string, number>} */
function predictedBy({ ring_changes: changes }) {
  return Object.fromEntries(changes.map((own) => [own.ring, own.parts_moved]));
}

/**
 * @param {Record<string, number>} predicted
 * @param {Placement} before
 * @param {Placement} after
 * @throws {Error} where they differ
 */
function report(predicted, before, after) {
  const rings = movedParts(before, after, 'assigned');
  const disks = movedParts(before, after, 'found');
  for (const ring of Object.keys(after)) {
    const [plan = 0, inRing, onDisk] = [predicted[ring], rings[ring], disks[ring]];
    say(`  ${ring}: predicted ${plan}, in the rings ${inRing}, on the disks ${onDisk}`);
    if (plan !== inRing || plan !== onDisk) throw new Error('the prediction was wrong');
  }
}

/** @param {Demo} demo @param {DemoSpec} former @param {DemoSpec} spec */
async function startNew({ id, places, ports }, former, spec) {
  const known = new Set(former.nodes.map(({ name }) => name));
  const added = { ...spec, nodes: spec.nodes.filter(({ name }) => !known.has(name)) };
  const start = (/** @type {import('./lib/up.mjs').Service} */ service) =>
    startService(id, service, START_LIMIT_MS);
  await Promise.all(swiftServices(places, ports, added).map(start));
  for (const service of copyingServices(places, ports, added)) spawnService(id, service);
}

/** One after the other, as an operator does: the gateway has the other one meanwhile. @param {Demo} demo @param {DemoSpec} spec */
async function restartProxies({ id, places, ports }, spec) {
  const proxies = swiftServices(places, ports, spec).filter(({ name }) =>
    name.startsWith('proxy-'),
  );
  for (const proxy of proxies) {
    const running = () => labProcesses(id).filter(({ service }) => service === proxy.name);
    signalAll(
      running().filter(({ isLeader }) => isLeader),
      'SIGHUP',
    );
    while (running().length > 0) await delay(POLL_MS);
    await startService(id, proxy, START_LIMIT_MS);
    say(`  ${proxy.name} was restarted`);
  }
}

/** @param {import('./lib/control.mjs').ControlApi} ask @param {DemoSpec} spec */
async function deployAgain(ask, spec) {
  const { plan, run } = await deployOnce(ask, spec);
  return `${plan.actions.length} actions, ${run.steps.length} steps`;
}

await runOnCluster(DEFAULT_DIR, exercise, say);
