import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../../server/api-error.js';
import { recordAction } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { hasRight } from '../../../server/rights.js';
import { parseUpstream } from '../../../swift/address.js';
import { objectPlace, refuseShortened } from '../names.js';
import { fileNameOf } from '../object-body.js';
import { expectS3Bucket } from './s3-bucket.js';

/** S3 takes no longer time in a signature of version 4. */
const EXPIRES_S_MAX = 7 * 86_400;

const PRESIGNED = objectPlace.extend({
  method: z.enum(['GET', 'HEAD', 'PUT']).default('GET'),
  expires_in_s: z.int().min(1).max(EXPIRES_S_MAX).optional(),
  filename: z.string().min(1).max(255).optional(),
  inline: z.boolean().default(false),
});

const NO_ADDRESS =
  'No address is configured under which people reach S3, with which a presigned URL begins.';

export interface PresignedUrl {
  readonly url: string;
  readonly expires_unix_s: number;
}

/**
 * URLs of S3 that open one object of a bucket with versions for a while. The user who asks signs
 * them: they allow what the user may do, and end with the user's key.
 */
export function presignedRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { options, now } = context;
  app.post(
    '/api/files/presigned',
    { config: { access: 'write' } },
    async (request): Promise<PresignedUrl> => {
      const given = parse(PRESIGNED, request.body);
      const session = sessionOf(request);
      const { container, name, method } = given;
      if (method === 'PUT' && !hasRight(session.user.role, 'manage')) {
        throw new ApiError('forbidden', 'Your role does not allow URLs that write.');
      }
      refuseShortened(name);
      const bucket = await expectS3Bucket(session, container);
      if (options.s3PublicBase === '') {
        const needs = 's3_public_base';
        throw new ApiError('unsupported_here', NO_ADDRESS, { needs });
      }
      if (method !== 'PUT' && (await bucket.currentVersion(name)) === undefined) {
        throw new ApiError('no_such_object', 'The object does not exist.');
      }
      const lifeS = given.expires_in_s ?? Math.min(options.tempurlDefaultSecs, EXPIRES_S_MAX);
      const expires = Math.floor(now() / 1000) + lifeS;
      const details = { name, method, expires_unix_s: expires };
      const act = { action: 'files.presigned_url', target: container, details };
      await recordAction(context, request, { ...act, result: 'ok' });
      const what = { bucket: container, key: name, query: method === 'GET' ? shownAs(given) : {} };
      return {
        url: bucket.s3.presigned(method, what, parseUpstream(options.s3PublicBase), lifeS),
        expires_unix_s: expires,
      };
    },
  );
}

/** As TempURLs do: a browser downloads what it opens, unless it is to show it. */
function shownAs({ name, filename, inline }: z.infer<typeof PRESIGNED>) {
  const kind = inline ? 'inline' : 'attachment';
  return { 'response-content-disposition': `${kind}; ${fileNameOf(filename ?? name)}` };
}
