import type { RingImport } from '../plan/import-rings.js';
import type { Applied, PlanJson } from '../plan/make-plan.js';
import type { ProgramCheck } from '../render/check-programs.js';
import type { SpecProblem } from '../spec/parse.js';
import type { Spec } from '../spec/schema.js';
import type { PruneRequest } from '../state/prune.js';

/** The tasks of the thread that plans, and its answers. */
export type PlannerTask =
  | {
      readonly kind: 'validate';
      /** The specification as text. */
      readonly text: string;
      /** The member of the document that is the specification; undefined: it is the document. */
      readonly member: 'spec' | undefined;
    }
  | {
      readonly kind: 'plan';
      readonly spec: Spec;
      readonly stateDir: string;
      readonly seed: number;
      readonly nowS: number;
      readonly allowLarge: boolean;
      readonly installRoot: string;
    }
  | {
      readonly kind: 'import-rings';
      /** The operator's facts about the rings, as text. */
      readonly text: string;
      readonly stateDir: string;
    }
  | ({ readonly kind: 'prune'; readonly stateDir: string } & PruneRequest);

/** Rings that were imported; their builders are among the contents then. */
export type ImportAnswer = Omit<RingImport, 'blobs'>;

export interface ValidateAnswer {
  readonly spec: Spec | null;
  readonly specEtag: string;
  readonly errors: readonly SpecProblem[];
  readonly warnings: readonly SpecProblem[];
  /** The document's other members. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** A plan as it is kept. */
export interface StoredPlan extends PlanJson {
  readonly created_unix_s: number;
  readonly expires_unix_s: number;
  readonly checks: readonly ProgramCheck[];
  /** Nodes with something to install that were not reached when it was made: a run would stop there. */
  readonly unreachable: readonly UnreachableNode[];
  /** Nodes with files of runs that did not succeed: a run replaces them, also of an empty plan. */
  readonly unsettled: readonly string[];
}

export interface UnreachableNode {
  readonly node: string;
  readonly why: string;
}

/** Beside a plan: what will be in force. */
export interface StoredNext {
  readonly next: Applied;
  readonly next_etag: string;
  /** It puts back what is in force, also where others have changed it. */
  readonly repair?: true;
}

export type PlanAnswer =
  | { readonly refused: readonly SpecProblem[] }
  | { readonly refused: null; readonly plan: PlanJson };
