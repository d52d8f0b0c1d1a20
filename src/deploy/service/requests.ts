import type { FastifyRequest } from 'fastify';
import type { Control } from './control.js';
import { DeployError } from './errors.js';
import type { ValidateAnswer } from './planner-protocol.js';
import { NO_SPEC_ETAG, type SpecFile } from './store.js';

/** As many as a specification may have. */
const NODES_MAX = 1024;

/** The user, for journals and the audit log. */
export function actorOf(request: FastifyRequest): string {
  return (request as FastifyRequest & { readonly actor?: string }).actor ?? '';
}

export function audit(control: Control, request: FastifyRequest, action: string, target: string) {
  const base = { actor: actorOf(request), ip: request.ip, request_id: request.id };
  return control.record({ ...base, action, target, result: 'begun' });
}

export function invalid(message: string): DeployError {
  return new DeployError('invalid_argument', message);
}

export function textOf({ body }: FastifyRequest): string {
  if (typeof body === 'string') return body;
  throw invalid('Expected a JSON object.');
}

export function expectValid({ spec, errors }: ValidateAnswer): void {
  if (spec !== null) return;
  throw new DeployError('unprocessable', 'The specification is wrong.', { errors });
}

export async function specOf(
  { store }: Control,
  { spec, specEtag }: ValidateAnswer,
  etag: unknown,
): Promise<SpecFile> {
  if (spec !== null && etag !== undefined) {
    throw invalid('Expected "spec" or "spec_etag", not both.');
  }
  if (spec !== null) return { spec, etag: specEtag };
  const wanted = etag ?? store.specEtag;
  const file =
    typeof wanted === 'string' && wanted !== NO_SPEC_ETAG
      ? await store.specByEtag(wanted)
      : undefined;
  if (file === undefined) throw new DeployError('not_found', 'Specification not found.');
  return file;
}

/** The nodes of `{nodes}`; null where it is missing. @throws DeployError `invalid_argument` */
export function retryNodes({ spec, errors, rest }: ValidateAnswer): readonly string[] | null {
  const { nodes, ...others } = rest;
  const [other] = Object.keys(others);
  if (spec !== null || other !== undefined || errors.length > 0) {
    throw invalid('Expected {}, or {"nodes": [name, …]}.');
  }
  if (nodes === undefined) return null;
  const isRight =
    Array.isArray(nodes) &&
    nodes.length > 0 &&
    nodes.length <= NODES_MAX &&
    new Set(nodes).size === nodes.length &&
    nodes.every((node) => typeof node === 'string');
  if (isRight) return nodes;
  throw invalid('nodes: expected different names of nodes.');
}

/** The entity tag in `If-Match`: one, and a strong one. */
export function entityTag(request: FastifyRequest): string {
  const given = request.headers['if-match'];
  if (given === undefined) {
    throw new DeployError('precondition_required', 'If-Match is missing.');
  }
  return /^"([^"]{1,128})"$/.exec(given)?.[1] ?? given.slice(0, 128);
}

export function idempotencyKey(request: FastifyRequest): string {
  const given = request.headers['idempotency-key'];
  if (typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given)) return given;
  throw invalid('Idempotency-Key: expected 1 to 128 printable characters.');
}
