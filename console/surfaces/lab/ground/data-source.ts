import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../../server/api-error.js';
import type { ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import type { SurfacePage } from '../../../server/surface.js';
import type { Lab } from '../lab.js';
import { NO_NODE_ROOT } from './refusals.js';
import { isSample } from './sample-cluster.js';

/**
 * Where the figures of a page are from, as its badge says:
 *
 * - `live`: from the cluster, as it is now
 * - `embedded`: from the gateway's own store, or from sample data: no cluster
 * - `stale`: from the cluster, as it was a while ago
 * - `unavailable`: there are none
 */
export interface DataSource {
  readonly state: 'live' | 'embedded' | 'stale' | 'unavailable';
  /** Why it is so; null where that goes without saying. */
  readonly reason: string | null;
  /** The keys of the console's configuration that are missing. */
  readonly needs: string | null;
  /** The age of the figures; null where they are new, or it is not known. */
  readonly age_s: number | null;
}

/** A page of the Lab, which says where its figures are from. */
export interface LabPage extends SurfacePage<Lab> {
  readonly source: (context: ConsoleContext, lab: Lab) => Promise<DataSource> | DataSource;
}

/** @param name - the last part of its path, and the name of its folder; styles are those besides the Lab's */
export function labPage({
  name,
  styles = [],
  ...page
}: Omit<LabPage, 'id' | 'path'> & { readonly name: string }): LabPage {
  const common = ['/ui/css/charts.css', '/ui/css/lab.css'];
  return { id: `lab/${name}`, path: `/lab/${name}`, styles: [...common, ...styles], ...page };
}

export const LIVE: DataSource = { state: 'live', reason: null, needs: null, age_s: null };

/** @param needs - the keys that are missing, if that is why */
export function unavailable(reason: string, needs: string | null = null): DataSource {
  return { state: 'unavailable', reason, needs, age_s: null };
}

export function stale(ageS: number | null, reason: string | null = null): DataSource {
  return { state: 'stale', reason, needs: null, age_s: ageS };
}

/** Answers where the figures of each page are from: `GET /lab/api/sources/<last part of its path>`. */
export function sourceRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  lab: Lab,
  pages: readonly LabPage[],
): void {
  const byName = new Map(pages.map((page) => [path.basename(page.path), page]));
  app.get('/lab/api/sources/:page', POLL, async (request): Promise<DataSource> => {
    const { page: name } = parse(z.object({ page: z.string().max(64) }), request.params);
    const page = byName.get(name);
    if (page === undefined) throw new ApiError('not_found', 'Page not found.');
    return page.source(context, lab);
  });
}

/** The options of routes that change nothing. */
export const READ = { config: { access: 'operate' } } as const;
/** The same of what pages ask for by themselves. */
export const POLL = { config: { access: 'operate', background: true } } as const;

/** The source of pages about rings: the folder with them. */
export async function ringSource(context: ConsoleContext, lab: Lab): Promise<DataSource> {
  const { storeDir } = context.options;
  try {
    const names = await lab.rings.names();
    if (names.length === 0) return unavailable('No rings found in store_dir.');
  } catch (error) {
    return sourceOfError(error);
  }
  return (await isSample(storeDir)) ? SAMPLE : LIVE;
}

/** The source of pages about the disks of nodes: the folder with them. */
export async function diskSource({ options }: ConsoleContext): Promise<DataSource> {
  const { nodeRoot } = options;
  if (nodeRoot === '') {
    return unavailable(NO_NODE_ROOT, 'node_root');
  }
  try {
    await access(nodeRoot, constants.R_OK | constants.X_OK);
  } catch {
    return unavailable("The directory with the nodes' disks could not be read.");
  }
  return (await isSample(nodeRoot)) ? SAMPLE : LIVE;
}

/** The source of pages that ask nodes about themselves, whose servers the rings name. */
export async function nodeSource(context: ConsoleContext, lab: Lab): Promise<DataSource> {
  if (context.options.clusterNodes.length === 0) {
    return unavailable('No nodes are configured.', 'cluster_nodes');
  }
  return ringSource(context, lab);
}

/** The source of pages that read and write as a client does: the store. */
export async function storeSource(_context: ConsoleContext, lab: Lab): Promise<DataSource> {
  try {
    const { isEmbedded } = await lab.storeInfo.get();
    return isEmbedded ? EMBEDDED : LIVE;
  } catch {
    return unavailable('The store is not responding.');
  }
}

/** The source that a page shows when an error of the API keeps its figures away. */
export function sourceOfError(error: unknown): DataSource {
  if (!(error instanceof ApiError)) throw error;
  const needs: unknown = error.details?.needs;
  return unavailable(error.message, typeof needs === 'string' ? needs : null);
}

const EMBEDDED: DataSource = {
  state: 'embedded',
  reason: "the gateway's own store",
  needs: null,
  age_s: null,
};
const SAMPLE: DataSource = { ...EMBEDDED, reason: 'sample data' };
