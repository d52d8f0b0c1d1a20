import { isIP } from 'node:net';
import { z } from 'zod';
import { flag, text } from '../../config/keys.js';

/**
 * The specification of a cluster: what an operator writes once, and Deploy carries out. Like in
 * src/config/keys.ts, an error message is the expectation, worded to follow "expected".
 */

/** Names become folders, sections of files and arguments of programs: they hold nothing else. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_ERROR =
  'a name of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or digit';
const name = () => text(NAME, NAME_ERROR);

/** The name of a secret that the control service keeps; the secret itself is in no specification. */
const secretRef = () => text(NAME, 'the name of a file in the folder of secrets');

const whole = (min: number, max: number) => {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const number = (min: number, max: number) => {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};

const ip = () => {
  const error = 'an IPv4 or IPv6 address without a zone';
  // A zone is of one host, and Python's parser would replace what stands behind its "%".
  return z
    .string({ error })
    .refine((value) => isIP(value) !== 0 && !value.includes('%'), { error });
};

const url = () => {
  const error = 'an http or https address without user, query and fragment';
  return z
    .string({ error })
    .refine((value) => /^https?:\/\/[\w.:[\]/-]+$/i.test(value) && URL.canParse(value), { error });
};

const folder = () => {
  const error = 'an absolute path of letters, digits, ".", "_" and "-", without ".."';
  return z
    .string({ error })
    .refine((value) => /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}){1,8}$/.test(value), { error });
};

const list = <T extends z.ZodType>(entry: T, min: number, max: number, what: string) => {
  const error = `a list of ${min} to ${max} ${what}`;
  return z.array(entry, { error }).min(min, { error }).max(max, { error });
};

const object = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, { error: 'an object with the keys of the documentation' });

/** Values of options in Swift's files: one line, without what Python's parser would replace. */
const optionValue = () => {
  const error =
    'true or false, a number, or a text of at most 512 printable characters without "%", "{{" and blanks at its ends';
  return z.union(
    [
      z.boolean(),
      z.number().refine(Number.isFinite),
      z.string().regex(/^(?! )(?!.*\{\{)[\x20-\x24\x26-\x7e]{0,512}(?<! )$/),
    ],
    { error },
  );
};

const OPTIONS_MAX = 64;

const options = () => {
  const error = `an object of at most ${OPTIONS_MAX} options of Swift's, names in small letters`;
  return z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), optionValue(), { error })
    .refine((all) => Object.keys(all).length <= OPTIONS_MAX, { error });
};

const policyName = () => text(/^[-A-Za-z\d]{1,64}$/, 'letters, digits and dashes');

export const codingSchema = object({
  type: z.enum(
    [
      'liberasurecode_rs_vand',
      'isa_l_rs_vand',
      'isa_l_rs_cauchy',
      'jerasure_rs_vand',
      'jerasure_rs_cauchy',
      'flat_xor_hd_3',
      'flat_xor_hd_4',
      'shss',
    ],
    { error: "one of PyECLib's codes, such as liberasurecode_rs_vand" },
  ),
  k: whole(1, 64),
  m: whole(1, 64),
  segment_bytes: whole(1, 1024 * 1024 * 1024).default(1_048_576),
  dup: whole(1, 8).default(1),
});

export const policySchema = object({
  index: whole(0, 9999),
  name: policyName(),
  aliases: list(policyName(), 0, 16, 'names').default([]),
  type: z
    .enum(['replication', 'erasure_coding'], { error: 'replication or erasure_coding' })
    .default('replication'),
  default: flag().default(false),
  deprecated: flag().default(false),
  ec: codingSchema.optional(),
});

const RING_NAME = /^(?:account|container|object(?:-[1-9]\d{0,3})?)$/;
const RING_NAME_ERROR = 'account, container, object, or object-N with the index of a policy';
const ringName = () => text(RING_NAME, RING_NAME_ERROR);

export const ringSchema = object({
  name: ringName(),
  part_power: whole(0, 24),
  replicas: number(1, 64),
  min_part_hours: whole(0, 255).default(1),
  overload: number(0, 100).default(0),
  /** Bytes that all replicas of the ring take now: what a plan makes of it is an estimate. */
  stored_bytes: whole(0, Number.MAX_SAFE_INTEGER).optional(),
});

const deviceName = () =>
  text(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, `${NAME_ERROR}, of at most 32 characters`);

export const deviceSchema = object({
  name: deviceName(),
  weight: number(0, 1_000_000_000),
  /** Where its file system is mounted, by a name as long as the device's; for the command list. */
  mount: folder().optional(),
  /** Rings that have it; without this, all those of its node's roles. */
  rings: list(ringName(), 1, 64, 'names of rings').optional(),
});

export const ROLES = ['account', 'container', 'object', 'proxy', 'expirer'] as const;
export type Role = (typeof ROLES)[number];

export const PORTS = {
  account: 6202,
  container: 6201,
  object: 6200,
  rsync: 873,
  memcached: 11211,
} as const;
const port = (otherwise: number) => whole(1, 65_535).default(otherwise);

