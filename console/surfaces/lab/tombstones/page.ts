import path from 'node:path';
import { realpath } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../../server/api-error.js';
import type { ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { runActor } from '../../../server/runs/run-routes.js';
import { diskSource, labPage, POLL, READ } from '../ground/data-source.js';
import { runHelper } from '../ground/helper-process.js';
import { NO_NODE_ROOT } from '../ground/refusals.js';
import type { Lab } from '../lab.js';
import type { Exhibit } from './classify.js';
import { folderOf } from './disk-names.js';
import type { Scan, ScanRow } from './museum.js';
import { AGE_EDGES_S } from './summary.js';

const START = z.strictObject({
  devices: z
    .array(z.string().regex(/^[\w.-]{1,255}$/))
    .max(1000)
    .default([]),
  max_files: z.int().min(1).max(200_000).default(200_000),
  max_s: z.int().min(1).max(3600).default(600),
  dirs_per_s: z.int().min(1).max(20_000).default(2000),
});
const CLASSES = [
  'normal',
  'phantom',
  'expired',
  'split',
  'handoff',
  'overdue',
  'gateway',
  'reconciler',
] as const;
const PAGE = z.strictObject({
  scan: z.uuid(),
  class: z.enum(CLASSES).optional(),
  cursor: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
});
const EXHIBIT = z.object({ id: z.uuid(), hash: z.string().regex(/^[0-9a-f]{32}$/) });
const PAGE_ITEMS = 100;
const OBJINFO_TIMEOUT_MS = 10_000;

export interface ScansView {
  readonly items: readonly ScanRow[];
  /** Why there can be none; null where there can. */
  readonly unavailable: { readonly message: string; readonly needs: string } | null;
}

/** A scan, and what its numbers mean. */
export interface ScanView {
  readonly scan: Scan;
  /** Upper edges of the bins of `ages`. */
  readonly age_edges_s: readonly number[];
}

export interface ExhibitView {
  readonly exhibit: Exhibit;
  /** Output of `swift-object-info` for a tombstone; null where `objinfo_bin` is not configured. */
  readonly check: { readonly text: string | null; readonly problem: string | null } | null;
}

export const TOMBSTONES = labPage({
  name: 'tombstones',
  title: 'Tombstone Museum',
  purpose: 'Explore what deleted objects leave on the disks.',
  icon: 'archive-x',
  source: diskSource,
  routes: tombstoneRoutes,
});

function tombstoneRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';
  const { nodeRoot } = context.options;

  app.post('/lab/api/tombstones/scans', auditedRoute(access), async (request, reply) => {
    const run = await lab.museum.start(parse(START, request.body), runActor(request));
    return reply.status(202).send({ id: run.id });
  });

  app.get('/lab/api/tombstones/scans', READ, async (): Promise<ScansView> => {
    return {
      items: await lab.museum.list(),
      unavailable: nodeRoot === '' ? { message: NO_NODE_ROOT, needs: 'node_root' } : null,
    };
  });

  app.get('/lab/api/tombstones/scans/:id', POLL, async (request): Promise<ScanView> => {
    const { id } = parse(z.object({ id: z.uuid() }), request.params);
    return { scan: await lab.museum.get(id), age_edges_s: AGE_EDGES_S };
  });

  app.get('/lab/api/tombstones', READ, (request) => {
    const { scan, class: wanted, cursor } = parse(PAGE, request.query);
    const input = { class: wanted ?? null, cursor, limit: PAGE_ITEMS };
    return lab.museum.page(scan, input);
  });

  app.get('/lab/api/tombstones/scans/:id/:hash', READ, async (request): Promise<ExhibitView> => {
    const { id, hash } = parse(EXHIBIT, request.params);
    const exhibit = await lab.museum.exhibit(id, hash);
    return { exhibit, check: await objectInfo(context, lab, exhibit) };
  });
}

/** The output of Swift's own program for the first tombstone. */
async function objectInfo(
  context: ConsoleContext,
  lab: Lab,
  exhibit: Exhibit,
): Promise<ExhibitView['check']> {
  const { objinfoBin, nodeRoot, storeDir } = context.options;
  if (objinfoBin === '') return null;
  const { part, hash, policy_index: policy, copies } = exhibit;
  const copy = copies.find(({ files }) => files.some((file) => file.endsWith('.ts')));
  const file = copy?.files.find((one) => one.endsWith('.ts'));
  const none = { text: null, problem: 'No tombstone file found.' };
  if (copy === undefined || file === undefined) return none;
  const { node, device } = copy;
  const inner = [node, device, folderOf(policy), String(part), hash.slice(-3), hash, file];
  try {
    const root = await realpath(nodeRoot);
    const place = await realpath(path.join(root, ...inner));
    if (!place.startsWith(root + path.sep)) return none;
    const folder = storeDir === '' ? [] : ['-d', storeDir];
    const limits = { timeoutMs: OBJINFO_TIMEOUT_MS, signal: lab.ended };
    const { code, stdout } = await runHelper(objinfoBin, ['-n', ...folder, '--', place], limits);
    if (code === 0) return { text: stdout, problem: null };
    return { text: null, problem: 'The helper program returned invalid output.' };
  } catch (error) {
    if (error instanceof ApiError) return { text: null, problem: error.message };
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const isGone = code === 'ENOENT' || code === 'ENOTDIR';
    const problem = isGone ? 'The file no longer exists.' : `The file cannot be read: ${code}.`;
    return { text: null, problem };
  }
}
