import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { auditedJob } from '../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { readRoute } from '../../server/route-options.js';
import { hasRight } from '../../server/rights.js';
import type { SwiftAccount } from '../../swift/account.js';
import type { StoreInfoCache } from '../../swift/info.js';
import { containerDetails, manyDetails, type ContainerDetails } from './container-details.js';
import { Emptying } from './empty-container.js';
import { containerName, namedContainer, trashOf } from './names.js';
import { SegmentCleanup } from './segment-cleanup.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { noSuchContainer, translate } from './translate.js';

const DETAILS_MAX = 200;
const DETAILS = z.strictObject({ names: z.array(containerName).max(DETAILS_MAX) });
const reads = { config: { access: 'read' } } as const;
const EMPTY = z.strictObject({
  name: containerName,
  /** The name once more, as the user typed it. */
  confirm_name: z.string().max(256),
  /** Deletes the container, too, once it is empty. */
  remove: z.boolean().default(false),
  with_trash: z.boolean().default(false),
});

/** The features of the store for containers. */
export interface Capabilities {
  /** Names of storage policies, the default first. */
  readonly policies: readonly string[];
  /** Whether the store takes URLs that open an object for a while. */
  readonly tempurl: boolean;
  /** Whether versions can be kept for a container that has none yet. */
  readonly object_versioning: boolean;
  /** Whether the store enforces quotas of containers. */
  readonly quotas: boolean;
  /** True when the console can send S3 requests with the user's key. */
  readonly s3: boolean;
}

/** The details of those of many containers that the user may see. */
export interface ManyDetails {
  readonly items: readonly ContainerDetails[];
}

/** The details of containers, the features of the store for them, and their end. */
export function containerLifeRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  info: StoreInfoCache,
): void {
  app.get('/api/files/capabilities', reads, async (request): Promise<Capabilities> => {
    const { policies, hasTempurl, hasObjectVersioning, hasContainerQuotas } = await info.get();
    // Versions of a container that has none yet are kept by the store, or else by S3.
    const versions = hasObjectVersioning || context.s3 !== undefined;
    return {
      policies,
      tempurl: hasTempurl,
      object_versioning: versions,
      quotas: hasContainerQuotas,
      s3: sessionOf(request).s3 !== undefined,
    };
  });

  app.get('/api/files/container', reads, async (request): Promise<ContainerDetails> => {
    const { name } = parse(namedContainer, request.query);
    const session = sessionOf(request);
    const mayManage = hasRight(session.user.role, 'manage');
    return containerDetails(session, name, mayManage).catch(noSuchContainer);
  });

  app.post(
    '/api/files/containers/details',
    readRoute('read'),
    async (request): Promise<ManyDetails> => {
      const { names } = parse(DETAILS, request.body);
      const session = sessionOf(request);
      const mayManage = hasRight(session.user.role, 'manage');
      return { items: await manyDetails(session, names, mayManage) };
    },
  );

  app.post(
    '/api/files/container/empty',
    { config: { access: 'manage', audits: 'files.container_empty' } },
    async (request, reply) => {
      const given = parse(EMPTY, request.body);
      const { name, with_trash: withTrash, remove } = given;
      if (given.confirm_name !== name) {
        throw new ApiError('invalid_argument', 'The confirmation name does not match.');
      }
      const session = sessionOf(request);
      const { store } = session;
      const { bulkDeletesMax } = await info.get();
      const containers = withTrash ? [name, trashOf(name)] : [name];
      const act = {
        action: remove ? 'files.container_delete' : 'files.container_empty',
        target: name,
        details: { with_trash: withTrash },
      };
      const job = await auditedJob(context, request, act, 'empty', async (control) => {
        const describe = (error: unknown) => describeError(context, error, 'job');
        const total = await countOf(store, containers);
        const cleanup = new SegmentCleanup(store, context.pause, context.now);
        const options = { bulkDeletesMax, describe, control, total, cleanup };
        const emptying = new Emptying(store, options);
        const bucket = await s3BucketOf(session, name);
        for (const container of containers) {
          const isBucket = bucket !== undefined && container === name;
          const work = isBucket ? emptying.emptyBucket(bucket) : emptying.empty(container);
          await work.catch(unlessMissing);
        }
        await emptying.end();
        if (remove && emptying.result.failed === 0 && !control.signal.aborted) {
          for (const container of containers) {
            await (container === name && bucket
              ? bucket.remove()
              : removeContainer(store, container));
          }
        }
        return emptying.result;
      });
      return reply.status(202).send({ job_id: job.id });
    },
  );
}

async function countOf(store: SwiftAccount, containers: readonly string[]): Promise<number> {
  let count = 0;
  for (const container of containers) {
    const { headers } = await store.do([200, 204, 404], 'HEAD', { container });
    count += Number(headers['x-container-object-count'] ?? 0);
  }
  return count;
}

function unlessMissing(error: unknown): void {
  if (translate(error, 404, 'no_such_container', '') === error) throw error;
}

/** @throws ApiError container_not_empty */
async function removeContainer(store: SwiftAccount, container: string): Promise<void> {
  try {
    await store.do([204, 404], 'DELETE', { container });
  } catch (error) {
    throw translate(error, 409, 'container_not_empty', 'The bucket is not empty.');
  }
}