export const nodeSchema = object({
  name: name(),
  region: whole(1, 65_535).default(1),
  zone: whole(1, 65_535),
  storage_ip: ip(),
  replication_ip: ip().optional(),
  /** Where clients reach its proxy. */
  public_ip: ip().optional(),
  roles: list(z.enum(ROLES, { error: `one of ${ROLES.join(', ')}` }), 1, ROLES.length, 'roles'),
  ports: object({
    account: port(PORTS.account),
    container: port(PORTS.container),
    object: port(PORTS.object),
    rsync: port(PORTS.rsync),
    memcached: port(PORTS.memcached),
  }).prefault({}),
  devices_dir: folder().default('/srv/node'),
  devices: list(deviceSchema, 0, 256, 'devices').default([]),
});

const tempauthPart = () =>
  text(/^[A-Za-z0-9][A-Za-z0-9.@-]{0,63}$/, 'letters, digits, ".", "-" and "@"');

export const authSchema = z.discriminatedUnion(
  'type',
  [
    object({
      type: z.literal('tempauth'),
      users: list(
        object({
          account: tempauthPart(),
          user: tempauthPart(),
          key_ref: secretRef(),
          groups: list(
            z.enum(['.admin', '.reseller_admin', '.reseller_reader'], {
              error: '.admin, .reseller_admin or .reseller_reader',
            }),
            0,
            3,
            'groups',
          ).default([]),
        }),
        1,
        1000,
        'users',
      ),
    }),
    object({
      type: z.literal('keystone'),
      auth_url: url(),
      www_authenticate_uri: url(),
      project: name(),
      project_domain: name().default('Default'),
      username: name(),
      user_domain: name().default('Default'),
      password_ref: secretRef(),
      operator_roles: list(name(), 1, 16, 'roles').default(['admin', 'member']),
    }),
  ],
  { error: 'an object whose type is tempauth or keystone' },
);

/** Filters whose options `proxy.pipeline_options` may set. */
export const FILTERS = [
  'cache',
  'container_sync',
  'bulk',
  'tempurl',
  'tempauth',
  'copy',
  'slo',
  'dlo',
  'versioned_writes',
  'symlink',
  'ringway',
  'ringway_guard',
] as const;

/** Sections of Swift's files whose options `tuning` may set. */
export const TUNED = [
  'swift-constraints',
  'proxy-server',
  'account-server',
  'account-replicator',
  'account-auditor',
  'account-reaper',
  'container-server',
  'container-replicator',
  'container-auditor',
  'container-updater',
  'container-sharder',
  'object-server',
  'object-replicator',
  'object-reconstructor',
  'object-auditor',
  'object-updater',
  'object-expirer',
] as const;

export type TunedSection = (typeof TUNED)[number];

/** An object with the options of sections, by these names. */
function byName<const T extends readonly string[]>(names: T) {
  const shape = Object.fromEntries(names.map((each) => [each, options().optional()]));
  return object(shape as Record<T[number], z.ZodOptional<ReturnType<typeof options>>>);
}

export const proxySchema = object({
  port: whole(1, 65_535).default(8080),
  workers: whole(0, 256).default(2),
  auth: authSchema,
  pipeline_options: byName(FILTERS).prefault({}),
});

/** The gateway on every proxy host; its filter is in the proxies' pipelines then. */
export const gatewaySchema = object({
  s3_port: whole(1, 65_535).default(8000),
  admin_port: whole(1, 65_535).default(9464),
  region: name().default('us-east-1'),
  /** The user that the gateway is towards Swift, one of tempauth's or of Keystone's. */
  user: text(/^[A-Za-z0-9][A-Za-z0-9.@-]{0,63}:[A-Za-z0-9][A-Za-z0-9.@-]{0,63}$/, 'account:user'),
  key_ref: secretRef(),
  /** The secret that gateway and filter share. */
  filter_secret_ref: secretRef(),
});

export const rolloutSchema = object({
  /** A plan changes the weight of a device by at most so many per cent of its final weight. */
  weight_step_pct: whole(1, 100).default(100),
});

export const specSchema = object({
  api_version: z.literal('v1', { error: '"v1"' }),
  cluster: name(),
  hash: object({ prefix_ref: secretRef(), suffix_ref: secretRef() }),
  policies: list(policySchema, 1, 64, 'policies'),
  rings: list(ringSchema, 3, 66, 'rings'),
  nodes: list(nodeSchema, 1, 1024, 'nodes'),
  proxy: proxySchema,
  gateway: gatewaySchema.optional(),
  rollout: rolloutSchema.prefault({}),
  tuning: byName(TUNED).prefault({}),
});

export type Spec = z.infer<typeof specSchema>;
export type SpecNode = z.infer<typeof nodeSchema>;
export type SpecRing = z.infer<typeof ringSchema>;
export type SpecPolicy = z.infer<typeof policySchema>;
export type SpecDevice = z.infer<typeof deviceSchema>;
