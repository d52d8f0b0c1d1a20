import type { ConfigProblem } from '../config/problem.js';

/** A storage policy of swift.conf: one of a cluster's ways to keep objects. */
export interface Policy {
  /** `X-Backend-Storage-Policy-Index`. */
  readonly index: number;
  readonly name: string;
  /** All of its names, the first included. */
  readonly names: readonly string[];
  /** Containers that name no policy have it. */
  readonly isDefault: boolean;
  /** No new container may have it. */
  readonly isDeprecated: boolean;
  /** Name of its ring: `object`, `object-1`, … */
  readonly ringName: string;
  readonly diskfileModule: string | undefined;
  /** Undefined where each replica is a whole copy. */
  readonly erasureCoding: ErasureCoding | undefined;
}

export interface ErasureCoding {
  /** The code, by PyECLib's name, such as `liberasurecode_rs_vand`. */
  readonly type: string;
  readonly dataFragments: number;
  readonly parityFragments: number;
  readonly segmentBytes: number;
  /** How often each fragment is kept. */
  readonly duplicationFactor: number;
}

/** The policies by index. */
export type Policies = ReadonlyMap<number, Policy>;

/** How many replicas the ring of an erasure-coded policy has to have. */
export function fragmentCount(coding: ErasureCoding): number {
  return (coding.dataFragments + coding.parityFragments) * coding.duplicationFactor;
}

/** Finds a policy by any of its names, in any case. */
export function policyByName(policies: Policies, name: string): Policy | undefined {
  const wanted = name.toUpperCase();
  return [...policies.values()].find(({ names }) =>
    names.some((other) => other.toUpperCase() === wanted),
  );
}

const LEGACY_NAME = 'Policy-0';
const SEGMENT_BYTES = 1_048_576;
const TRUE_WORDS = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const COMMON = ['name', 'aliases', 'policy_type', 'default', 'deprecated', 'diskfile_module'];
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  replication: COMMON,
  erasure_coding: [
    ...COMMON,
    'ec_type',
    'ec_num_data_fragments',
    'ec_num_parity_fragments',
    'ec_object_segment_size',
    'ec_duplication_factor',
  ],
};

/**
 * One policy, by the rules of swift/common/storage_policy.py.
 *
 * @param index - what follows the colon in the name of its section
 * @param options - of its section, names in lower case
 * @param key - the section, for errors
 * @returns all that is wrong, where anything is
 */
export function parsePolicy(
  index: string,
  options: ReadonlyMap<string, string>,
  key: string,
): Policy | ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (option: string, expected: string): void => {
    const given = options.get(option);
    problems.push({ source: 'file', key: `${key} ${option}`, given, expected });
  };
  const type = options.get('policy_type') ?? 'replication';
  const known = OPTIONS[type];
  if (known === undefined) refuse('policy_type', 'replication or erasure_coding');
  for (const option of options.keys()) {
    if (known?.includes(option) === false) refuse(option, `an option of a ${type} policy`);
  }
  const number = Number(index.trim());
  if (!/^\+?\d+$/.test(index.trim()) || !Number.isSafeInteger(number)) {
    problems.push({ source: 'file', key, expected: 'a number behind "storage-policy:"' });
  }
  const name = options.get('name') ?? '';
  const names = [name, ...listOf(options.get('aliases')).filter((alias) => alias !== name)];
  for (const [place, given] of names.entries()) {
    const expected = wrongName(given, number, names.slice(0, place));
    if (expected !== undefined) refuse(place === 0 ? 'name' : 'aliases', expected);
  }
  const isDefault = isTrue(options.get('default'));
  const isDeprecated = isTrue(options.get('deprecated'));
  if (isDefault && isDeprecated) refuse('deprecated', 'no deprecated policy as the default');
  const erasureCoding = type === 'erasure_coding' ? parseCoding(options, refuse) : undefined;
  if (erasureCoding !== undefined && !isDeprecated && harmsData(erasureCoding)) {
    refuse('ec_type', 'a deprecated policy, because this code with 5 parities loses data');
  }
  if (problems.length > 0) return problems;
  return {
    index: number,
    name,
    names,
    isDefault,
    isDeprecated,
    ringName: ringNameOf(number),
    diskfileModule: options.get('diskfile_module'),
    erasureCoding,
  };
}

