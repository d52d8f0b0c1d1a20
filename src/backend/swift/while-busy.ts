import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext, ObjectRef } from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import type { SwiftResponse } from './transport.js';

/**
 * About 5 s at most: who creates the same object with a small body is done in a fraction of that,
 * and then the answer is that it exists.
 */
const ATTEMPTS_MAX = 12;
const PAUSE_MS_MIN = 20;
const PAUSE_MS_MAX = 800;

/** Whether somebody else is creating the same object right now: see ops/swift/. */
export function isBusy({ status, headers }: Pick<SwiftResponse, 'status' | 'headers'>): boolean {
  return status === 409 && headers.get('x-gateway-create') === 'busy';
}

/**
 * Repeats what has effect only where nobody else is at it, until that is so.
 * @param attempt - with a body that can be sent any number of times
 * @throws BackendError Unavailable when somebody else is at it for too long; the reason of the
 *   context's signal; what `attempt` throws
 */
export async function whileBusy<T>(
  context: CallContext,
  ref: ObjectRef,
  attempt: () => Promise<T | 'busy'>,
): Promise<T> {
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
    const result = await attempt();
    if (result !== 'busy') return result;
    await pause(attempts);
    throwIfAborted(context);
  }
  throw busyError(ref);
}

/** What {@link whileBusy} repeats, of an answer. */
export async function unlessBusy(answer: Promise<SwiftResponse>): Promise<SwiftResponse | 'busy'> {
  const response = await answer;
  if (!isBusy(response)) return response;
  response.cancel();
  return 'busy';
}

export function busyError({ container, object }: ObjectRef): BackendError {
  const detail = `somebody else is creating ${container}/${object}, and takes long`;
  return new BackendError('Unavailable', detail);
}

/** At random, so that those who met do not meet again. */
async function pause(attempts: number): Promise<void> {
  const longest = Math.min(PAUSE_MS_MIN * 2 ** attempts, PAUSE_MS_MAX);
  await delay(PAUSE_MS_MIN + Math.random() * (longest - PAUSE_MS_MIN));
}
