import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { encodeUriComponentAws, encodeUriPath } from '../../../src/lib/uri.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import type { Session } from '../../server/sessions.js';
import { swiftPath } from '../../swift/path.js';
import { placeIn } from './container-details.js';
import type { Place } from './copy-object.js';
import { objectPlace } from './names.js';
import type { PublicBases } from './sharing.js';

/** The addresses of an object. */
export interface ObjectUrls {
  /** `s3://bucket/key`; null where S3 does not know the container. */
  readonly s3_uri: string | null;
  /** The address at which its readers find it; null where no public one is known. */
  readonly url: string | null;
  /** True when the address opens without a login, as a request without a key has just shown. */
  readonly is_public: boolean;
}

/** Addresses of objects that need no signature: for clients with a key, or for everybody. */
export function urlRoutes(app: FastifyInstance, { options }: ConsoleContext): void {
  const reads = { config: { access: 'read' } } as const;
  app.get('/api/files/urls', reads, async (request): Promise<ObjectUrls> => {
    const { container, name } = parse(objectPlace, request.query);
    return urlsOf(sessionOf(request), { container, object: name }, options);
  });
}

async function urlsOf(
  session: Session,
  { container, object }: Place,
  { s3PublicBase, storePublicBase }: PublicBases,
): Promise<ObjectUrls> {
  const { place } = await placeIn(session, container);
  const uri = place === undefined ? null : `s3://${container}/${object}`;
  let url: string | null = null;
  if (place !== undefined && s3PublicBase !== '') {
    url = `${s3PublicBase.replace(/\/$/, '')}/${encodeUriComponentAws(container)}/${encodeUriPath(object)}`;
    const asked = { bucket: container, key: object };
    const own = await place.s3.do([200, 400, 403, 404], 'HEAD', asked);
    const open = await place.s3.askAsAnybody('HEAD', asked);
    // Without a key a bucket of the same name in another account may have answered.
    if (open.status === 200 && isSame(own.headers, open.headers)) {
      return { s3_uri: uri, url, is_public: true };
    }
  }
  if (storePublicBase !== '') {
    // It has the account in it, and is shown only where anybody may use it.
    const { status } = await session.store.askAsAnybody('HEAD', { container, object });
    if (status === 200) {
      const path = swiftPath(session.store.name, { container, object });
      return { s3_uri: uri, url: storePublicBase.replace(/\/$/, '') + path, is_public: true };
    }
  }
  return { s3_uri: uri, url, is_public: false };
}

function isSame(own: IncomingHttpHeaders, other: IncomingHttpHeaders): boolean {
  return own.etag === other.etag && own['last-modified'] === other['last-modified'];
}
