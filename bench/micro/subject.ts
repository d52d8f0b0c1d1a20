/** A call whose cost is measured. */
export interface Row {
  readonly name: string;
  /** Calls of a round. */
  readonly calls: number;
  /** Calls under way at once: 1. */
  readonly inFlight?: number;
  /** 1 where a second round would find what the first has written. */
  readonly rounds?: number;
  /** The bytes that a call moves; its throughput is shown then. */
  readonly bytes?: number;
  /**
   * @param index - of the call in its round
   * @param lane - less than `inFlight`; the calls of a lane come one after the other
   */
  readonly call: (index: number, lane: number) => unknown;
}

/** The rows of one name on the command line. */
export interface Subject {
  /** Steps follow each other. The rounds of a step's rows take turns, so all see the same machine. */
  readonly steps: readonly (readonly Row[])[];
  /** CPU of the process that is measured, in µs, where it is not this one. */
  readonly cpuUs?: (row: Row) => Promise<number>;
  close(): Promise<unknown>;
}
