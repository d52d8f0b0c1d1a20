import { call, runJob } from './api.js';
import { messageOf, shownText } from './dom.js';
import { toast } from './toast.js';
import { addTransfer } from './transfer-list.js';
import type { ManyResult } from '../server/audited-job.js';

/** Names of replaced objects in the line of a task. */
const NAMES_SHOWN = 3;

type Result = Partial<ManyResult>;

/**
 * How a task can be taken back: `path` takes the id of its job, and `text` says in the corner what
 * was done.
 */
export interface Undo {
  path: string;
  text: string;
}

/** A line in the list of transfers, which cancels its job, and what runs that job. */
function lineOfJob(title: string, path: string, body: unknown) {
  let id = '';
  const line = addTransfer(title, {
    unit: 'objects',
    onCancel: () => (id === '' ? undefined : call('DELETE', `/api/jobs/${id}`)),
  });
  const run = () =>
    runJob(path, body, (one) => {
      id = one.id;
      line.progress(one.done, one.total);
    });
  return { line, run };
}

/**
 * Runs a job that only looks, with its progress in the list of transfers.
 *
 * @returns what it found, or null when it was cancelled or failed
 */
export async function runPreview(title: string, path: string, body: unknown): Promise<unknown> {
  const { line, run } = lineOfJob(title, path, body);
  try {
    const { state, result } = await run();
    line.end(state === 'cancelled' ? 'cancelled' : 'done');
    return state === 'cancelled' ? null : result;
  } catch (error) {
    line.fail(messageOf(error), null);
    return null;
  }
}

/**
 * Runs a job beside what the user does: with its progress and a button to cancel it, and with what
 * failed of it, in the list of transfers. Resolves when it has ended, however it did.
 *
 * @param refresh shows what it made
 * @param options `undo` offers the way back, in the line and for a while in the corner; `nameOf`
 *   gives what failed the name that users know
 * @returns the job's result, or null when it failed as a whole or was cancelled
 */
export async function runTask(
  title: string,
  path: string,
  body: unknown,
  refresh: () => Promise<unknown>,
  options: { undo?: Undo; nameOf?: (name: string) => string } = {},
): Promise<Result | null | undefined> {
  const { undo, nameOf = (name) => name } = options;
  const { line: task, run: runIt } = lineOfJob(title, path, body);
  const run = async () => {
    const job = await runIt();
    const result = job.result as Result | null | undefined;
    const failures = (result?.failures ?? []).map((one) => ({ ...one, name: nameOf(one.name) }));
    const failed = result?.failed ?? 0;
    const show = (action: readonly [string, () => void] | null, note = '') => {
      const rest = `${replacedText(result)}${note}`;
      if (job.state === 'cancelled') task.end(`cancelled${note}`, action);
      else if (failed > 0) {
        const [label = '', work = null] = action ?? [];
        task.fail(`${failed} failed${rest}`, work, failures, label);
      } else task.end(`done: ${result?.succeeded ?? 0}${rest}`, action);
    };
    show(null);
    if (undo !== undefined && (result?.undoable ?? 0) > 0) {
      const takeBack = () => {
        close();
        show(null, ', undone');
        void runTask(`Undo: ${title}`, undo.path, { job_id: job.id }, refresh);
      };
      const action = ['Undo', takeBack] as const;
      const some = failed > 0 ? ` (${failed} failed)` : '';
      const close = toast(`${undo.text}${some}`, { action });
      show(action);
    }
    return job.state === 'cancelled' ? null : result;
  };
  try {
    return await run();
  } catch (error) {
    task.fail(messageOf(error), () => runTask(title, path, body, refresh, options));
    return null;
  } finally {
    await refresh();
  }
}

/** Names the objects that a job has replaced, for its line in the list. */
function replacedText(result: Result | null | undefined) {
  const count = result?.replaced?.count ?? 0;
  if (count === 0) return '';
  const names = (result?.replaced?.names ?? []).slice(0, NAMES_SHOWN).map(shownText);
  return `, ${count} replaced: ${names.join(', ')}${names.length < count ? ', …' : ''}`;
}
