import type { CheckedDocuments, SealedDocuments } from '../../../../src/capsule/check-documents.js';
import type { CapsuleFault } from '../../../../src/capsule/capsule-error.js';
import type { GenomeOptions, SearchedRing } from '../genome/search.js';
import type { DomainLoss } from '../policies/domain-loss.js';
import type { Protection } from '../policies/storage-cost.js';
import type { RingComparison, WhatIf, WhatIfReport } from '../rings/ring-changes.js';
import type { MapView, RingMap } from '../rings/ring-map.js';
import type { RingReport } from '../rings/ring-report.js';

/** Work of the Lab that takes longer than an event loop may, by name: what goes in, what comes out. */
export interface Computations {
  /** All there is to say of a ring. */
  report: { readonly input: { readonly file: string }; readonly output: RingReport };
  map: {
    readonly input: { readonly file: string; readonly view: MapView };
    readonly output: RingMap;
  };
  what_if: {
    readonly input: { readonly file: string; readonly whatIf: WhatIf };
    readonly output: WhatIfReport;
  };
  compare: {
    readonly input: { readonly file: string; readonly other: string };
    readonly output: RingComparison;
  };
  domain_loss: {
    readonly input: {
      readonly file: string;
      readonly protection: Protection;
      /** For a policy without a ring: its replicas are placed as well as can be. */
      readonly isPlanned: boolean;
    };
    readonly output: DomainLoss;
  };
  /** Whether a capsule's manifest and signature seal what was found in it. */
  capsule: { readonly input: SealedDocuments; readonly output: CheckedDocuments };
  /** The segments of a large object's manifest, see `segmentLines`. */
  slo_manifest: { readonly input: { readonly bytes: Uint8Array }; readonly output: string | null };
  /** The headers that clients saw, of a capsule's `metadata.json`; null for other bytes. */
  capsule_metadata: {
    readonly input: { readonly bytes: Uint8Array };
    readonly output: Readonly<Record<string, string>> | null;
  };
  genome: {
    /** Tells a `GenomeProgress` after each generation. */
    readonly input: { readonly file: string; readonly options: GenomeOptions };
    /** A `GenomeResult` as JSON: it has megabytes where the ring has a thousand devices. */
    readonly output: Uint8Array;
  };
  /** The commands for a candidate: see `commandsOf`. */
  genome_commands: {
    readonly input: {
      readonly result: Uint8Array;
      readonly about: SearchedRing;
      readonly candidate: string;
    };
    readonly output: string | null;
  };
}

export type Computation = keyof Computations;

export interface ComputeTask<Name extends Computation = Computation> {
  readonly name: Name;
  readonly input: Computations[Name]['input'];
}

/** A result, or an error that is not the thread's: a file, a change or a capsule that cannot be used. */
export type ComputeAnswer =
  | { readonly result: unknown }
  | {
      readonly problem: {
        readonly kind: 'ring' | 'build';
        readonly fault: string;
        readonly reason: string;
      };
    }
  | {
      readonly capsuleProblem: {
        readonly fault: CapsuleFault;
        readonly file: string;
        readonly reason: string;
      };
    };
