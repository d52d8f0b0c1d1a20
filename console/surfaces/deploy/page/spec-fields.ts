/**
 * The fields of a specification that the form has; the others are edited as JSON. What they may
 * hold is for the control service to say. `at`: the keys that lead to it; `words`: a list, with
 * commas between its entries.
 */
export interface FieldRule {
  at: readonly string[];
  label: string;
  kind?: 'text' | 'number' | 'flag' | 'choice' | 'words' | 'set';
  choices?: readonly string[];
  hint?: string;
  size?: 'small' | 'wide';
}

/** Rows of a list; `one`: what a row is called. */
export interface TableRule {
  at: readonly string[];
  one: string;
  columns: readonly FieldRule[];
  blank: (count: number) => Record<string, unknown>;
}

export const CLUSTER: readonly FieldRule[] = [
  { at: ['cluster'], label: 'Name', hint: 'typed to confirm each apply; cannot be changed later' },
  {
    at: ['hash', 'prefix_ref'],
    label: 'Hash prefix secret',
    hint: 'name of a secret file on the deploy service',
  },
  {
    at: ['hash', 'suffix_ref'],
    label: 'Hash suffix secret',
    hint: 'name of a secret file on the deploy service',
  },
  {
    at: ['rollout', 'weight_step_pct'],
    label: 'Weight step per plan (%)',
    kind: 'number',
    hint: 'percent of the final weight. Default: 100',
  },
];

export const POLICIES: TableRule = {
  at: ['policies'],
  one: 'Policy',
  columns: [
    { at: ['index'], label: 'Index', kind: 'number', size: 'small' },
    { at: ['name'], label: 'Name' },
    { at: ['type'], label: 'Type', kind: 'choice', choices: ['replication', 'erasure_coding'] },
    { at: ['default'], label: 'Default', kind: 'flag' },
    { at: ['deprecated'], label: 'Deprecated', kind: 'flag' },
    { at: ['ec', 'type'], label: 'EC type' },
    { at: ['ec', 'k'], label: 'Data fragments', kind: 'number', size: 'small' },
    { at: ['ec', 'm'], label: 'Parity fragments', kind: 'number', size: 'small' },
  ],
  blank: (count) => ({ index: count, name: `policy-${count}` }),
};

export const RINGS: TableRule = {
  at: ['rings'],
  one: 'Ring',
  columns: [
    { at: ['name'], label: 'Name', hint: 'account, container, object, object-1' },
    { at: ['part_power'], label: 'Part power', kind: 'number', size: 'small' },
    { at: ['replicas'], label: 'Replicas', kind: 'number', size: 'small' },
    { at: ['min_part_hours'], label: 'Min part hours', kind: 'number', size: 'small' },
    { at: ['overload'], label: 'Overload', kind: 'number', size: 'small' },
    { at: ['stored_bytes'], label: 'Stored bytes', kind: 'number' },
  ],
  blank: (count) => ({ name: `object-${Math.max(1, count - 2)}`, part_power: 10, replicas: 3 }),
};

const ROLES = ['account', 'container', 'object', 'proxy', 'expirer'];

export const NODE: readonly FieldRule[] = [
  { at: ['name'], label: 'Name' },
  { at: ['region'], label: 'Region', kind: 'number' },
  { at: ['zone'], label: 'Zone', kind: 'number' },
  { at: ['storage_ip'], label: 'Storage address' },
  {
    at: ['replication_ip'],
    label: 'Replication address',
    hint: 'leave empty to use the storage address',
  },
  {
    at: ['public_ip'],
    label: 'Public address',
    hint: "of the node's proxy; leave empty to use the storage address",
  },
  { at: ['devices_dir'], label: 'Devices directory', hint: 'default: /srv/node' },
  { at: ['roles'], label: 'Roles', kind: 'set', choices: ROLES, size: 'wide' },
];

