import type { NodeDrift } from '../../../src/deploy/service/drift.js';
import type { SpecProblem } from '../../../src/deploy/spec/parse.js';
import type { StoredPlan } from '../../../src/deploy/service/planner-protocol.js';
import type { Ramp } from '../../../src/deploy/service/ramp-record.js';
import type { Run } from '../../../src/deploy/service/run-record.js';

/** `GET /v1/status` of the control service. */
export interface DeployStatus {
  readonly spec_etag: string;
  readonly applied_etag: string;
  readonly cluster: string | null;
  readonly lock: {
    readonly run_id: string;
    readonly holder: string;
    readonly since_unix_s: number;
  } | null;
  /** The ramp that is not over; another service may have none. */
  readonly ramp_id?: string | null;
  readonly nodes: readonly NodeDrift[];
}

/** `GET /v1/history` of the control service. */
export interface DeployHistory {
  readonly runs: readonly (Pick<
    Run,
    | 'id'
    | 'state'
    | 'message'
    | 'actor'
    | 'plan_id'
    | 'plan_sha256'
    | 'spec_etag'
    | 'created_unix_s'
    | 'ended_unix_s'
  > & { readonly nodes: number })[];
}

/** `GET /v1/ramps` of the control service, the latest first. */
export interface DeployRamps {
  readonly ramps: readonly Ramp[];
}

/** `GET /v1/artifacts/{run}` of the control service: every file of every node as the run leaves it. */
export interface DeployFiles {
  readonly files: readonly {
    readonly node: string;
    readonly path: string;
    readonly sha256: string;
    /** The plan of the run writes the file anew. */
    readonly changed: boolean;
  }[];
}

/** The users of this console who began runs and ramps, as far as its audit log goes back. */
export interface DeployOperators {
  /** By the id of the run or the ramp. */
  readonly runs: Readonly<Record<string, string>>;
}

/** `POST /v1/validate` of the control service. */
export interface SpecVerdict {
  readonly valid: boolean;
  readonly errors: readonly SpecProblem[];
  readonly warnings: readonly SpecProblem[];
}

/** The answers of Deploy that pages read. */
export interface DeployAnswers {
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
}
