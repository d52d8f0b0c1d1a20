/** What one task on a lane took; for the metrics. */
export interface LaneTaskTiming {
  /** From posting until the thread took it, in seconds. */
  readonly waitS: number;
  /** On the thread, in seconds. */
  readonly runS: number;
  readonly bytes: number;
}

export interface DigestOptions {
  /** Bodies up to this size are hashed on the event loop. */
  readonly inlineBytesMax?: number;
  /** Threads of this process. */
  readonly lanes?: number;
  /** Bytes of one body that may wait on its lane before `update` asks for patience. */
  readonly bodyBytesInFlightMax?: number;
  /** The same for all bodies of a lane together; also bounds their half-filled batches. */
  readonly laneBytesInFlightMax?: number;
  /** Largest piece that is handed to a thread at once. */
  readonly batchBytesMax?: number;
  /** Address of the thread's module. */
  readonly workerFile?: string;
  readonly onTask?: (timing: LaneTaskTiming) => void;
}

export type FilledDigestOptions = Required<DigestOptions>;

export const DIGEST_DEFAULTS: FilledDigestOptions = {
  // A hop costs more than hashing 64 KiB, and less than the wait that 256 KiB causes others.
  inlineBytesMax: 131_072,
  lanes: 1,
  bodyBytesInFlightMax: 1_048_576,
  laneBytesInFlightMax: 16_777_216,
  batchBytesMax: 262_144,
  workerFile: new URL('../../workers/digest-lane.js', import.meta.url).href,
  onTask: () => undefined,
};

/** Below this a batch costs more to hand over than to hash. */
export const BATCH_BYTES_MIN = 16_384;
