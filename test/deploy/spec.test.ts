import { expect } from 'chai';
import { etagOf } from '../../src/deploy/spec/canonical.js';
import { canonicalJson } from '../../src/lib/canonical-json.js';
import { SPEC_BYTES_MAX } from '../../src/deploy/spec/parse.js';
import { validate, validateText } from '../../src/deploy/spec/validate.js';
import { exampleJson, exampleSpec, exampleText } from './support.js';

type Path = readonly (string | number)[];

/** The example with another value at a place; undefined takes it away. */
function exampleWith(path: Path, value: unknown): Record<string, unknown> {
  return changed(exampleJson(), path, value);
}

function changed(spec: object, path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(spec) as Record<string, unknown>;
  setAt(copy, path, value);
  return JSON.parse(JSON.stringify(copy)) as Record<string, unknown>;
}

function setAt(whole: Record<string, unknown>, path: Path, value: unknown): void {
  let at: Record<string | number, unknown> = whole;
  for (const step of path.slice(0, -1)) {
    at[step] ??= {};
    at = at[step] as Record<string | number, unknown>;
  }
  at[path.at(-1) ?? ''] = value;
}

/** Every place in a value but the whole. */
function placesOf(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return (entries as [string | number, unknown][]).flatMap(([key, own]) => [
    [key],
    ...placesOf(own).map((path) => [key, ...path]),
  ]);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], value);
}

function errorsOf(value: unknown): string[] {
  return validate(value).errors.map(({ path, code }) => `${path} ${code}`);
}

