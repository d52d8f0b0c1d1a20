import type { z } from 'zod';
import { isSecretName } from '../../config/problem.js';
import { duplicateProblems } from './duplicates.js';
import { networkProblems } from './network-checks.js';
import { pointer, type SpecProblem } from './parse.js';
import {
  nodeSchema,
  policySchema,
  ringSchema,
  type Spec,
  type SpecNode,
  type SpecPolicy,
  type SpecRing,
} from './schema.js';
import { devicesOfRing, ringOfPolicy, STORAGE_ROLES } from './queries.js';

/** A list of the specification: the entries that are right by themselves, with their places. */
interface Entries<T> {
  readonly valid: readonly { readonly at: number; readonly value: T }[];
  /** Whether every entry is right: else what is missing may be in one that is wrong. */
  readonly isWhole: boolean;
}

type Report = (path: readonly PropertyKey[], code: string, message: string) => void;

/** Contradictions between fields, of the parts of a specification that are right by themselves. */
export function crossProblems(value: unknown): SpecProblem[] {
  const problems: SpecProblem[] = [];
  const report: Report = (path, code, message) => {
    problems.push({ path: pointer(path), code, message });
  };
  if (typeof value !== 'object' || value === null) return problems;
  const raw = value as Readonly<Record<string, unknown>>;
  const policies = entriesOf(policySchema, raw.policies);
  const rings = entriesOf(ringSchema, raw.rings);
  const nodes = entriesOf(nodeSchema, raw.nodes);
  duplicateProblems(raw, report);
  checkPolicies(policies, report);
  checkRings(rings, policies, report);
  checkNodes(nodes, rings, report);
  checkDeviceCounts(rings, nodes, report);
  networkProblems(nodes.valid, raw, report);
  checkOptions(raw, report);
  return problems;
}

function entriesOf<T extends z.ZodType>(schema: T, list: unknown): Entries<z.infer<T>> {
  if (!Array.isArray(list)) return { valid: [], isWhole: false };
  const valid: { at: number; value: z.infer<T> }[] = [];
  for (const [at, entry] of list.entries()) {
    const result = schema.safeParse(entry);
    if (result.success) valid.push({ at, value: result.data });
  }
  return { valid, isWhole: valid.length === list.length };
}

/** The rules of swift/common/storage_policy.py. */
function checkPolicies({ valid, isWhole }: Entries<SpecPolicy>, report: Report): void {
  const indexes = new Set<number>();
  for (const { at, value } of valid) {
    const place = ['policies', at];
    indexes.add(value.index);
    for (const [number, name] of [value.name, ...value.aliases].entries()) {
      const key = number === 0 ? [...place, 'name'] : [...place, 'aliases', number - 1];
      if (name.toUpperCase() === 'POLICY-0' && value.index !== 0) {
        report(key, 'reserved', 'expected another name than Policy-0, which is that of policy 0');
      }
    }
    checkCoding(value, place, report);
  }
  if (!isWhole || valid.length === 0) return;
  if (!indexes.has(0)) report(['policies'], 'no_policy_0', 'expected a policy with the index 0');
  const defaults = valid.filter(({ value }) => value.default);
  if (defaults.length !== 1) {
    const message = `expected one policy with "default": true, got ${defaults.length}`;
    report(['policies'], 'default', message);
  }
}

function checkCoding(policy: SpecPolicy, place: readonly PropertyKey[], report: Report): void {
  const { type, ec, deprecated } = policy;
  if (policy.default && deprecated) {
    report([...place, 'deprecated'], 'default', 'expected no deprecated policy as the default');
  }
  if (type === 'erasure_coding' && ec === undefined) {
    report([...place, 'ec'], 'missing', 'expected the code, as "ec"');
  }
  if (type === 'replication' && ec !== undefined) {
    report([...place, 'ec'], 'unknown_key', 'expected no "ec" of a replicated policy');
  }
  // https://bugs.launchpad.net/swift/+bug/1639691
  if (ec?.type === 'isa_l_rs_vand' && ec.m >= 5 && !deprecated) {
    const message = 'expected another code: isa_l_rs_vand with 5 parities or more loses data';
    report([...place, 'ec', 'type'], 'unsafe', message);
  }
}

