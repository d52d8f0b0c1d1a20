import { ApiError } from '../../../console/server/api-error.js';
import type { RunActor } from '../../../console/server/runs/run.js';
import { Runs } from '../../../console/server/runs/runs.js';

/** The user who starts the runs of tests. */
export const BY: RunActor = {
  actor: 'test:tester',
  role: 'operator',
  ip: '127.0.0.1',
  request_id: 'tx',
};

/** The runs of a console over a folder, which tells nobody of them unless it is given who. */
export function openRuns(
  stateDir: string,
  parts: Partial<ConstructorParameters<typeof Runs>[0]> = {},
): Runs {
  return new Runs({
    stateDir,
    events: { publish: () => undefined },
    audit: { turn: () => Promise.resolve(true), write: () => Promise.resolve() },
    now: () => 1_700_000_000_000,
    logger: { error: () => undefined, info: () => undefined },
    describe: (error) =>
      error instanceof ApiError ? error : new ApiError('internal', String(error)),
    ...parts,
  });
}
