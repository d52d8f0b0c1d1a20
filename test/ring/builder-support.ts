import { join } from 'node:path';
import { ringOf } from '../../src/ring/builder/rebalance.js';
import {
  changeBuilder,
  type BuilderChange,
  type BuilderState,
  type NewDevice,
} from '../../src/ring/builder/state.js';
import { parseDevices } from '../../src/ring/device.js';
import type { Assignment } from '../../src/ring/ring-health.js';
import { mustRun } from '../support/programs.js';
import { PYTHON } from './support.js';

/** The outcome of one rebalance. */
export interface Outcome {
  readonly moved: number;
  readonly balance: number;
  readonly dispersion: number;
}

/** A builder of Swift, changes to it, and what Swift made of both in some runs. */
export interface RebalanceCase {
  readonly before: BuilderState;
  readonly changes: readonly BuilderChange[];
  readonly nowS: number;
  /** Undefined where Swift refuses. */
  readonly runs: readonly Outcome[] | undefined;
}

/** @param args - of rebalances.py */
export async function casesOfSwift(...args: readonly string[]): Promise<RebalanceCase[]> {
  const { stdout } = await mustRun('python3', [join(PYTHON, 'rebalances.py'), ...args]);
  return stdout.trim().split('\n').map(parseCase);
}

type Json = Readonly<Record<string, unknown>>;

function parseCase(line: string): RebalanceCase {
  const { state, changes, nowS, runs } = JSON.parse(line) as {
    readonly state: Omit<BuilderState, 'devices' | 'rows' | 'hoursSinceMove'> & {
      readonly devices: unknown;
      readonly rows: readonly (readonly number[])[];
      readonly hoursSinceMove: string;
    };
    readonly changes: readonly Json[];
    readonly nowS: number;
    readonly runs: readonly Outcome[] | string;
  };
  return {
    before: {
      ...state,
      nextPartPower: undefined,
      removed: [],
      devices: parseDevices(state.devices),
      rows: state.rows.map((row) => Uint16Array.from(row)),
      hoursSinceMove: Uint8Array.from(Buffer.from(state.hoursSinceMove, 'base64')),
    },
    changes: changes.map(parseChange),
    nowS,
    runs: typeof runs === 'string' ? undefined : runs,
  };
}

function parseChange(change: Json): BuilderChange {
  if (change.kind !== 'add') return change as unknown as BuilderChange;
  const { id } = change.device as { readonly id: number };
  const before: unknown[] = new Array<null>(id).fill(null);
  return { kind: 'add', device: parseDevices([...before, change.device]).at(id) as NewDevice };
}

export function changed({ before, changes }: RebalanceCase): BuilderState {
  return changeBuilder(before, changes);
}

/** A builder's ring, with its number of replicas as it is. */
export function assignmentOf(state: BuilderState): Assignment {
  return { ...ringOf(state), replicas: state.replicas };
}

/** A device to add. */
export function newDevice(name: string, more: Partial<NewDevice> = {}): NewDevice {
  return {
    region: 1,
    zone: 1,
    ip: '10.0.0.1',
    port: 6200,
    replicationIp: '10.0.0.1',
    replicationPort: 6200,
    device: name,
    weight: 100,
    meta: '',
    ...more,
  };
}