function checkRings(
  { valid, isWhole }: Entries<SpecRing>,
  policies: Entries<SpecPolicy>,
  report: Report,
): void {
  const names = new Set<string>();
  for (const { at, value } of valid) {
    const { name, replicas } = value;
    const place = ['rings', at];
    names.add(name);
    if (!name.startsWith('object')) continue;
    const policy = policies.valid.find((each) => ringOfPolicy(each.value.index) === name)?.value;
    if (policy === undefined) {
      if (policies.isWhole)
        report([...place, 'name'], 'no_policy', `expected a policy for ${name}`);
      continue;
    }
    const { ec } = policy;
    if (ec !== undefined && replicas !== (ec.k + ec.m) * ec.dup) {
      const message = `expected ${(ec.k + ec.m) * ec.dup} replicas, one for each fragment: (k + m) * dup`;
      report([...place, 'replicas'], 'ec_replicas', message);
    }
  }
  if (!isWhole) return;
  const needed = policies.valid.map(({ value }) => ringOfPolicy(value.index));
  for (const name of new Set(['account', 'container', ...needed])) {
    if (!names.has(name)) report(['rings'], 'missing_ring', `expected a ring ${name}`);
  }
}

function checkNodes(nodes: Entries<SpecNode>, rings: Entries<SpecRing>, report: Report): void {
  for (const { at, value } of nodes.valid) {
    const { roles, devices } = value;
    const place = ['nodes', at];
    const stores = STORAGE_ROLES.some((role) => roles.includes(role));
    if (devices.length > 0 && !stores) {
      report([...place, 'devices'], 'no_role', 'expected no devices without a role that stores');
    }
    checkDevices(value, place, rings, report);
  }
  if (nodes.isWhole && !nodes.valid.some(({ value }) => value.roles.includes('proxy'))) {
    report(['nodes'], 'no_proxy', 'expected a node with the role proxy');
  }
}

function checkDevices(
  { devices, roles, devices_dir: root }: SpecNode,
  place: readonly PropertyKey[],
  rings: Entries<SpecRing>,
  report: Report,
): void {
  for (const [at, device] of devices.entries()) {
    const here = [...place, 'devices', at];
    if (device.mount !== undefined && device.mount !== `${root}/${device.name}`) {
      const message = `expected ${root}/${device.name}: Swift finds devices by their names there`;
      report([...here, 'mount'], 'mount', message);
    }
    for (const [number, ring] of (device.rings ?? []).entries()) {
      const isThere = rings.valid.some(({ value }) => value.name === ring);
      if (rings.isWhole && !isThere) {
        report([...here, 'rings', number], 'no_ring', `expected a ring of "rings", got ${ring}`);
      }
      if (!(roles as readonly string[]).includes(ring.replace(/-\d+$/, ''))) {
        report([...here, 'rings', number], 'no_role', `expected a node with a role for ${ring}`);
      }
    }
  }
}

/** A ring of format 1 has ids of two bytes, one of which means no device. */
const RING_DEVICES_MAX = 65_535;

function checkDeviceCounts(
  rings: Entries<SpecRing>,
  nodes: Entries<SpecNode>,
  report: Report,
): void {
  if (!nodes.isWhole) return;
  const all = nodes.valid.map(({ value }) => value);
  for (const { at, value } of rings.valid) {
    const devices = devicesOfRing(all, value.name);
    const weighted = devices.filter(({ device }) => device.weight > 0).length;
    if (weighted < value.replicas) {
      const message = `expected at least ${value.replicas} devices with a weight, got ${weighted}: no device has two replicas`;
      report(['rings', at, 'replicas'], 'too_few_devices', message);
    }
    if (devices.length > RING_DEVICES_MAX) {
      const message = `expected at most ${RING_DEVICES_MAX} devices, got ${devices.length}`;
      report(['rings', at, 'name'], 'too_many_devices', message);
    }
  }
}

