import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isAddress, isDeviceName } from '../../../../src/ring/device.js';
import { replicaCount } from '../../../../src/ring/ring-data.js';
import { ApiError, type ApiErrorCode } from '../../../server/api-error.js';
import type { ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { readRoute } from '../../../server/route-options.js';
import { labPage, READ, ringSource } from '../ground/data-source.js';
import { misfit } from '../ground/lab-rings.js';
import type { NodeHead } from '../ground/node-reader.js';
import type { Lab } from '../lab.js';
import { checkWithGetNodes, type ParityCheck } from './get-nodes.js';
import { scenarioOf, simulate, type Simulation } from './ring-sim.js';
import { folderOf, locate, policyIndexOf, rawPathOf, type Lookup } from './lookup.js';

const NAME_BYTES_MAX = 256;
const OBJECT_BYTES_MAX = 1024;
const HANDOFFS_MAX = 100;
const CHANGES_MAX = 1000;
const WEIGHT_MAX = 1e9;

const name = (bytesMax: number, pattern: RegExp, expected: string) =>
  z
    .string()
    .min(1)
    .regex(pattern, { error: expected })
    .refine((text) => Buffer.byteLength(text) <= bytesMax, { error: `at most ${bytesMax} bytes` });

const NO_SLASH = /^[^/]*$/;
const LOOKUP = z.strictObject({
  account: name(NAME_BYTES_MAX, NO_SLASH, 'an account without a slash'),
  container: name(NAME_BYTES_MAX, NO_SLASH, 'a container without a slash').optional(),
  object: name(OBJECT_BYTES_MAX, /^/, 'an object').optional(),
  handoffs: z.coerce.number().int().min(0).max(HANDOFFS_MAX).optional(),
  live: z.enum(['0', '1']).default('0'),
});

const id = z.int().min(0).max(65_534);
const weight = z.number().min(0).max(WEIGHT_MAX);
const CHANGE = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('set_weight'), id, weight }),
  z.strictObject({ kind: z.literal('remove'), id }),
  z.strictObject({
    kind: z.literal('add'),
    region: z.int().min(0).max(1_000_000),
    zone: z.int().min(0).max(1_000_000),
    ip: z.string().refine(isAddress, { error: 'an IP address or a host name' }),
    port: z.int().min(1).max(65_535),
    device: z.string().refine(isDeviceName, { error: 'the name of a device' }),
    weight,
  }),
]);
const WHAT_IF = z.strictObject({
  changes: z.array(CHANGE).max(CHANGES_MAX),
  overload: z.number().min(0).max(100).default(0),
  seed: z.int().min(0).max(0xffff_ffff).default(1),
});

const MAP = z.strictObject({
  first_part: z.coerce.number().int().min(0).default(0),
  parts: z.coerce
    .number()
    .int()
    .min(1)
    .default(2 ** 32),
  first_device: z.coerce.number().int().min(0).default(0),
  devices: z.coerce
    .number()
    .int()
    .min(1)
    .default(2 ** 32),
});

/** A ring in the list. */
export interface RingRow {
  readonly name: string;
  /** The folder of a device that its data is in. */
  readonly path_base: string;
  readonly policy_index: number | null;
  readonly policy_name: string | null;
  readonly format: number;
  readonly ring_version: number | null;
  readonly parts: number;
  readonly replicas: number;
  readonly devices: number;
  readonly bytes: number;
  readonly md5: string;
  /** Why the ring does not fit its policy; null where it does. */
  readonly problem: string | null;
}

/** A ring whose file cannot be used. */
export interface BrokenRing {
  readonly name: string;
  readonly error: { readonly code: ApiErrorCode; readonly message: string };
}

export interface RingsView {
  readonly items: readonly (RingRow | BrokenRing)[];
  /** Names of former rings to compare with, the newest first. */
  readonly former: readonly string[];
}

export interface LookupView extends Lookup {
  /** The answer of `swift-get-nodes`; null where `getnodes_bin` is not configured. */
  readonly check: ParityCheck | null;
  /** The answer of each device, by its id; null unless asked for. */
  readonly live: Readonly<Record<string, NodeHead>> | null;
}

export const RINGS = labPage({
  name: 'rings',
  title: 'RingScope',
  purpose: 'See where objects are stored and why, and what a ring change would move.',
  icon: 'disc-3',
  source: ringSource,
  routes: ringRoutes,
});

function ringRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';

  app.get('/lab/api/rings', READ, async (): Promise<RingsView> => {
    const names = await lab.rings.names();
    // One after the other: each may unpack to hundreds of megabytes.
    const items: (RingRow | BrokenRing)[] = [];
    for (const ringName of names) items.push(await rowOf(lab, ringName));
    return { items, former: await lab.rings.formerNames() };
  });

  app.get('/lab/api/rings/agreement', READ, () => lab.agreements.view());

  app.get('/lab/api/rings/:name', READ, async (request) => {
    const { file, read } = await lab.rings.open(ringNameOf(request.params));
    return { md5: read.md5, ...(await lab.compute.run('report', { file })) };
  });

  app.get('/lab/api/rings/:name/map', READ, async (request) => {
    const view = parse(MAP, request.query);
    const { file } = await lab.rings.open(ringNameOf(request.params));
    return lab.compute.run('map', { file, view });
  });

  app.get('/lab/api/rings/:name/lookup', READ, async (request) => {
    const query = parse(LOOKUP, request.query);
    return look(lab, ringNameOf(request.params), query, context.options.getnodesBin);
  });

  app.post('/lab/api/rings/:name/whatif', readRoute(access), async (request) => {
    const given = parse(WHAT_IF, request.body);
    const { file } = await lab.rings.open(ringNameOf(request.params));
    return lab.compute.run('what_if', { file, whatIf: given });
  });

  // Beside the answer of our own builder, which does not wait for it.
  app.post(
    '/lab/api/rings/:name/simulation',
    readRoute(access),
    async (request): Promise<Simulation | null> => {
      const given = parse(WHAT_IF, request.body);
      const { read } = await lab.rings.open(ringNameOf(request.params));
      const program = context.options.ringsimBin;
      if (program === '') return null;
      return simulate({ program, signal: lab.ended }, scenarioOf(read.data, given));
    },
  );

  app.get('/lab/api/rings/:name/usage', READ, async (request) => {
    const { read } = await lab.rings.open(ringNameOf(request.params));
    return lab.agreements.usage(read.data);
  });

  app.get('/lab/api/rings/:name/compare', READ, async (request) => {
    const { with: other } = parse(z.strictObject({ with: z.string().max(64) }), request.query);
    const [first, second] = [other, ringNameOf(request.params)].map((one) => lab.rings.fileOf(one));
    return lab.compute.run('compare', { file: first ?? '', other: second ?? '' });
  });
}

function ringNameOf(parameters: unknown): string {
  return (parameters as { readonly name: string }).name;
}

async function rowOf({ rings }: Lab, ringName: string): Promise<RingRow | BrokenRing> {
  try {
    const opened = await rings.open(ringName);
    const policy = await rings.policyOf(ringName).catch(() => undefined);
    const { data, bytes, md5 } = opened.read;
    return {
      name: ringName,
      path_base: folderOf(ringName),
      policy_index: policyIndexOf(ringName) ?? null,
      policy_name: policy?.name ?? null,
      format: data.format,
      ring_version: data.version ?? null,
      parts: 2 ** data.partPower,
      replicas: replicaCount(data.rows),
      devices: data.devices.filter((device) => device !== null).length,
      bytes,
      md5,
      problem: misfit(opened, policy) ?? null,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { name: ringName, error: { code: error.code, message: error.message } };
  }
}

async function look(
  lab: Lab,
  ringName: string,
  query: z.infer<typeof LOOKUP>,
  getnodesBin: string,
): Promise<LookupView> {
  const { account, container, object, live } = query;
  // A ring that does not exist is said before what it would need.
  await lab.rings.open(ringName);
  const depth = { account: 1, container: 2 }[ringName] ?? 3;
  const given = [account, container, object].slice(0, depth);
  const missing = given.indexOf(undefined);
  if (missing !== -1 || (container === undefined && object !== undefined)) {
    const wanted = ['account', 'container', 'object'].slice(0, depth).join(', ');
    throw new ApiError('invalid_argument', `Ring ${ringName} requires ${wanted}.`);
  }
  const target = { account, container: given[1], object: given[2] };
  const { opened, places, ...found } = await locate(lab.rings, ringName, target, query.handoffs);
  const helper = { program: getnodesBin, signal: lab.ended };
  const check =
    getnodesBin === '' ? null : await checkWithGetNodes(helper, opened.file, target, found);
  if (live === '0') return { ...found, check, live: null };
  const [rawPath, policyIndex] = [rawPathOf(target), policyIndexOf(ringName)];
  const answers = await Promise.all(
    places.map(async ({ device }) => {
      const head = await lab.nodes.head(device, found.part, rawPath, policyIndex);
      return [String(device.id), head] as const;
    }),
  );
  return { ...found, check, live: Object.fromEntries(answers) };
}
