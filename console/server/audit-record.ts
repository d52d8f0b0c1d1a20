import type { FastifyRequest } from 'fastify';
import { loginName } from '../config/keys.js';
import { ApiError, type ApiErrorCode } from './api-error.js';
import type { AuditDetails, AuditEvent } from '../../src/lib/audit/audit-log.js';
import { sessionOf, type ConsoleContext } from './context.js';
import { hasRight, type Right } from './rights.js';
import { fromUpstream } from './upstream-errors.js';

type AuditContext = Pick<ConsoleContext, 'audit' | 'logger'>;

/** An action of a user: its name, such as `files.purge`, its object, and details. */
export interface Act {
  readonly action: string;
  readonly target: string;
  readonly details?: AuditDetails | undefined;
}

/** How an act ended. */
export interface Outcome {
  readonly result: Exclude<AuditEvent['result'], 'begun'>;
  readonly details?: AuditDetails;
}

/** Names in one record; of more only the number is kept. */
const NAMES_MAX = 10;
const NAME_LENGTH_MAX = 200;

/** The errors of an action that was refused, rather than tried in vain. */
const REFUSALS: ReadonlySet<string> = new Set<ApiErrorCode>([
  'acl',
  'csrf',
  'feature_disabled',
  'forbidden',
  'object_locked',
  'unauthenticated',
]);

/** Records an action of a user who need not be logged in; resolves when it is on the disk. */
export async function record(
  { audit }: Pick<ConsoleContext, 'audit'>,
  request: FastifyRequest,
  { actor, role }: Pick<AuditEvent, 'actor' | 'role'>,
  event: Act & Pick<AuditEvent, 'result'>,
): Promise<void> {
  const { action, target, result, details } = event;
  const account = request.session === null ? '' : accountOf(request);
  const ip = request.view.address;
  const base = { actor, role, ip, account, action, target, result, request_id: request.id };
  await audit.write(details === undefined ? base : { ...base, details });
}

/** Writes down what the user of a request does; resolves when it is on the disk. */
export async function recordAction(
  context: Pick<ConsoleContext, 'audit'>,
  request: FastifyRequest,
  event: Act & Pick<AuditEvent, 'result'>,
): Promise<void> {
  const { user } = sessionOf(request);
  await record(context, request, { actor: loginName(user), role: user.role }, event);
}

/** An act that has begun, whose outcome is still to be written down. */
export class BegunAct {
  #isOver = false;

  private constructor(
    private readonly context: AuditContext,
    private readonly request: FastifyRequest,
    private readonly act: Act,
  ) {}

  /** Resolves when the beginning is on the disk. @throws system errors; then nothing may be done */
  static async begin(context: AuditContext, request: FastifyRequest, act: Act): Promise<BegunAct> {
    await recordAction(context, request, { ...act, result: 'begun' });
    return new BegunAct(context, request, act);
  }

  /** Once: what comes after is no outcome any more. What is done is done: a full disk is logged. */
  async end({ result, details }: Outcome): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const { action, target, details: given } = this.act;
    const event = { action, target, result, details: { ...given, ...details } };
    try {
      await recordAction(this.context, this.request, event);
    } catch (error) {
      this.context.logger.error({ err: error, action, target, result }, 'audit record lost');
    }
  }

  fail(error: unknown): Promise<void> {
    const code = codeOf(error);
    return this.end({ result: isRefusal(code) ? 'denied' : 'failed', details: { code } });
  }
}

/**
 * Does what is written down before it is done, and again when it has ended, with its outcome: what
 * the store refuses is denied, whatever else goes wrong has failed.
 *
 * @param made names what was made, in the record of its outcome
 * @throws what `work` throws; system errors when its beginning cannot be written: it is not done then
 */
export async function audited<T>(
  context: AuditContext,
  request: FastifyRequest,
  act: Act,
  work: () => Promise<T>,
  made: (result: T) => AuditDetails = () => ({}),
): Promise<T> {
  const begun = await BegunAct.begin(context, request, act);
  try {
    const result = await work();
    await begun.end({ result: 'ok', details: made(result) });
    return result;
  } catch (error) {
    await begun.fail(error);
    throw error;
  }
}

/** @throws ApiError forbidden, which is written down, unless the role of the user has the right */
export async function needRight(
  context: Pick<ConsoleContext, 'audit'>,
  request: FastifyRequest,
  right: Right,
  act: Act,
  message = 'Your role does not allow this.',
): Promise<void> {
  if (hasRight(sessionOf(request).user.role, right)) return;
  await recordAction(context, request, { ...act, result: 'denied' });
  throw new ApiError('forbidden', message);
}

/** The first of many names, as a record holds them. */
export function namesIn(names: readonly string[]): AuditDetails {
  return { count: names.length, names: firstOf(names).map(cut) };
}

/** Those of many that a record names. */
export function firstOf<T>(all: readonly T[]): T[] {
  return all.slice(0, NAMES_MAX);
}

/** A name as a record holds it. */
export function cut(name: string): string {
  return name.slice(0, NAME_LENGTH_MAX);
}

export function isRefusal(code: string): boolean {
  return REFUSALS.has(code);
}

function codeOf(error: unknown): string {
  const known = error instanceof ApiError ? error : fromUpstream(error);
  return known?.code ?? 'internal';
}

/** The account without the store's own prefix, which no answer shows. */
/** The account whose containers a user sees. */
export function accountOf(request: FastifyRequest): string {
  const { user, store } = sessionOf(request);
  return user.account === '' ? store.name.replace(/^[A-Z]+_/, '') : user.account;
}