/** Options that the files have from elsewhere in the specification. */
const OWN_OPTIONS = new Set([
  'use',
  'bind_ip',
  'bind_port',
  'devices',
  'swift_dir',
  'memcache_servers',
  'rsync_module',
  'secret_file',
]);

/**
 * Options by which Swift loads Python code, or a file that names some: `use` is Deploy's own. Who may
 * write a specification may not thereby run code on every node.
 */
const CODE_OPTIONS = new Set([
  'log_custom_handlers',
  'internal_client_conf_path',
  'profile_module',
  'diskfile_module',
  'watchers',
]);

function checkOptions(raw: Readonly<Record<string, unknown>>, report: Report): void {
  const { proxy, tuning } = raw as { proxy?: { pipeline_options?: unknown }; tuning?: unknown };
  const groups = [
    [['proxy', 'pipeline_options'], proxy?.pipeline_options],
    [['tuning'], tuning],
  ] as const;
  for (const [place, group] of groups) {
    if (typeof group !== 'object' || group === null) continue;
    for (const [section, options] of Object.entries(group as Record<string, unknown>)) {
      if (typeof options !== 'object' || options === null) continue;
      for (const option of Object.keys(options)) {
        const path = [...place, section, option];
        if (OWN_OPTIONS.has(option)) {
          report(path, 'own_option', 'expected no option that Deploy sets itself');
        } else if (CODE_OPTIONS.has(option)) {
          report(path, 'code', 'expected no option that names code for Swift to run');
        } else if (isSecretName(option) || option.startsWith('user_')) {
          report(path, 'secret', 'expected no secret: a specification only refers to secrets');
        }
      }
    }
  }
}

/** Settings that are allowed, and seldom meant. */
export function crossWarnings(spec: Spec): SpecProblem[] {
  const warnings: SpecProblem[] = [];
  const warn: Report = (path, code, message) => {
    warnings.push({ path: pointer(path), code, message });
  };
  if (!spec.nodes.some(({ roles }) => roles.includes('expirer'))) {
    warn(['nodes'], 'no_expirer', 'no node has the role expirer: expired objects keep their space');
  }
  for (const [at, { name, min_part_hours: hours, replicas }] of spec.rings.entries()) {
    const devices = devicesOfRing(spec.nodes, name).filter(({ device }) => device.weight > 0);
    const zones = new Set(devices.map(({ node }) => `${node.region}/${node.zone}`));
    if (hours === 0) {
      const message = `${name}: with 0 hours, partitions may move again before replicators have finished`;
      warn(['rings', at, 'min_part_hours'], 'min_part_hours', message);
    }
    if (zones.size === 1 && replicas > 1) {
      warn(
        ['rings', at],
        'one_zone',
        `${name}: all devices are in one zone, and may fail together`,
      );
    }
    if (replicas < 3 && !isCoded(spec, name)) {
      const message = `${name}: with ${replicas} replicas, the gateway's exclusive writes are not safe (docs/swift.md)`;
      warn(['rings', at, 'replicas'], 'few_replicas', message);
    }
  }
  const { auth } = spec.proxy;
  if (spec.gateway !== undefined && auth.type === 'tempauth') {
    const own = auth.users.find(({ account, user }) => `${account}:${user}` === spec.gateway?.user);
    if (own?.groups.includes('.reseller_admin') !== true) {
      const message = 'the user is no .reseller_admin of proxy.auth.users: the gateway needs that';
      warn(['gateway', 'user'], 'gateway_user', message);
    }
  }
  return warnings;
}

function isCoded({ policies }: Spec, ring: string): boolean {
  return policies.some(({ index, ec }) => ec !== undefined && ringOfPolicy(index) === ring);
}
