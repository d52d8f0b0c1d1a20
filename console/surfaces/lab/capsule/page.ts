import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CapsuleError } from '../../../../src/capsule/capsule-error.js';
import { loginName } from '../../../config/keys.js';
import { ApiError } from '../../../server/api-error.js';
import { BegunAct } from '../../../server/audit-record.js';
import { discardRest } from '../../../server/bodies.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import type { JobControl } from '../../../server/jobs.js';
import { BYTES_TYPE } from '../../../server/media-type.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute, readRoute } from '../../../server/route-options.js';
import { type LabPage, READ, storeSource } from '../ground/data-source.js';
import { needMutations } from '../ground/refusals.js';
import type { Lab } from '../lab.js';
import { capture, type Capture } from './capture.js';
import { sourceVersion, type CapsuleVerdict } from './capsules.js';
import { compareWithCapsule } from './difference.js';
import { exportCapsule } from './export-capsule.js';
import { writeObject } from './import-capsule.js';

const name = (bytesMax: number) =>
  z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= bytesMax && !text.includes('\0'), {
      error: `a name of at most ${bytesMax} bytes`,
    });
const CONTAINER = name(256).refine((text) => !text.includes('/'), { error: 'no slash' });
const CAPTURE = z.strictObject({
  container: CONTAINER,
  name: name(1024),
  version_id: z
    .string()
    .regex(/^\d{10}\.\d{5}$/, { error: 'a version such as 1700000000.12345' })
    .optional(),
});
const IMPORT = z.strictObject({
  container: CONTAINER,
  name: name(1024),
  overwrite: z.enum(['0', '1']).default('0'),
});
const EXPORT = z.strictObject({ body: z.enum(['0', '1']).default('1') });

/** The fault of a capsule, for the browser. */
export interface CapsuleProblem {
  readonly valid: false;
  readonly problem: { readonly fault: string; readonly file: string; readonly reason: string };
}

export interface CapturesView {
  readonly items: readonly Pick<
    Capture,
    'id' | 'created_unix_s' | 'actor' | 'container' | 'name' | 'state' | 'verdict' | 'unavailable'
  >[];
}

export interface CapsuleKeyView {
  readonly key_id: string;
  readonly public_key_pem: string;
}

/** The result of a job: a capture, which is read by its id. */
export interface CaptureMade {
  readonly id: string;
}

export const CAPSULE: LabPage = {
  id: 'lab/capsule',
  title: 'Object Capsule',
  purpose: 'Inspect one object on every server and export its state as a signed capsule.',
  path: '/lab/capsule',
  icon: 'package-open',
  styles: ['/ui/css/lab.css'],
  source: storeSource,
  routes: capsuleRoutes,
};

function capsuleRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';
  const { options, jobs, now } = context;

  if (!app.hasContentTypeParser(BYTES_TYPE)) {
    app.addContentTypeParser(BYTES_TYPE, (_request, payload, done) => {
      done(null, payload);
    });
  }

  app.post('/lab/api/capsule/capture', readRoute(access), (request, reply) => {
    const place = parse(CAPTURE, request.body);
    const session = sessionOf(request);
    const { rings, nodes } = lab;
    const tools = { rings, nodes, now };
    const { id } = jobs.start(session, 'lab.capsule.capture', async (control) => {
      const actor = loginName(session.user);
      const tell = progressOf(control);
      const made = await capture(tools, session.store, place, actor, control.signal, tell);
      await lab.capsules.captures.add(made);
      return { id: made.id } satisfies CaptureMade;
    });
    return reply.status(202).send({ job_id: id });
  });

  app.get('/lab/api/capsule/captures', READ, async (request) => {
    const { store } = sessionOf(request);
    const all = await lab.capsules.captures.list();
    const items = all
      .filter(({ account }) => account === store.name)
      .map(
        ({ id, created_unix_s, actor, container, name: object, state, verdict, unavailable }) => {
          const found = { state, verdict, unavailable };
          return { id, created_unix_s, actor, container, name: object, ...found };
        },
      );
    return { items } satisfies CapturesView;
  });

  app.get('/lab/api/capsule/captures/:id', READ, (request) => captureOf(lab, request));

  app.get('/lab/api/capsule/captures/:id/archive', READ, async (request, reply) => {
    const { body } = parse(EXPORT, request.query);
    const captured = await captureOf(lab, request);
    const { store, ended } = sessionOf(request);
    const archive = await exportCapsule(captured, {
      store,
      key: await lab.capsules.key(),
      parseManifest: lab.capsules.parseManifest,
      cluster: options.clusterName,
      sourceVersion: sourceVersion(),
      withBody: body === '1',
      bytesMax: options.maxUploadBytes,
      signal: ended.signal,
    });
    const file = encodeURIComponent(captured.name.split('/').findLast(Boolean) ?? 'object');
    void reply
      .header('content-disposition', `attachment; filename*=UTF-8''${file}.capsule`)
      .header('content-security-policy', 'sandbox')
      .header('x-frame-options', 'DENY')
      .type(BYTES_TYPE);
    // A failure on the way cuts the download before the archive's end: it is not taken for whole.
    return reply.send(Readable.from(archive, { objectMode: false, highWaterMark: 256 * 1024 }));
  });

  app.get('/lab/api/capsule/key', READ, async (): Promise<CapsuleKeyView> => {
    const key = await lab.capsules.key();
    return { key_id: key.id, public_key_pem: key.publicPem };
  });

  app.post(
    '/lab/api/capsule/verify',
    readRoute(access),
    async (request): Promise<CapsuleVerdict | CapsuleProblem> => {
      const { capsules } = lab;
      try {
        const found = await capsules.verify(bodyOf(request), options.maxUploadBytes);
        return await capsules.verdict(found);
      } catch (error) {
        discardRest(request.raw);
        if (!(error instanceof CapsuleError)) throw error;
        const { fault, file, reason } = error;
        return { valid: false, problem: { fault, file, reason } };
      }
    },
  );

  app.post('/lab/api/capsule/import', auditedRoute(access), async (request, reply) => {
    try {
      needMutations(options);
      const jobId = await startImport(context, lab, request);
      return await reply.status(202).send({ job_id: jobId });
    } catch (error) {
      discardRest(request.raw);
      if (!(error instanceof CapsuleError)) throw error;
      const { fault, file, reason } = error;
      const text = `The capsule is invalid. ${file}: ${reason}.`;
      throw new ApiError('unprocessable', text, { fault, file });
    }
  });
}

/** @throws CapsuleError, ApiError; nothing is written then */
async function startImport(
  context: ConsoleContext,
  lab: Lab,
  request: FastifyRequest,
): Promise<string> {
  const { options, jobs, now } = context;
  const { rings, nodes } = lab;
  const tools = { rings, nodes, now };
  const session = sessionOf(request);
  const given = parse(IMPORT, request.query);
  const target = { ...given, overwrite: given.overwrite === '1' };
  const spooled = await lab.capsules.spool.take(bodyOf(request), options.maxUploadBytes);
  const { capsule, file } = spooled;
  try {
    const client = await lab.capsules.clientHeaders(capsule);
    const { parseManifest } = lab.capsules;
    const act = { action: 'lab.capsule.import', target: `${given.container}/${given.name}` };
    const begun = await BegunAct.begin(context, request, act);
    const { store } = session;
    const work = async (control: JobControl): Promise<CaptureMade> => {
      const { signal } = control;
      try {
        const nowS = Math.floor(now() / 1000);
        const onProgress = progressOf(control);
        const means = { store, client, parseManifest, file, nowS, signal, onProgress };
        await writeObject(capsule, target, means);
        const actor = loginName(session.user);
        const made = await capture(tools, store, target, actor, signal, () => undefined);
        const differences = compareWithCapsule(capsule, client, made);
        await lab.capsules.captures.add({ ...made, differences });
        await begun.end({ result: 'ok' });
        return { id: made.id };
      } catch (error) {
        await begun.fail(error);
        throw error;
      } finally {
        await spooled.remove();
      }
    };
    return jobs.start(session, 'lab.capsule.import', work, async () => {
      await begun.end({ result: 'failed', details: { code: 'cancelled' } });
      await spooled.remove();
    }).id;
  } catch (error) {
    await spooled.remove();
    throw error;
  }
}

/** @throws ApiError not_found, also for those of other accounts */
async function captureOf(lab: Lab, request: FastifyRequest): Promise<Capture> {
  const { id } = request.params as { readonly id: string };
  const found = await lab.capsules.captures.get(id);
  if (found?.account === sessionOf(request).store.name) return found;
  throw new ApiError('not_found', 'Capture not found.');
}

function progressOf(control: JobControl): (done: number, total: number) => void {
  return (done, total) => {
    control.progress(done, total);
  };
}

function bodyOf(request: FastifyRequest): Readable {
  if (request.body instanceof Readable) return request.body;
  throw new ApiError('unsupported_media_type', `The request body must be ${BYTES_TYPE}.`);
}