/** Values that are wrong at a place, with the path and code of the error. */
const WRONG: readonly (readonly [path: Path, value: unknown, error: string])[] = [
  [['api_version'], 'v2', '/api_version invalid'],
  [['cluster'], undefined, '/cluster missing'],
  [['cluster'], 'a b', '/cluster invalid'],
  [['cluster'], '$(reboot)', '/cluster invalid'],
  [['cluster'], 'a\u0007', '/cluster invalid'],
  [['cluster'], 'a\u0000', '/cluster invalid'],
  [['policies', 0, 'name'], 'gold\n[swift-hash]', '/policies/0/name invalid'],
  [['policies', 1, 'aliases'], ['a\u001b[2J'], '/policies/1/aliases/0 invalid'],
  [['nodes', 0, 'name'], 'a\u202eb', '/nodes/0/name invalid'],
  [['nodes', 0, 'name'], '`reboot`', '/nodes/0/name invalid'],
  [['nodes', 0, 'storage_ip'], '127.0.0.1 -oProxyCommand=x', '/nodes/0/storage_ip invalid'],
  [['nodes', 0, 'devices', 0, 'name'], 'd1 && reboot', '/nodes/0/devices/0/name invalid'],
  [['nodes', 0, 'devices', 0, 'mount'], '/srv/$(x)/d1', '/nodes/0/devices/0/mount invalid'],
  [['proxy', 'auth', 'users', 0, 'user'], 'a = b\nc', '/proxy/auth/users/0/user invalid'],
  [['hash', 'prefix_ref'], 'a\tb', '/hash/prefix_ref invalid'],
  [['hash', 'prefix_ref'], '../shadow', '/hash/prefix_ref invalid'],
  [['hash', 'secret'], 'x', '/hash/secret unknown_key'],
  [['polices'], [], '/polices unknown_key'],
  [['policies'], {}, '/policies wrong_type'],
  [['policies'], [], '/policies out_of_range'],
  [['policies', 0, 'index'], '0', '/policies/0/index wrong_type'],
  [['policies', 0, 'index'], -1, '/policies/0/index out_of_range'],
  [['policies', 0, 'index'], 2, '/policies no_policy_0'],
  [['policies', 1, 'index'], 0, '/policies/1/index duplicate'],
  [['policies', 0, 'name'], 'Gold_1', '/policies/0/name invalid'],
  [['policies', 1, 'name'], 'GOLD', '/policies/1/name duplicate'],
  [['policies', 1, 'name'], 'policy-0', '/policies/1/name reserved'],
  [['policies', 1, 'aliases'], ['gold'], '/policies/1/aliases/0 duplicate'],
  [['policies', 0, 'default'], false, '/policies default'],
  [['policies', 1, 'default'], true, '/policies default'],
  [['policies', 0, 'deprecated'], true, '/policies/0/deprecated default'],
  [['policies', 1, 'ec'], undefined, '/policies/1/ec missing'],
  [['policies', 0, 'ec'], { type: 'shss', k: 2, m: 1 }, '/policies/0/ec unknown_key'],
  [['policies', 1, 'ec', 'k'], 3, '/rings/3/replicas ec_replicas'],
  [['policies', 1, 'ec', 'k'], 0, '/policies/1/ec/k out_of_range'],
  [['rings', 0, 'part_power'], 25, '/rings/0/part_power out_of_range'],
  [['rings', 0, 'part_power'], 7.5, '/rings/0/part_power wrong_type'],
  [['rings', 0, 'replicas'], 0.5, '/rings/0/replicas out_of_range'],
  [['rings', 0, 'replicas'], 9, '/rings/0/replicas too_few_devices'],
  [['rings', 0, 'min_part_hours'], 256, '/rings/0/min_part_hours out_of_range'],
  [['rings', 0, 'overload'], -0.1, '/rings/0/overload out_of_range'],
  [['rings', 0, 'name'], 'objects', '/rings/0/name invalid'],
  [['rings', 1, 'name'], 'account', '/rings/1/name duplicate'],
  [['rings', 3, 'name'], 'object-2', '/rings/3/name no_policy'],
  [['rings', 3, 'name'], 'object-2', '/rings missing_ring'],
  [['nodes', 1, 'name'], 'node1', '/nodes/1/name duplicate'],
  [['nodes', 0, 'name'], 'node1;reboot', '/nodes/0/name invalid'],
  [['nodes', 0, 'zone'], 0, '/nodes/0/zone out_of_range'],
  [['nodes', 0, 'zone'], undefined, '/nodes/0/zone missing'],
  [['nodes', 0, 'storage_ip'], '10.0.0.256', '/nodes/0/storage_ip invalid'],
  [['nodes', 0, 'storage_ip'], 'fe80::1%eth0', '/nodes/0/storage_ip invalid'],
  [['nodes', 1, 'storage_ip'], '127.0.1.1', '/nodes/1/ports/object duplicate_address'],
  [['nodes', 0, 'ports', 'object'], 6201, '/nodes/0/ports/object duplicate_address'],
  [['nodes', 0, 'ports', 'object'], 70_000, '/nodes/0/ports/object out_of_range'],
  [['nodes', 1, 'ports', 'rsync'], 873, '/nodes/1/ports/rsync rsync_port'],
  [['nodes', 0, 'ports', 'swift'], 1, '/nodes/0/ports/swift unknown_key'],
  [['nodes', 0, 'roles'], ['disk'], '/nodes/0/roles/0 invalid'],
  [['nodes', 0, 'roles'], ['object', 'object', 'proxy'], '/nodes/0/roles/1 duplicate'],
  [
    ['nodes', 0, 'devices', 0, 'rings'],
    ['object', 'object'],
    '/nodes/0/devices/0/rings/1 duplicate',
  ],
  [['nodes', 0, 'roles'], ['proxy'], '/nodes/0/devices no_role'],
  [['nodes', 0, 'devices', 1, 'name'], 'd1', '/nodes/0/devices/1/name duplicate'],
  [['nodes', 0, 'devices', 0, 'name'], '..', '/nodes/0/devices/0/name invalid'],
  [['nodes', 0, 'devices', 0, 'weight'], -1, '/nodes/0/devices/0/weight out_of_range'],
  [['nodes', 0, 'devices', 0, 'weight'], '1', '/nodes/0/devices/0/weight wrong_type'],
  [['nodes', 0, 'devices', 0, 'mount'], '/mnt/d1', '/nodes/0/devices/0/mount mount'],
  [['nodes', 0, 'devices', 0, 'mount'], '/srv/node/other', '/nodes/0/devices/0/mount mount'],
  [['policies', 1, 'ec'], { type: 'isa_l_rs_vand', k: 10, m: 5 }, '/policies/1/ec/type unsafe'],
  [['nodes', 0, 'devices', 0, 'mount'], '/srv/../d1', '/nodes/0/devices/0/mount invalid'],
  [['nodes', 0, 'devices', 0, 'rings'], ['object-7'], '/nodes/0/devices/0/rings/0 no_ring'],
  [['proxy', 'port'], 0, '/proxy/port out_of_range'],
  [['proxy', 'auth', 'type'], 'ldap', '/proxy/auth/type invalid'],
  [['proxy', 'auth', 'users', 0, 'key'], 'hunter2', '/proxy/auth/users/0/key unknown_key'],
  [['proxy', 'pipeline_options', 'slow'], {}, '/proxy/pipeline_options/slow unknown_key'],
  [
    ['proxy', 'pipeline_options', 'ringway'],
    { secret_file: '/x' },
    '/proxy/pipeline_options/ringway/secret_file own_option',
  ],
  ...(
    [
      ['tuning', 'proxy-server', 'log_custom_handlers'],
      ['tuning', 'object-auditor', 'watchers'],
      ['tuning', 'object-expirer', 'internal_client_conf_path'],
      ['proxy', 'pipeline_options', 'slo', 'log_custom_handlers'],
    ] as const
  ).map((path): (typeof WRONG)[number] => [path, 'os.system', `/${path.join('/')} code`]),
  [['proxy', 'pipeline_options', 'slo', 'use'], 'x', '/proxy/pipeline_options/slo/use own_option'],
  [['tuning', 'object-server', 'a_secret'], 'x', '/tuning/object-server/a_secret secret'],
  [['tuning', 'object-server', 'log_name'], 'a\nb', '/tuning/object-server/log_name invalid'],
  [['gateway', 'user'], 'gw', '/gateway/user invalid'],
  [['rollout', 'weight_step_pct'], 0, '/rollout/weight_step_pct out_of_range'],
];

