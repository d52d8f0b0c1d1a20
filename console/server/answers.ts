import type { UploadPlanView } from '../surfaces/files/upload-routes.js';
import type { GenomeRun } from '../surfaces/lab/genome/genome-runs.js';
import type { GenomeRunsView } from '../surfaces/lab/genome/page.js';
import type { ComparisonView, PoliciesView } from '../surfaces/lab/policies/page.js';
import type { RingsView } from '../surfaces/lab/rings/page.js';
import type { WhatIfReport } from '../surfaces/lab/rings/ring-changes.js';
import type { ChartView } from '../surfaces/monitor/charts.js';
import type { LogsView } from '../surfaces/monitor/logs/logs.js';
import type { Monitor } from '../surfaces/monitor/monitor.js';
import type { NodesView, PanelsView } from '../surfaces/monitor/routes.js';
import type { WorkersView } from '../surfaces/monitor/workers.js';
import type { ChangeStarted, UsersPreview, UsersView } from '../surfaces/users/routes.js';
import type { AuditPage } from '../surfaces/audit/routes.js';
import type { AuditVerdict } from '../../src/lib/audit/audit-verify.js';
import type { JobView } from './jobs.js';
import type { SessionView } from './session-routes.js';

/** The answer to a request that starts a job. */
export interface JobStarted {
  readonly job_id: string;
}

/**
 * The body of each answer that pages read, by method and path; null for an answer without a body.
 * The pages are checked against it (console/tsconfig.pages.json), so that a route whose answer
 * changes breaks the check of the pages that read it.
 */
export interface Answers {
  'GET /api/session': SessionView;
  'POST /api/session': SessionView;
  'DELETE /api/session': null;
  [job: `GET /api/jobs/${string}`]: JobView;
  [audit: `GET /api/audit?${string}`]: AuditPage;
  'GET /api/audit/verify': AuditVerdict;
  'GET /api/users': UsersView;
  'POST /api/users/preview': UsersPreview;
  'POST /api/users/apply': ChangeStarted;
  'GET /api/monitor/overview': Overview;
  'GET /api/monitor/panels': PanelsView;
  [series: `GET /api/monitor/series?${string}`]: ChartView;
  'GET /api/monitor/workers': WorkersView;
  'GET /api/monitor/nodes': NodesView;
  [logs: `GET /api/monitor/logs?${string}`]: LogsView;
  'POST /api/files/uploads': UploadPlanView;
  'GET /lab/api/rings': RingsView;
  [whatIf: `POST /lab/api/rings/${string}/whatif`]: WhatIfReport;
  'GET /lab/api/policies': PoliciesView;
  'POST /lab/api/policies/compare': ComparisonView;
  'GET /lab/api/genome/runs': GenomeRunsView;
  'POST /lab/api/genome/runs': { readonly id: string };
  [genome: `GET /lab/api/genome/runs/${string}`]: GenomeRun;
}

/** What a route answers; unknown for a route that is not in {@link Answers}. */
export type AnswerTo<
  Method extends string,
  Path extends string,
> = `${Method} ${Path}` extends keyof Answers ? Answers[`${Method} ${Path}`] : unknown;

/** The event of topic `monitor`, too. */
export type Overview = ReturnType<Monitor['overview']>;
