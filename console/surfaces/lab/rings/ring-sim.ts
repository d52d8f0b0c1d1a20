import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { presentDevices, type Device } from '../../../../src/ring/device.js';
import { replicaCount, type RingData } from '../../../../src/ring/ring-data.js';
import { ApiError } from '../../../server/api-error.js';
import { runHelper } from '../ground/helper-process.js';
import type { WhatIf } from './ring-changes.js';

/** The answer of `swift-ring-builder-analyzer` to a change. */
export interface Simulation {
  /** Part-replicas that all rebalances after the change move. */
  readonly moved: number;
  /** After the last of them. */
  readonly balance_pct: number;
  readonly rebalances: number;
}

/** Swift's own builder is written in Python: some seconds for a ring of 2^14 partitions. */
const TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 10_000;

type Command =
  | readonly ['add', string, number]
  | readonly ['set_weight', number, number]
  | readonly ['remove', number];

/** A scenario of the program: a first round with the devices of the ring, a second one with the change. */
export interface Scenario {
  readonly part_power: number;
  readonly replicas: number;
  readonly overload: number;
  readonly random_seed: number;
  readonly rounds: readonly (readonly Command[])[];
}

/**
 * The scenario of a change. Ids are those that the program gives: it counts devices as they are
 * added, and a ring may have gaps.
 *
 * @throws ApiError unprocessable for a device that the ring does not have
 */
export function scenarioOf(ring: RingData, { changes, overload, seed }: WhatIf): Scenario {
  const devices = presentDevices(ring.devices);
  const numbers = new Map(devices.map(({ id }, number) => [id, number]));
  const numberOf = (id: number): number => {
    const number = numbers.get(id);
    if (number === undefined) throw new ApiError('unprocessable', `Device ${id} not found.`);
    return number;
  };
  const changed = changes.map((change): Command => {
    switch (change.kind) {
      case 'add':
        return ['add', placeText(change), change.weight];
      case 'remove':
        return ['remove', numberOf(change.id)];
      case 'set_weight':
        return ['set_weight', numberOf(change.id), change.weight];
    }
  });
  return {
    part_power: ring.partPower,
    replicas: replicaCount(ring.rows),
    overload,
    random_seed: seed,
    rounds: [devices.map((device) => ['add', placeText(device), device.weight]), changed],
  };
}

/** As `swift-ring-builder add` takes it: `r1z2-10.0.0.1:6200/sdb1`. */
function placeText(at: Pick<Device, 'region' | 'zone' | 'ip' | 'port' | 'device'>): string {
  const { region, zone, ip, port, device } = at;
  return `r${region}z${zone}-${ip.includes(':') ? `[${ip}]` : ip}:${port}/${device}`;
}

/**
 * Has Swift's program make a change.
 *
 * @param helper - the path of the program, from the configuration, and what ends it
 * @throws ApiError unprocessable where it does not take the scenario; upstream_error; as `runHelper`
 */
export async function simulate(
  { program, signal }: { readonly program: string; readonly signal: AbortSignal },
  scenario: Scenario,
): Promise<Simulation> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ringway-ring-sim-'));
  try {
    const file = path.join(folder, 'scenario.json');
    await writeFile(file, JSON.stringify(scenario), { mode: 0o600 });
    const checked = await runHelper(program, ['--check', file], {
      timeoutMs: CHECK_TIMEOUT_MS,
      signal,
    });
    if (checked.code !== 0) {
      throw new ApiError('unprocessable', 'The helper program rejected this change.');
    }
    const { code, stdout } = await runHelper(program, [file], { timeoutMs: TIMEOUT_MS, signal });
    const simulation = code === 0 ? parseSimulation(stdout) : undefined;
    if (simulation === undefined) {
      throw new ApiError('upstream_error', 'The helper program returned invalid output.');
    }
    return simulation;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the second round; undefined for what no `swift-ring-builder-analyzer` prints */
export function parseSimulation(text: string): Simulation | undefined {
  const [, , second] = text.split(/^Round \d+$/m);
  const lines = [...(second ?? '').matchAll(/moved (\d{1,12}) parts, balance is (\d+(?:\.\d+)?)/g)];
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  return {
    moved: lines.reduce((sum, [, moved]) => sum + Number(moved), 0),
    balance_pct: Number(last[2]),
    rebalances: lines.length,
  };
}