describe('deploy: specification', () => {
  it('takes the example, and warns of nothing', () => {
    const { spec, errors, warnings } = validateText(exampleText());
    expect(errors).to.deep.equal([]);
    expect(warnings).to.deep.equal([]);
    expect(spec?.nodes).to.have.length(4);
    expect(spec?.nodes[0]?.ports.object).to.equal(6200);
  });

  for (const [path, value, error] of WRONG) {
    it(`refuses ${path.join('.')} ${value === undefined ? 'that is missing' : JSON.stringify(value)}: ${error}`, () => {
      expect(errorsOf(exampleWith(path, value))).to.include(error);
    });
  }

  it('counts devices with a weight alone as places for the replicas of a ring', () => {
    const { length } = exampleSpec().nodes.flatMap(({ devices }) => devices);
    const full = exampleWith(['rings', 0, 'replicas'], length);
    const error = '/rings/0/replicas too_few_devices';
    expect(errorsOf(full)).to.not.include(error);
    expect(errorsOf(changed(full, ['nodes', 0, 'devices', 0, 'weight'], 0))).to.include(error);
  });

  it('refuses another type at every place, and keys that it does not know in every object', () => {
    // With all that has a default, and what has none and the example does without.
    const example = structuredClone(exampleSpec()) as unknown as Record<string, unknown>;
    const more: readonly (readonly [Path, unknown])[] = [
      [['nodes', 0, 'replication_ip'], '127.0.1.1'],
      [['nodes', 0, 'public_ip'], '127.0.1.1'],
      [
        ['nodes', 0, 'devices', 0, 'rings'],
        ['account', 'container', 'object', 'object-1'],
      ],
      [['nodes', 0, 'devices', 0, 'mount'], '/srv/node/d1'],
      [['rings', 0, 'stored_bytes'], 1],
      [['policies', 0, 'aliases'], ['first']],
    ];
    for (const [path, value] of more) setAt(example, path, value);
    expect(errorsOf(example)).to.deep.equal([]);
    for (const path of placesOf(example)) {
      const at = `/${path.join('/')}`;
      const value = valueAt(example, path);
      const others = [null, { unknown_key: 1 }, [[]], 'a\u0000b'].filter(
        (other) => typeof other !== typeof value,
      );
      for (const other of others) {
        const errors = errorsOf(changed(example, path, other));
        const isTold = errors.some((error) => error.startsWith(at.replace(/\/\d+$/, '')));
        expect(isTold, `${at} ${JSON.stringify(other)}: ${errors.join()}`).to.equal(true);
      }
      // Options of Swift's programs have any name.
      const isFree = /^\/(?:proxy\/pipeline_options|tuning)\/\w/.test(at);
      if (typeof value !== 'object' || Array.isArray(value) || isFree) continue;
      const errors = errorsOf(changed(example, [...path, 'unknown-key'], 1));
      expect(errors, at).to.include(`${at}/unknown-key unknown_key`);
    }
  });

  it('tells everything that is wrong at once', () => {
    const example = exampleWith(['rings', 0, 'part_power'], 'eight') as {
      nodes: Record<string, unknown>[];
      rings: Record<string, unknown>[];
      proxy: { auth: { users: Record<string, unknown>[] } };
    };
    example.nodes[1]!.name = 'node1';
    example.nodes[2]!.zone = 0;
    // Duplicates are told of entries that have other mistakes, too.
    example.nodes[2]!.name = 'node1';
    const [user] = example.proxy.auth.users;
    example.proxy.auth.users.push({ ...user, key_ref: '../key' });
    example.rings[1]!.name = 'account';
    delete example.nodes[3]!.roles;
    expect(errorsOf({ ...example, colour: 'red' })).to.have.members([
      '/rings/0/part_power wrong_type',
      '/rings/1/name duplicate',
      '/nodes/1/name duplicate',
      '/nodes/2/name duplicate',
      '/proxy/auth/users/2/user duplicate',
      '/proxy/auth/users/2/key_ref invalid',
      '/nodes/2/zone out_of_range',
      '/nodes/3/roles missing',
      '/colour unknown_key',
    ]);
  });

  it('suggests the key that was meant', () => {
    const [error] = validate(exampleWith(['rings', 0, 'part_powr'], 8)).errors;
    expect(error?.message).to.contain('part_power');
  });

  it('refuses what is too long, too deep, no JSON, or has a key twice', () => {
    const codeOf = (text: string) => validateText(text).errors.map(({ code }) => code);
    expect(codeOf(`{"cluster":"${'x'.repeat(SPEC_BYTES_MAX)}"}`)).to.deep.equal(['too_large']);
    expect(codeOf('['.repeat(100_000))).to.deep.equal(['too_deep']);
    expect(codeOf(`{"a":${'{"a":'.repeat(20)}1${'}'.repeat(20)}}`)).to.deep.equal(['too_deep']);
    expect(codeOf('{"cluster":')).to.deep.equal(['bad_json']);
    expect(codeOf('{"cluster":"a","cluster":"b"}')).to.deep.equal(['bad_json']);
    expect(codeOf('[]')).to.deep.equal(['bad_json']);
  });

  it('is not misled by brackets in texts', () => {
    const text = JSON.stringify({ ...exampleJson(), cluster: '[{"'.repeat(30) });
    expect(validateText(text).errors.map(({ path }) => path)).to.deep.equal(['/cluster']);
  });

  it('warns of what is allowed and seldom meant', () => {
    const example = exampleJson() as { nodes: { roles: string[]; zone: number }[] };
    for (const node of example.nodes) node.zone = 1;
    example.nodes[0]!.roles = ['account', 'container', 'object', 'proxy'];
    const codes = validate(example).warnings.map(({ code }) => code);
    expect(new Set(codes)).to.deep.equal(new Set(['no_expirer', 'one_zone']));
  });

  it('has one entity tag for one meaning', () => {
    expect(canonicalJson({ b: [1, { d: undefined, c: 'é' }], a: null })).to.equal(
      '{"a":null,"b":[1,{"c":"é"}]}',
    );
    expect(etagOf({ a: 1, b: 2 })).to.equal(etagOf({ b: 2, a: 1 }));
    expect(etagOf({ a: 1 }))
      .to.match(/^sha256-[0-9a-f]{64}$/)
      .and.not.equal(etagOf({ a: 2 }));
  });
});
