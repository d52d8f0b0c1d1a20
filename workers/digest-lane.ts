import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import type { LaneAnswer, LaneTask } from '../src/digest/lane.js';
import { RunningDigests } from '../src/digest/running-digests.js';
import { yieldToEventLoops } from './thread-priority.js';

if (!isMainThread) yieldToEventLoops();

/** The bodies that are being hashed on this thread. */
const bodies = new Map<number, RunningDigests>();

/** One task of one body; synchronous, so that tasks run in the order in which they arrive. */
export default function run(task: LaneTask): LaneAnswer {
  const startedAt = performance.now();
  const body = task.wanted === undefined ? bodies.get(task.id) : new RunningDigests(task.wanted);
  if (body === undefined) return { runS: 0, lost: true };
  if (task.bytes !== undefined) body.update(task.bytes);
  if (task.end === undefined) bodies.set(task.id, body);
  else bodies.delete(task.id);
  const digests = task.end === 'finish' ? body.finish() : undefined;
  return { runS: (performance.now() - startedAt) / 1000, lost: false, digests };
}
