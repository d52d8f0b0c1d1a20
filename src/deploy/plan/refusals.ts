import type { BuilderState } from '../../ring/builder/state.js';
import { presentDevices } from '../../ring/device.js';
import { pointer, type SpecProblem } from '../spec/parse.js';
import { devicesOfRing } from '../spec/queries.js';
import type { Spec, SpecRing } from '../spec/schema.js';
import { newDevice, ownDevices } from './ring-changes.js';

/** The part of a ring's weight that may go in one plan without `allow_large`. */
const WEIGHT_LOSS_MAX_PCT = 25;

/** The state in force. */
export interface InForce {
  /** The specification that was applied last; undefined before the first time. */
  readonly spec: Spec | undefined;
  /** By name of the ring. */
  readonly builders: ReadonlyMap<string, BuilderState>;
}

/**
 * Changes that would lose data, or make it unreachable. Those with the code `needs_allow_large` are
 * made where the operator says so; the others never.
 */
export function refusals(spec: Spec, { spec: before, builders }: InForce): SpecProblem[] {
  const problems: SpecProblem[] = [];
  const refuse = (path: readonly PropertyKey[], code: string, message: string): void => {
    problems.push({ path: pointer(path), code, message });
  };
  const large = (path: readonly PropertyKey[], message: string): void => {
    refuse(path, 'needs_allow_large', message);
  };
  for (const [at, ring] of spec.rings.entries()) {
    const builder = builders.get(ring.name);
    if (builder === undefined) continue;
    const place = ['rings', at];
    if (builder.partPower !== ring.part_power) {
      const message = `${ring.name} has the part power ${builder.partPower}: with another one, nothing would be found`;
      refuse([...place, 'part_power'], 'immutable', message);
    }
    if (ring.replicas < builder.replicas) {
      const message = `${ring.name} would have ${ring.replicas} replicas, not ${builder.replicas}: the copies that go are given up at once`;
      large([...place, 'replicas'], message);
    }
    checkLosses(spec, ring, builder, (message) => {
      large(place, message);
    });
  }
  if (before !== undefined) checkSpec(spec, before, refuse, large);
  return problems;
}

function checkSpec(
  spec: Spec,
  before: Spec,
  refuse: (path: readonly PropertyKey[], code: string, message: string) => void,
  large: (path: readonly PropertyKey[], message: string) => void,
): void {
  for (const key of ['prefix_ref', 'suffix_ref'] as const) {
    if (spec.hash[key] !== before.hash[key]) {
      const message = `it is ${before.hash[key]}: with another one, nothing would be found`;
      refuse(['hash', key], 'immutable', message);
    }
  }
  if (spec.cluster !== before.cluster) {
    refuse(['cluster'], 'immutable', `this service keeps the cluster ${before.cluster}`);
  }
  for (const [at, { name, devices_dir: folder }] of spec.nodes.entries()) {
    const old = before.nodes.find((node) => node.name === name);
    if (old === undefined || old.devices.length === 0 || old.devices_dir === folder) continue;
    const message = `${name} has its devices in ${old.devices_dir}: what is stored on them would not be found, unless they are mounted elsewhere first`;
    large(['nodes', at, 'devices_dir'], message);
  }
  for (const old of before.policies) {
    const at = spec.policies.findIndex(({ index }) => index === old.index);
    const now = spec.policies[at];
    if (now === undefined) {
      const message = `policy ${old.index} (${old.name}) would be gone: containers that have it could not be read; "deprecated" keeps it`;
      large(['policies'], message);
      continue;
    }
    const { ec } = now;
    const isSame =
      old.type === now.type &&
      old.ec?.type === ec?.type &&
      old.ec?.k === ec?.k &&
      old.ec?.m === ec?.m &&
      // Proxies cut objects up by the option, not by what an object was written with.
      old.ec?.segment_bytes === ec?.segment_bytes &&
      old.ec?.dup === ec?.dup;
    if (!isSame) {
      const message = `policy ${old.index} keeps its type and code: its objects could not be read with another one`;
      refuse(['policies', at, 'type'], 'immutable', message);
    }
  }
}

/** Zones and weight that leave a ring. */
function checkLosses(
  spec: Spec,
  ring: SpecRing,
  builder: BuilderState,
  large: (message: string) => void,
): void {
  const before = presentDevices(builder.devices).filter(({ weight }) => weight > 0);
  const after = devicesOfRing(spec.nodes, ring.name).map((each) => newDevice(each, ring.name));
  const kept = new Map(
    ownDevices(builder, after).map((own, at) => [own?.id, after[at]?.weight ?? 0]),
  );
  const zones = new Set(before.map(({ region, zone }) => `${region}/${zone}`));
  for (const { weight, region, zone } of after) if (weight > 0) zones.delete(`${region}/${zone}`);
  if (zones.size > 1) {
    large(`${ring.name} would lose ${zones.size} zones at once: ${[...zones].sort().join(', ')}`);
  }
  const total = before.reduce((sum, { weight }) => sum + weight, 0);
  const lost = before.reduce(
    (sum, { id, weight }) => sum + Math.max(0, weight - (kept.get(id) ?? 0)),
    0,
  );
  const lostPct = total === 0 ? 0 : (100 * lost) / total;
  if (lostPct > WEIGHT_LOSS_MAX_PCT) {
    large(
      `${ring.name} would lose ${lostPct.toFixed(1)} % of its weight, more than ${WEIGHT_LOSS_MAX_PCT} %`,
    );
  }
}
