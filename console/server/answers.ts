import type { StoredPlan } from '../../src/deploy/service/planner-protocol.js';
import type { Ramp } from '../../src/deploy/service/ramp-record.js';
import type { Run } from '../../src/deploy/service/run-record.js';
import type { TextsView } from '../surfaces/design/surface.js';
import type {
  DeployFiles,
  DeployHistory,
  DeployOperators,
  DeployRamps,
  DeployStatus,
  SpecVerdict,
} from '../surfaces/deploy/answers.js';
import type { AclLists, AclMeaning, PeopleView } from '../surfaces/files/acl-routes.js';
import type { ContainerDetails } from '../surfaces/files/container-details.js';
import type { Capabilities, ManyDetails } from '../surfaces/files/container-life-routes.js';
import type { ContainersPage, ObjectsPage } from '../surfaces/files/container-routes.js';
import type { ObjectView } from '../surfaces/files/object-routes.js';
import type { BucketLock } from '../surfaces/files/s3/bucket-lock.js';
import type { TagsView } from '../surfaces/files/s3/object-routes.js';
import type { CorsVerdict, CorsView, LifecycleView } from '../surfaces/files/s3/rule-routes.js';
import type { S3Facts } from '../surfaces/files/s3/s3-facts.js';
import type { S3ObjectView } from '../surfaces/files/s3/s3-objects.js';
import type { UploadsPage } from '../surfaces/files/s3/unfinished.js';
import type { PresignedUrl } from '../surfaces/files/s3/presigned-routes.js';
import type { SharingView } from '../surfaces/files/sharing.js';
import type { TempUrl } from '../surfaces/files/tempurl-routes.js';
import type { TrashView } from '../surfaces/files/trash-listing.js';
import type { BenchmarkRun } from '../surfaces/benchmarks/runs.js';
import type { BenchmarksView } from '../surfaces/benchmarks/surface.js';
import type { UploadPlanView } from '../surfaces/files/upload-routes.js';
import type { DeletedPage, VersionsView } from '../surfaces/files/version-routes.js';
import type { DataSource } from '../surfaces/lab/ground/data-source.js';
import type { DrillView, NodeStatusView } from '../surfaces/lab/node/drills.js';
import type { Impact } from '../surfaces/lab/node/impact.js';
import type { DownAnswer, DrillsView } from '../surfaces/lab/node/page.js';
import type { DebtSnapshot } from '../surfaces/lab/debt/debt-watch.js';
import type { Capture } from '../surfaces/lab/capsule/capture.js';
import type { CapsuleKeyView, CapturesView } from '../surfaces/lab/capsule/page.js';
import type { ChaosWholeRun } from '../surfaces/lab/chaos/chaos-runs.js';
import type { ChaosCatalogueView, ChaosRunsView } from '../surfaces/lab/chaos/page.js';
import type { ExpiredRun } from '../surfaces/lab/expired/expired-runs.js';
import type { ExpiredRunsView } from '../surfaces/lab/expired/page.js';
import type { KeysView, KeyView, MadeKey } from '../surfaces/keys/surface.js';
import type { GenomeRun } from '../surfaces/lab/genome/genome-runs.js';
import type { GenomeRunsView } from '../surfaces/lab/genome/page.js';
import type { ComparisonView, PoliciesView } from '../surfaces/lab/policies/page.js';
import type { ProfileMark, ProfileSnapshot } from '../surfaces/lab/profilemap/profile-map.js';
import type { PulseView } from '../surfaces/lab/profilemap/page.js';
import type { ExhibitsPage } from '../surfaces/lab/tombstones/exhibits-file.js';
import type { ScansView, ScanView } from '../surfaces/lab/tombstones/page.js';
import type { AgreementView } from '../surfaces/lab/rings/agreement.js';
import type { ShadowRunsView } from '../surfaces/lab/shadow/page.js';
import type { ShadowWholeRun } from '../surfaces/lab/shadow/shadow-runs.js';
import type { StepResult } from '../surfaces/lab/shadow/duel.js';
import type { RingsView } from '../surfaces/lab/rings/page.js';
import type { WhatIfReport } from '../surfaces/lab/rings/ring-changes.js';
import type { RingMap } from '../surfaces/lab/rings/ring-map.js';
import type { Simulation } from '../surfaces/lab/rings/ring-sim.js';
import type { ChartView } from '../surfaces/monitor/charts.js';
import type { LogsView } from '../surfaces/monitor/logs/logs.js';
import type { VolumeView } from '../surfaces/monitor/logs/volume.js';
import type { TraceView } from '../surfaces/monitor/trace.js';
import type { Monitor } from '../surfaces/monitor/monitor.js';
import type { NodesView, PanelsView } from '../surfaces/monitor/routes.js';
import type { WorkersView } from '../surfaces/monitor/workers.js';
import type { ChangeStarted, UsersPreview, UsersView } from '../surfaces/users/routes.js';
import type { AuditPage } from '../surfaces/audit/routes.js';
import type { AuditVerdict } from '../../src/lib/audit/audit-log.js';
import type { JobView } from './jobs.js';
import type { RunView, WholeRun } from './runs/run.js';
import type { RunsView } from './runs/run-routes.js';
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
  'GET /api/runs': RunsView;
  [runs: `GET /api/runs?${string}`]: RunsView;
  [run: `GET /api/runs/${string}`]: WholeRun;
  [cancelled: `DELETE /api/runs/${string}`]: RunView;
  [audit: `GET /api/audit?${string}`]: AuditPage;
  'GET /api/audit/verify': AuditVerdict;
  'GET /api/design/texts': TextsView;
  'GET /api/keys': KeysView;
  'POST /api/keys': MadeKey;
  [key: `PATCH /api/keys/${string}`]: KeyView;
  'GET /api/users': UsersView;
  'POST /api/users/preview': UsersPreview;
  'POST /api/users/apply': ChangeStarted;
  'GET /api/monitor/overview': Overview;
  'GET /api/monitor/panels': PanelsView;
  [series: `GET /api/monitor/series?${string}`]: ChartView;
  'GET /api/monitor/workers': WorkersView;
  'GET /api/monitor/nodes': NodesView;
  [logs: `GET /api/monitor/logs?${string}`]: LogsView;
  [volume: `GET /api/monitor/logs/volume?${string}`]: VolumeView;
  [trace: `GET /api/monitor/trace?${string}`]: TraceView;
  'GET /api/files/capabilities': Capabilities;
  [containers: `GET /api/files/containers?${string}`]: ContainersPage;
  'POST /api/files/containers/details': ManyDetails;
  [container: `GET /api/files/container?${string}`]: ContainerDetails;
  [acl: `GET /api/files/acl?${string}`]: AclLists;
  'POST /api/files/acl/preview': AclMeaning;
  'GET /api/files/people': PeopleView;
  [lock: `GET /api/files/lock?${string}`]: BucketLock;
  [lifecycle: `GET /api/files/lifecycle?${string}`]: LifecycleView;
  [cors: `GET /api/files/cors?${string}`]: CorsView;
  'POST /api/files/cors/preview': CorsVerdict;
  [unfinished: `GET /api/files/unfinished?${string}`]: UploadsPage;
  [objects: `GET /api/files/objects?${string}`]: ObjectsPage;
  [object: `GET /api/files/object?${string}`]: ObjectView;
  [s3Facts: `GET /api/files/s3/object?${string}`]: S3Facts;
  [tags: `GET /api/files/tags?${string}`]: TagsView;
  [versions: `GET /api/files/versions?${string}`]: VersionsView;
  [deleted: `GET /api/files/versions/deleted?${string}`]: DeletedPage;
  [properties: `GET /api/files/versions/properties?${string}`]: S3ObjectView;
  [trash: `GET /api/files/trash?${string}`]: TrashView;
  [sharing: `GET /api/files/sharing?${string}`]: SharingView;
  'POST /api/files/presigned': PresignedUrl;
  'POST /api/files/tempurl': TempUrl;
  'POST /api/files/uploads': UploadPlanView;
  'POST /api/files/zip': { readonly ticket: string };
  'GET /api/benchmarks': BenchmarksView;
  'POST /api/benchmarks/runs': { readonly id: string };
  [benchmark: `GET /api/benchmarks/runs/${string}`]: BenchmarkRun;
  'POST /deploy/api/validate': SpecVerdict;
  'POST /deploy/api/plans': StoredPlan;
  [plan: `GET /deploy/api/plans/${string}`]: StoredPlan;
  [run: `GET /deploy/api/runs/${string}`]: Run;
  [runAct: `POST /deploy/api/runs/${string}`]: { readonly run_id: string };
  [files: `GET /deploy/api/artifacts/${string}`]: DeployFiles;
  'POST /deploy/api/ramps': { readonly ramp_id: string };
  'GET /deploy/api/ramps': DeployRamps;
  [ramp: `GET /deploy/api/ramps/${string}`]: Ramp;
  [steer: `POST /deploy/api/ramps/${string}`]: { readonly ramp_id: string };
  'GET /deploy/api/status': DeployStatus;
  'GET /deploy/api/history': DeployHistory;
  'GET /deploy/api/operators': DeployOperators;
  [source: `GET /lab/api/sources/${string}`]: DataSource;
  'GET /lab/api/rings': RingsView;
  'GET /lab/api/rings/agreement': AgreementView;
  [map: `GET /lab/api/rings/${string}/map?${string}`]: RingMap;
  [whatIf: `POST /lab/api/rings/${string}/whatif`]: WhatIfReport;
  [simulation: `POST /lab/api/rings/${string}/simulation`]: Simulation | null;
  'GET /lab/api/policies': PoliciesView;
  'POST /lab/api/policies/compare': ComparisonView;
  'GET /lab/api/node/status': NodeStatusView;
  [impact: `GET /lab/api/node/impact?${string}`]: Impact;
  'GET /lab/api/node/drills': DrillsView;
  [drill: `GET /lab/api/node/drills/${string}`]: DrillView;
  'POST /lab/api/node/down': DownAnswer;
  'POST /lab/api/node/up': { readonly changed: false } | { readonly journal_id: string };
  'GET /lab/api/debt/snapshot': DebtSnapshot;
  [profile: `GET /lab/api/profilemap/snapshot?${string}`]: ProfileSnapshot;
  'POST /lab/api/profilemap/marks': ProfileMark;
  'POST /lab/api/profilemap/pulse': PulseView;
  'GET /lab/api/tombstones/scans': ScansView;
  'POST /lab/api/tombstones/scans': { readonly id: string };
  [scan: `GET /lab/api/tombstones/scans/${string}`]: ScanView;
  [exhibits: `GET /lab/api/tombstones?${string}`]: ExhibitsPage;
  'GET /lab/api/capsule/captures': CapturesView;
  'GET /lab/api/capsule/key': CapsuleKeyView;
  [capture: `GET /lab/api/capsule/captures/${string}`]: Capture;
  'GET /lab/api/expired/runs': ExpiredRunsView;
  'POST /lab/api/expired/runs': { readonly id: string };
  [expired: `GET /lab/api/expired/runs/${string}`]: ExpiredRun;
  'GET /lab/api/chaos/catalog': ChaosCatalogueView;
  'GET /lab/api/chaos/runs': ChaosRunsView;
  'POST /lab/api/chaos/runs': { readonly id: string };
  [chaos: `GET /lab/api/chaos/runs/${string}`]: ChaosWholeRun;
  [abort: `POST /lab/api/chaos/runs/${string}/abort`]: null;
  'GET /lab/api/shadow/runs': ShadowRunsView;
  'POST /lab/api/shadow/runs': { readonly id: string };
  [shadow: `GET /lab/api/shadow/runs/${string}`]: ShadowWholeRun;
  'POST /lab/api/shadow/replay': { readonly results: readonly StepResult[] };
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
