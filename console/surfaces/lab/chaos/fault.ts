/** A condition that has to hold before a fault is injected. */
export interface Check {
  readonly id: string;
  readonly is_ok: boolean;
  readonly text: string;
}

/** The answer to a request of a fault, in words; null is none. */
export function answerText(status: number | null): string {
  return status === null ? 'not at all' : String(status);
}

/** Something that is counted while a fault is held and repaired; null is unknown, never 0. */
export interface Figure {
  readonly id: string;
  readonly label: string;
  readonly value: number | null;
  /** The expectation, or why the figure is unknown. */
  readonly note?: string;
}

/** How far the cluster has got with repairing. */
export interface RepairSight {
  readonly is_repaired: boolean;
  readonly text: string;
  /** Seconds since the injection, where the repair went on while the fault was held. */
  readonly repaired_s?: number;
}

/** The observations of a fault that is held. */
export interface FaultSight {
  readonly figures: readonly Figure[];
  /** Nothing more is to be seen: it need not be held any longer. */
  readonly is_over?: boolean;
}

/** The information that a run gives its fault, and gets of it. */
export interface FaultWatch {
  /** Seconds since it was injected. */
  readonly heldS: () => number;
  /** Writes that probes had acknowledged since it was injected. */
  readonly puts: number;
  /** The last look before it is taken back: no probe is under way. */
  readonly is_last: boolean;
  /** Writes a line into the timeline. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** One fault of one run, on its target. Only `inject` and `revert` change something for others. */
export interface ActiveFault {
  /**
   * Makes what it takes, such as an object whose copy is to be damaged, and looks whether it may
   * begin. Nothing else of the cluster is touched.
   */
  prepare(signal: AbortSignal): Promise<readonly Check[]>;
  /** @throws when it is not held; what was begun is taken back by `revert` */
  inject(): Promise<void>;
  /** About once a second while it is held. */
  observe(watch: FaultWatch): Promise<FaultSight>;
  /**
   * Takes it back; also what was never injected, and again what was taken back.
   * @returns whether it was this call, and no dead-man before it
   */
  revert(): Promise<boolean>;
  /**
   * Ends what goes on in this process, and takes nothing back: of a run that was cut, others do, and
   * nothing may be broken anew behind them.
   */
  stop(): Promise<void>;
  /** Helps the repair where it can, and looks how far it is. */
  repair(watch: FaultWatch): Promise<RepairSight>;
  /** Deletes what `prepare` made. Never throws. */
  clean(): Promise<void>;
}

/** Why the whole cluster is no place for a fault now. */
export interface ClusterHealth {
  /** Servers that do not answer, but for those of the fault. */
  readonly down: readonly string[];
  /** The least free share of a disk, 0 to 1; null where no disk says. */
  readonly free_ratio: number | null;
}
