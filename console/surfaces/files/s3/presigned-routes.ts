import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../../server/api-error.js';
import { needRight, recordAction } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { parseUpstream } from '../../../swift/address.js';
import { namedContainer, objectName, objectPlace, refuseShortened } from '../names.js';
import { fileNameOf } from '../object-body.js';
import { NO_ADDRESS, sharingOf, type SharingView } from '../sharing.js';
import { s3PlaceOf, type S3Place } from './s3-bucket.js';

/** S3 takes no longer time in a signature of version 4. */
const EXPIRES_S_MAX = 7 * 86_400;

const PRESIGNED = z.strictObject({
  ...objectPlace.shape,
  method: z.enum(['GET', 'HEAD', 'PUT']).default('GET'),
  expires_in_s: z.int().min(1).max(EXPIRES_S_MAX).optional(),
  filename: objectName.max(255).optional(),
  inline: z.boolean().default(false),
});

const NO_WRITES = 'Your role does not allow upload URLs.';
const NO_BUCKET = 'S3 does not show you this bucket.';
const COLD = 'The object is in cold storage. Restore it before you share it.';

const reads = { config: { access: 'read' } } as const;

export interface PresignedUrl {
  readonly url: string;
  readonly expires_unix_s: number;
}

/**
 * URLs of S3 that open one object of a bucket for a while. The user who asks signs them: they allow
 * what the user may do, and end with the user's key.
 */
export function presignedRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { options, now } = context;
  app.get('/api/files/sharing', reads, async (request): Promise<SharingView> => {
    const { name } = parse(namedContainer, request.query);
    return sharingOf(sessionOf(request), name, options);
  });

  app.post(
    '/api/files/presigned',
    auditedRoute('write'),
    async (request): Promise<PresignedUrl> => {
      const given = parse(PRESIGNED, request.body);
      const session = sessionOf(request);
      const { container, name, method } = given;
      const lifeS = given.expires_in_s ?? Math.min(options.tempurlDefaultSecs, EXPIRES_S_MAX);
      const expires = Math.floor(now() / 1000) + lifeS;
      const details = { name, method, expires_unix_s: expires };
      const act = { action: 'files.presigned_url', target: container, details };
      if (method === 'PUT') await needRight(context, request, 'manage', act, NO_WRITES);
      refuseShortened(name);
      const place = await s3PlaceOf(session, container);
      if (place === undefined) throw new ApiError('unsupported_here', NO_BUCKET);
      if (options.s3PublicBase === '') {
        const needs = 's3_public_base';
        throw new ApiError('unsupported_here', NO_ADDRESS, { needs });
      }
      if (method !== 'PUT') await expectReadable(place, name);
      const what = { bucket: container, key: name, query: method === 'GET' ? shownAs(given) : {} };
      const url = place.s3.presigned(method, what, parseUpstream(options.s3PublicBase), lifeS);
      await recordAction(context, request, { ...act, result: 'ok' });
      return { url, expires_unix_s: expires };
    },
  );
}

/** @throws ApiError no_such_object; conflict for what is in cold storage */
async function expectReadable({ s3, name: bucket }: S3Place, key: string): Promise<void> {
  const { status } = await s3.do([200, 400, 404], 'HEAD', { bucket, key });
  if (status === 404) throw new ApiError('no_such_object', 'The object does not exist.');
  // HEAD does not say more, and nothing else about the request can be wrong.
  if (status === 400) throw new ApiError('conflict', COLD);
}

/** As TempURLs do: a browser downloads what it opens, unless it is to show it. */
function shownAs({ name, filename, inline }: z.infer<typeof PRESIGNED>) {
  const kind = inline ? 'inline' : 'attachment';
  return { 'response-content-disposition': `${kind}; ${fileNameOf(filename ?? name)}` };
}
