import type { JobView } from './jobs.js';
import type { RunsView } from './runs/run-routes.js';
import type { RunView, WholeRun } from './runs/run.js';
import type { SessionView } from './session-routes.js';

/** The answer to a request that starts a job. */
export interface JobStarted {
  readonly job_id: string;
}

/** The answers that no surface has for itself. */
export interface CommonAnswers {
  'GET /api/session': SessionView;
  'POST /api/session': SessionView;
  'DELETE /api/session': null;
  [job: `GET /api/jobs/${string}`]: JobView;
  'GET /api/runs': RunsView;
  [runs: `GET /api/runs?${string}`]: RunsView;
  [run: `GET /api/runs/${string}`]: WholeRun;
  [cancelled: `DELETE /api/runs/${string}`]: RunView;
}

/** The content of the events that are common to all surfaces, by topic. */
export interface CommonNews {
  readonly jobs: JobView;
  readonly runs: RunView;
}
