import type { FastifyRequest } from 'fastify';
import { BegunAct, cut, firstOf, isRefusal, type Act, type Outcome } from './audit-record.js';
import { sessionOf, type ConsoleContext } from './context.js';
import type { JobControl, JobView } from './jobs.js';

/** The outcome of a job for many names. */
export interface ManyResult {
  readonly succeeded: number;
  readonly failed: number;
  /** The first ones. */
  readonly failures: readonly Failure[];
  /** Names of objects that were replaced, and whose content is gone. */
  readonly replaced?: {
    readonly count: number;
    /** The first ones. */ readonly names: readonly string[];
  };
  /** How many of them can be taken back; left out where none can. */
  readonly undoable?: number;
}

export interface Failure {
  readonly name: string;
  readonly code: string;
  /** The message for people. */
  readonly message: string;
}

/**
 * Starts a job whose beginning is written down before, and whose outcome when it has ended, also
 * where it never begins.
 * @throws as Jobs.start; system errors when its beginning cannot be written: it is not started then
 */
export async function auditedJob(
  context: Pick<ConsoleContext, 'audit' | 'logger' | 'jobs'>,
  request: FastifyRequest,
  act: Act,
  kind: string,
  work: (control: JobControl) => Promise<ManyResult>,
): Promise<JobView> {
  const begun = await BegunAct.begin(context, request, act);
  const run = async (control: JobControl) => {
    try {
      const result = await work(control);
      await begun.end(outcomeOf(result, control.signal.aborted));
      return result;
    } catch (error) {
      await (control.signal.aborted ? begun.end(CANCELLED) : begun.fail(error));
      throw error;
    }
  };
  try {
    return context.jobs.start(sessionOf(request), kind, run, () => begun.end(CANCELLED));
  } catch (error) {
    await begun.fail(error);
    throw error;
  }
}

const CANCELLED: Outcome = { result: 'failed', details: { code: 'cancelled' } };

function outcomeOf(
  { succeeded, failed, failures, replaced }: ManyResult,
  isCancelled: boolean,
): Outcome {
  const failedNames = firstOf(failures).map(({ name, code }) => `${code}: ${cut(name)}`);
  const details = {
    succeeded,
    failed,
    ...(isCancelled ? { code: 'cancelled' } : {}),
    ...(replaced === undefined
      ? {}
      : { replaced: replaced.count, replaced_names: firstOf(replaced.names).map(cut) }),
    ...(failures.length === 0 ? {} : { failed_names: failedNames }),
  };
  if (failed === 0) return { result: isCancelled ? 'partial' : 'ok', details };
  if (succeeded > 0) return { result: 'partial', details };
  const isDenied = failures.every(({ code }) => isRefusal(code));
  return { result: isDenied ? 'denied' : 'failed', details };
}
