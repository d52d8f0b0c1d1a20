import { setTimeout } from 'node:timers/promises';
import type { ContainerUpdate } from '../../backend/backend.js';
import { containerOf, type RequestContext } from '../operation.js';

/** A listener that is told to go by older heads than this may lag behind: clients do not wait for it. */
const SETTLED_MS_MAX = 2_000;
/** Timers may end a little before their time. */
const EARLY_MS = 5;

/**
 * Changes the container of a request's bucket, and is done when no listener goes by what was before: a
 * write that takes a bucket to keep no versions overwrites, and nothing tells it to ask again.
 *
 * @param andThen - what has to follow the change at once
 * @throws BackendError NoSuchContainer; what `andThen` throws
 */
export async function changeBucket(
  context: RequestContext,
  update: ContainerUpdate,
  andThen?: (context: RequestContext) => Promise<void>,
): Promise<void> {
  const { backend, lifecycles } = context.services;
  await backend.updateContainer(context.call, containerOf(context), update);
  lifecycles.forget(containerOf(context));
  await andThen?.(context);
  const { containerStaleMs } = backend.capabilities;
  if (containerStaleMs === 0) return;
  await setTimeout(Math.min(containerStaleMs, SETTLED_MS_MAX) + EARLY_MS);
}