/** The ring of a policy's objects. */
function ringNameOf(index: number): string {
  return index === 0 ? 'object' : `object-${index}`;
}

function wrongName(name: string, index: number, others: readonly string[]): string | undefined {
  if (!/^[-A-Za-z\d]+$/.test(name)) return 'letters, digits and dashes';
  const upper = name.toUpperCase();
  if (upper === LEGACY_NAME.toUpperCase() && index !== 0) {
    return `another name than ${LEGACY_NAME}, which is the first policy's`;
  }
  return others.some((other) => other.toUpperCase() === upper) ? 'each name once' : undefined;
}

function parseCoding(
  options: ReadonlyMap<string, string>,
  refuse: (option: string, expected: string) => void,
): ErasureCoding {
  const count = (option: string, otherwise?: number): number => {
    const given = options.get(option);
    if (given === undefined && otherwise !== undefined) return otherwise;
    const value = /^\+?\d+$/.test(given?.trim() ?? '') ? Number(given) : 0;
    if (value < 1 || !Number.isSafeInteger(value)) refuse(option, 'a whole number of at least 1');
    return value;
  };
  const type = options.get('ec_type') ?? '';
  if (type === '') refuse('ec_type', 'the name of a code, such as liberasurecode_rs_vand');
  return {
    type,
    dataFragments: count('ec_num_data_fragments'),
    parityFragments: count('ec_num_parity_fragments'),
    segmentBytes: count('ec_object_segment_size', SEGMENT_BYTES),
    duplicationFactor: count('ec_duplication_factor', 1),
  };
}

/** https://bugs.launchpad.net/swift/+bug/1639691 */
function harmsData({ type, parityFragments }: ErasureCoding): boolean {
  return type === 'isa_l_rs_vand' && parityFragments >= 5;
}

/**
 * All policies of a cluster. A file without any has one, `Policy-0`.
 *
 * @returns all that is wrong, where anything is
 */
export function collectPolicies(
  given: readonly Policy[],
  file: string,
): Policies | ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (expected: string, found?: string): void => {
    problems.push({ source: 'file', key: file, found, expected });
  };
  const policies = new Map<number, Policy>();
  const names = new Set<string>();
  for (const policy of given.length === 0 ? [legacyPolicy()] : given) {
    if (policies.has(policy.index)) refuse(`policy ${policy.index} once`);
    policies.set(policy.index, policy);
    for (const name of policy.names) {
      if (names.has(name.toUpperCase())) refuse(`the policy name ${name} once`);
      names.add(name.toUpperCase());
    }
  }
  const all = [...policies.values()];
  if (!policies.has(0)) refuse('a section [storage-policy:0] beside those of other policies');
  if (all.every(({ isDeprecated }) => isDeprecated)) refuse('a policy that is not deprecated');
  const defaults = all.filter(({ isDefault }) => isDefault);
  if (defaults.length > 1) refuse('one policy with default = yes', `${defaults.length} of them`);
  const only = policies.get(0);
  if (defaults.length === 0 && all.length > 1) refuse('one policy with default = yes', 'none');
  if (problems.length > 0) return problems;
  if (defaults.length === 0 && only !== undefined) policies.set(0, { ...only, isDefault: true });
  return new Map([...policies].sort(([a], [b]) => a - b));
}

function legacyPolicy(): Policy {
  return {
    index: 0,
    name: LEGACY_NAME,
    names: [LEGACY_NAME],
    isDefault: true,
    isDeprecated: false,
    ringName: ringNameOf(0),
    diskfileModule: undefined,
    erasureCoding: undefined,
  };
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function isTrue(value: string | undefined): boolean {
  return TRUE_WORDS.has((value ?? '').toLowerCase());
}
