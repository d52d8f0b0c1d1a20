import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable, Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { discardRest } from '../../server/bodies.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { BYTES_TYPE } from '../../server/media-type.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import { hasRight } from '../../server/rights.js';
import type { SwiftAccount } from '../../swift/account.js';
import { UpstreamError } from '../../swift/errors.js';
import { headerText } from '../../swift/login.js';
import { isTaken, RepeatedBody, TAKEN } from './exists.js';
import { contentType, objectPlace, refuseTrash } from './names.js';
import { objectReader, sendBody } from './object-body.js';
import { noSuchContainer, translate } from './translate.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { expectKept } from './s3/s3-objects.js';
import { replacing } from './write-effect.js';
import type { VersionKeepers } from './version-keepers.js';

const UPLOAD = objectPlace.extend({
  overwrite: z.enum(['0', '1']).default('0'),
  /** Set by a client that has sent the same body before, and does not know what became of it. */
  again: z.enum(['0', '1']).default('0'),
  type: contentType.optional(),
});
const DOWNLOAD = objectPlace.extend({
  disposition: z.enum(['attachment', 'inline']).default('attachment'),
});

const UPLOAD_IDLE_MS = 2 * 60_000;

/** A larger body takes longer than to ask whether it would be sent in vain. */
const UNASKED_BYTES_MAX = 1024 * 1024;

/** Bodies of objects, streamed both ways. */
export function transferRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  keepers: VersionKeepers,
): void {
  const { options } = context;
  /** Whether to check first, because the condition of the PUT is not enough. */
  const asksFirst = async (store: SwiftAccount, container: string, length: number) =>
    !(length <= UNASKED_BYTES_MAX) || keepers.mayKeep(store, container);

  app.addContentTypeParser(BYTES_TYPE, (_request, payload, done) => {
    done(null, payload);
  });

  app.put('/api/files/object/body', auditedRoute('write'), async (request, reply) => {
    const { container, name, overwrite, again, type } = parse(UPLOAD, request.query);
    refuseTrash(container);
    const length = request.headers['content-length'];
    const { store, user } = sessionOf(request);
    const body = request.body as Readable | undefined;
    const place = { container, object: name };
    const repeatedBody = () => new RepeatedBody(body ?? Readable.from([]), options.maxUploadBytes);
    let repeated: RepeatedBody | undefined;
    try {
      if (
        overwrite !== '1' &&
        (await asksFirst(store, container, Number(length))) &&
        (await isTaken(store, place))
      ) {
        throw new ApiError('exists', TAKEN);
      }
      const put = async (onlyIfAbsent: boolean) => {
        const bucket = await s3BucketOf(sessionOf(request), container);
        if (bucket !== undefined && length === undefined) {
          throw new ApiError('invalid_argument', 'S3 requires a Content-Length header.');
        }
        const mayDestroy = hasRight(user.role, 'manage');
        const kept = bucket && (await expectKept(bucket, name, mayDestroy));
        const metered = meter(body, length, options.maxUploadBytes);
        if (again === '1') repeated = repeatedBody();
        const sent = {
          'content-type': headerText(type ?? 'application/octet-stream'),
          ...(length === undefined ? {} : { 'content-length': length }),
          ...(onlyIfAbsent ? { 'if-none-match': '*' } : kept),
        };
        const headers =
          (await bucket?.put(name, metered.body, sent)) ??
          (
            await store.do([201], 'PUT', {
              ...{ ...place, body: metered.body },
              idleMs: UPLOAD_IDLE_MS,
              headers: sent,
            })
          ).headers;
        return { etag: metered.stored(headers), bytes: metered.bytes() };
      };
      const made =
        overwrite === '1' ? await replacing(context, request, place, put) : await put(true);
      return await reply.status(201).send(made);
    } catch (error) {
      const known = translate(error, 412, 'exists', TAKEN);
      if (again === '1' && known instanceof ApiError && known.code === 'exists') {
        repeated ??= repeatedBody();
        const made = await repeated.stored(async () => {
          const bucket = await s3BucketOf(sessionOf(request), container);
          if (bucket === undefined) return store.do([200, 204, 403, 404], 'HEAD', place);
          return bucket.s3.do([200, 400, 403, 404], 'HEAD', { bucket: container, key: name });
        });
        if (made !== undefined) return await reply.status(201).send(made);
      }
      discardRest(request.raw);
      return noSuchContainer(known);
    }
  });

  app.get('/api/files/object/body', { config: { access: 'read' } }, async (request, reply) => {
    const { container, name, disposition } = parse(DOWNLOAD, request.query);
    const read = objectReader(sessionOf(request), container);
    const answer = await read(name, request.headers.range);
    return sendBody(reply, answer, name, disposition);
  });
}

/**
 * Counts and hashes what goes through; ends with an error when it is too much.
 * @throws ApiError too_large; UpstreamError when the body has been cut before
 */
export function meter(body: Readable | undefined, length: string | undefined, bytesMax: number) {
  const message = "The file is larger than the console's upload limit.";
  const tooLarge = new ApiError('too_large', message, { max_upload_bytes: bytesMax });
  if (Number(length ?? 0) > bytesMax) throw tooLarge;
  // The end of the body was reported already: a listener added now would wait for ever.
  if (body?.destroyed && !body.readableEnded) throw new UpstreamError('unavailable');
  const md5: Hash = createHash('md5');
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        done(tooLarge);
        return;
      }
      md5.update(chunk);
      done(null, chunk);
    },
  });
  if (body === undefined) counter.end();
  else {
    // No `pipeline`: it would cut the connection that a refusal has yet to go through.
    body.pipe(counter);
    body.once('error', (error) => counter.destroy(error));
    body.once('close', () => {
      if (!body.readableEnded) counter.destroy(new UpstreamError('unavailable'));
    });
  }
  /** @returns the ETag of what the store has written @throws ApiError where that is not the body */
  const stored = ({ etag: quoted = '' }: IncomingHttpHeaders) => {
    const etag = quoted.replaceAll('"', '');
    if (etag === md5.digest('hex')) return etag;
    throw new ApiError(
      'etag_mismatch',
      'The data was corrupted on its way to the store (checksum mismatch). Try again.',
    );
  };
  return { body: counter, bytes: () => bytes, stored };
}
