import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { audited } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { unauditedRoute } from '../../server/route-options.js';
import { hasRight } from '../../server/rights.js';
import type { StoreInfoCache } from '../../swift/info.js';
import { createBucket, expectPossible, NEW_BUCKET, type WantedBucket } from './create-bucket.js';
import { isTaken } from './exists.js';
import {
  containerName,
  kindOf,
  namedContainer,
  objectPlace,
  prefixText,
  refuseTrash,
  type ContainerKind,
} from './names.js';
import { defaultText } from './s3/bucket-lock.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { expectKept } from './s3/s3-objects.js';
import { listContainers, listObjects, LISTING_LIMIT } from './swift-listing.js';
import { noSuchContainer, translate } from './translate.js';

const PAGE = z.object({
  marker: z.string().max(4096).optional(),
  limit: z.coerce.number().int().min(1).max(LISTING_LIMIT).default(100),
  reverse: z.enum(['0', '1']).default('0'),
});
const OBJECTS = PAGE.extend({
  container: containerName,
  prefix: prefixText.default(''),
  delimiter: z.enum(['', '/']).default('/'),
});
const FOLDER = objectPlace.strict();

const CREATE = 'files.container_create';
const REMOVE = 'files.container_delete';
const reads = { config: { access: 'read' } } as const;
const manage = (audits: string) => ({ config: { access: 'manage', audits } }) as const;

const FOLDER_TAKEN = 'A folder with this name already exists.';

/** Rows in ascending order, and the names that the pages beside them begin behind. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_marker: string | null;
  readonly previous_marker: string | null;
}

/** A container, as the account lists it. */
export interface ContainerItem {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly last_modified?: string | undefined;
  readonly kind: ContainerKind;
}

export type ContainersPage = Page<ContainerItem>;

/** Names that begin alike, up to a delimiter. */
export interface FolderItem {
  readonly kind: 'folder';
  readonly name: string;
  /** The name without the prefix that was asked for. */
  readonly display: string;
}

export interface ObjectItem {
  readonly kind: 'object';
  readonly name: string;
  readonly display: string;
  readonly bytes: number;
  readonly etag: string;
  readonly content_type: string;
  readonly last_modified?: string | undefined;
  /** The ETag of a static large object's manifest; left out for other objects. */
  readonly slo_etag?: string | undefined;
}

export interface ObjectsPage extends Page<FolderItem | ObjectItem> {
  readonly prefix: string;
}

/** Containers, and what is in them. */
export function containerRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  info: StoreInfoCache,
): void {
  app.get('/api/files/containers', reads, async (request): Promise<ContainersPage> => {
    const { marker, limit, reverse } = parse(PAGE, request.query);
    const { store } = sessionOf(request);
    const query = { marker, limit, reverse: reverse === '1' ? 'on' : undefined };
    const rows = await listContainers(store, query);
    const items = rows.map(({ name, count, bytes, last_modified: time }) => ({
      name,
      objects: count,
      bytes,
      last_modified: utc(time),
      kind: kindOf(name),
    }));
    return page(items, limit, reverse === '1');
  });

  app.put('/api/files/container', manage(CREATE), async (request, reply) => {
    const wanted = parse(NEW_BUCKET, request.body);
    const session = sessionOf(request);
    expectPossible(wanted, session, await info.get());
    const act = { action: CREATE, target: wanted.name, details: detailsOf(wanted) };
    await audited(context, request, act, () => createBucket(wanted, session));
    return reply.status(204).send();
  });

  app.delete('/api/files/container', manage(REMOVE), async (request, reply) => {
    const { name } = parse(namedContainer, request.query);
    await audited(context, request, { action: REMOVE, target: name }, async () => {
      try {
        const bucket = await s3BucketOf(sessionOf(request), name);
        if (bucket !== undefined) await bucket.remove();
        else await sessionOf(request).store.do([204], 'DELETE', { container: name });
      } catch (error) {
        noSuchContainer(translate(error, 409, 'container_not_empty', 'The bucket is not empty.'));
      }
    });
    return reply.status(204).send();
  });

  app.get('/api/files/objects', reads, async (request): Promise<ObjectsPage> => {
    const { container, prefix, delimiter, marker, limit, reverse } = parse(OBJECTS, request.query);
    const { store } = sessionOf(request);
    const rows = await listObjects(store, container, {
      prefix: orNone(prefix),
      delimiter: orNone(delimiter),
      marker: orNone(marker),
      limit,
      reverse: reverse === '1' ? 'on' : undefined,
    }).catch(noSuchContainer);
    const items = rows.map((row) => {
      if ('subdir' in row) {
        const name = row.subdir;
        return { kind: 'folder', name, display: name.slice(prefix.length) } as const;
      }
      const { name, content_type, slo_etag, last_modified: time } = row;
      // Swift lists a link with nothing in it, and says beside it what it leads to.
      const { symlink_bytes: bytes = row.bytes, symlink_etag: etag = row.hash } = row;
      const display = name.slice(prefix.length);
      const last_modified = utc(time);
      return {
        kind: 'object',
        name,
        display,
        bytes,
        etag,
        content_type,
        last_modified,
        slo_etag,
      } as const;
    });
    return { prefix, ...page(items, limit, reverse === '1') };
  });

  /** An empty folder is an object that is nothing but its name. */
  app.put('/api/files/folder', unauditedRoute('write', 'adds'), async (request, reply) => {
    const { container, name } = parse(FOLDER, request.body);
    refuseTrash(container);
    const headers = {
      'content-type': 'application/directory',
      'content-length': '0',
      'if-none-match': '*',
    };
    const object = name.endsWith('/') ? name : `${name}/`;
    const { store, user } = sessionOf(request);
    // Swift's versioning keeps a version before it looks at the condition.
    if (await isTaken(store, { container, object })) throw new ApiError('exists', FOLDER_TAKEN);
    try {
      const bucket = await s3BucketOf(sessionOf(request), container);
      if (bucket !== undefined) {
        await expectKept(bucket, object, hasRight(user.role, 'manage'));
        await bucket.put(object, '', headers);
      } else await store.do([201], 'PUT', { container, object, headers, body: '' });
    } catch (error) {
      throw translate(error, 412, 'exists', FOLDER_TAKEN);
    }
    return reply.status(204).send();
  });
}

/** For the audit log: what was asked for beyond the name. */
function detailsOf({ policy, versioning, object_lock: lock, quota, ...wanted }: WantedBucket) {
  const { default_retention: retention } = wanted;
  return {
    ...(policy === undefined ? {} : { policy }),
    ...(versioning ? { versioning } : {}),
    ...(lock || retention !== null ? { object_lock: defaultText(retention) } : {}),
    ...(quota.bytes === null ? {} : { quota_bytes: quota.bytes }),
    ...(quota.objects === null ? {} : { quota_objects: quota.objects }),
  };
}

/** Rows in ascending order, whichever way they were read, and where pages go on in both ways. */
function page<T extends { readonly name: string }>(
  rows: T[],
  limit: number,
  reversed: boolean,
): Page<T> {
  const items = reversed ? rows.reverse() : rows;
  const full = items.length === limit;
  return {
    items,
    next_marker: reversed || full ? (items.at(-1)?.name ?? null) : null,
    previous_marker: !reversed || full ? (items[0]?.name ?? null) : null,
  };
}

/** Swift's times have no zone: they are UTC. */
function utc(time: string | undefined): string | undefined {
  return time === undefined || time.endsWith('Z') ? time : `${time}Z`;
}

function orNone(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
