import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { BegunAct, type Act } from '../../server/audit-record.js';
import type { AuditDetails } from '../../../src/lib/audit/audit-log.js';
import type { ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import type { Right } from '../../server/rights.js';
import type { ControlAnswer, ControlClient } from './control-client.js';
import { badResponse } from './control-errors.js';

/** The common part of all routes of Deploy: it checks requests, audits acts, passes answers on. */

/** A specification with the members around it, as the control service takes it. */
export const BODY_BYTES_MAX = 2 * 1024 * 1024 + 64 * 1024;

const ID = z.object({ id: z.string().regex(/^[\w-]{1,128}$/, { error: 'an id' }) });
const KEY = z.string().regex(/^[\x21-\x7e]{1,128}$/, { error: 'printable characters' });
const NAMED = z.object({ cluster: z.string() });

/** Options of a route whose act the audit log has under this name, also where it is refused. */
export function acting(audits: string, access: Right = 'mutate') {
  return { config: { access, audits } };
}

/** Does what is written down before it is done, and again with its outcome. */
export async function done(
  context: ConsoleContext,
  request: FastifyRequest,
  reply: FastifyReply,
  act: Act,
  work: () => Promise<ControlAnswer>,
): Promise<FastifyReply> {
  const begun = await BegunAct.begin(context, request, act);
  let answer: ControlAnswer;
  try {
    answer = await work();
  } catch (error) {
    await begun.fail(error);
    throw error;
  }
  const { made, etag } = answer;
  const details: AuditDetails = {
    ...(made === undefined ? {} : { made }),
    ...(etag === undefined ? {} : { after: etag }),
  };
  await begun.end({ result: 'ok', details });
  return passOn(reply, answer);
}

/** Sends an answer of the service as it is; of its headers, those of the contract alone. */
export function passOn(
  reply: FastifyReply,
  { status, etag, type, body }: ControlAnswer,
): FastifyReply {
  if (!/^application\/json(?:;|$)/i.test(type)) {
    body.destroy();
    throw badResponse(status);
  }
  if (etag !== undefined) void reply.header('etag', etag);
  return reply.status(status).type('application/json; charset=utf-8').send(body);
}

/**
 * An apply names the cluster that it is meant for, so that one in another window is not taken for
 * it.
 * @throws ApiError invalid_argument
 */
export async function expectCluster(control: ControlClient, given: string): Promise<void> {
  const spec = await control.json({ method: 'GET', path: '/spec' }, BODY_BYTES_MAX);
  const { success, data } = NAMED.safeParse(spec);
  if (success && data.cluster === given) return;
  throw new ApiError('invalid_argument', 'The cluster name does not match.');
}

/** @throws ApiError precondition_required, invalid_argument */
export function headerOf(request: FastifyRequest, name: string, schema: z.ZodString): string {
  const given = request.headers[name];
  if (given === undefined) {
    throw new ApiError('precondition_required', `Missing header: ${name}.`);
  }
  return parse(schema, given);
}

/** @throws ApiError precondition_required, invalid_argument */
export function keyOf(request: FastifyRequest): string {
  return headerOf(request, 'idempotency-key', KEY);
}

export function idOf({ params }: FastifyRequest): string {
  return parse(ID, params).id;
}

export function bodyOf({ body }: FastifyRequest): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new ApiError('invalid_argument', 'The request has no body.');
}
