import type { Gate } from '../ramp/gates.js';
import { timedHex } from './run-record.js';
import type { SpecFile } from './store.js';

/** A specification that is applied by as many plans as it takes. */
export interface Ramp {
  readonly id: string;
  readonly actor: string;
  readonly idempotency_key: string;
  readonly spec_etag: string;
  readonly allow_large: boolean;
  readonly created_unix_s: number;
  ended_unix_s: number | null;
  /** `stopped`: it has stopped by itself; like a paused one, it can be resumed. */
  state: 'running' | 'paused' | 'stopped' | 'succeeded' | 'cancelled';
  message: string;
  /** `step`: a plan is made and applied. `wait`: the gates are not open. */
  phase: 'step' | 'wait';
  readonly runs: string[];
  steps_left: number | null;
  /** An estimate; null where nothing is known. */
  remaining_s: number | null;
  /** The state in force after the last step, or the start or resumption; null before that. */
  applied_etag: string | null;
  placed_unix_s: number;
  movable_unix_s: number;
  gates: readonly Gate[];
  /** How often it was resumed: each time a step that failed has another key. */
  resumed: number;
  complete: boolean;
}

export interface RampLook {
  readonly gates: readonly Gate[];
  readonly problems: readonly string[];
}

export interface RampRequest {
  readonly spec: SpecFile;
  readonly allowLarge: boolean;
  readonly key: string;
  readonly actor: string;
}

/** A ramp that has not begun its first step. */
export function newRamp({ spec, allowLarge, key, actor }: RampRequest, nowS: number): Ramp {
  return {
    // The latest alone are read at a start: names sort by time.
    id: `ramp-${timedHex(1000 * nowS)}`,
    actor,
    idempotency_key: key,
    spec_etag: spec.etag,
    allow_large: allowLarge,
    created_unix_s: nowS,
    ended_unix_s: null,
    state: 'running',
    message: '',
    phase: 'step',
    runs: [],
    steps_left: null,
    remaining_s: null,
    applied_etag: null,
    placed_unix_s: 0,
    movable_unix_s: 0,
    gates: [],
    resumed: 0,
    complete: false,
  };
}

/** The key of the run of the step that is due. */
export function keyOf({ id, runs, resumed }: Ramp): string {
  return `${id}-${runs.length}-${resumed}`;
}

/** Asked anew: others may have changed it meanwhile. */
export function goesOn({ state }: Ramp, { aborted }: AbortSignal): boolean {
  return state === 'running' && !aborted;
}

export function isIdle({ state }: Ramp): boolean {
  return state === 'paused' || state === 'stopped';
}