export const DEVICES: TableRule = {
  at: ['devices'],
  one: 'Device',
  columns: [
    { at: ['name'], label: 'Name' },
    { at: ['weight'], label: 'Weight', kind: 'number' },
    {
      at: ['rings'],
      label: 'Rings',
      kind: 'words',
      hint: "leave empty for all rings of the node's roles",
    },
  ],
  blank: (count) => ({ name: `d${count + 1}`, weight: 100 }),
};

/** @param count of the nodes that there are */
export function blankNode(count: number) {
  const number = count + 1;
  return {
    name: `node${number}`,
    zone: number,
    storage_ip: `10.0.0.${10 + number}`,
    roles: ['account', 'container', 'object'],
    devices: [DEVICES.blank(0)],
  };
}

export const PROXY: readonly FieldRule[] = [
  { at: ['proxy', 'port'], label: 'Port', kind: 'number' },
  { at: ['proxy', 'workers'], label: 'Workers', kind: 'number' },
  {
    at: ['proxy', 'auth', 'type'],
    label: 'Authentication',
    kind: 'choice',
    choices: ['tempauth', 'keystone'],
  },
];

export const USERS: TableRule = {
  at: ['proxy', 'auth', 'users'],
  one: 'User',
  columns: [
    { at: ['account'], label: 'Account' },
    { at: ['user'], label: 'User' },
    { at: ['key_ref'], label: 'Key secret', hint: 'name of a secret file on the deploy service' },
    { at: ['groups'], label: 'Groups', kind: 'words', hint: '.admin, .reseller_admin' },
  ],
  blank: (count) => ({ account: 'main', user: `user${count}`, key_ref: `user${count}-key` }),
};

export const KEYSTONE: readonly FieldRule[] = [
  { at: ['proxy', 'auth', 'auth_url'], label: 'URL' },
  { at: ['proxy', 'auth', 'www_authenticate_uri'], label: 'Public URL' },
  { at: ['proxy', 'auth', 'project'], label: 'Project' },
  { at: ['proxy', 'auth', 'username'], label: 'User' },
  { at: ['proxy', 'auth', 'password_ref'], label: 'Password secret' },
];

export const GATEWAY: readonly FieldRule[] = [
  { at: ['gateway', 's3_port'], label: 'S3 port', kind: 'number', hint: 'default: 8000' },
  { at: ['gateway', 'admin_port'], label: 'Admin port', kind: 'number', hint: 'default: 9464' },
  { at: ['gateway', 'region'], label: 'Region', hint: 'Default: us-east-1' },
  { at: ['gateway', 'user'], label: 'User', hint: 'account:user' },
  { at: ['gateway', 'key_ref'], label: 'Key secret' },
  { at: ['gateway', 'filter_secret_ref'], label: 'Filter secret' },
];

/** A cluster to begin with, whose addresses and secrets are to be replaced. */
export function firstSpec() {
  return {
    api_version: 'v1',
    cluster: 'my-cluster',
    hash: { prefix_ref: 'hash-prefix', suffix_ref: 'hash-suffix' },
    policies: [{ index: 0, name: 'gold', default: true }],
    rings: ['account', 'container', 'object'].map((name) => ({
      name,
      part_power: 10,
      replicas: 3,
      min_part_hours: 1,
    })),
    nodes: [0, 1, 2].map((count) => {
      const node = blankNode(count);
      return { ...node, roles: [...node.roles, 'proxy', ...(count === 0 ? ['expirer'] : [])] };
    }),
    proxy: {
      port: 8080,
      workers: 2,
      auth: {
        type: 'tempauth',
        users: [
          { account: 'gateway', user: 'gw', key_ref: 'gateway-key', groups: ['.reseller_admin'] },
          { account: 'main', user: 'admin', key_ref: 'admin-key', groups: ['.admin'] },
        ],
      },
    },
    gateway: { user: 'gateway:gw', key_ref: 'gateway-key', filter_secret_ref: 'filter-secret' },
  };
}
