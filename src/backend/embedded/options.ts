import type { GateWaiter } from './index-gate.js';

/** The options of {@link openEmbeddedStore}; everything but the directory has a default. */
export interface EmbeddedStoreOptions {
  /** Holds the index, the bodies and the format mark; created when its parent exists. */
  readonly directory: string;
  /** Bodies up to this many bytes live in the index, longer ones are files. */
  readonly inlineBodyBytesMax?: number | undefined;
  /** Bytes per read and per write of a body file; a stream holds at most two such buffers. */
  readonly readChunkBytes?: number | undefined;
  /** Creating a store fails with `full` when the device has less than this; an old one opens. */
  readonly openFreeBytesMin?: number | undefined;
  /** Writes are refused with `StorageFull` below this, so that deletes keep room to commit. */
  readonly reserveBytes?: number | undefined;
  /** How long the file of a replaced body stays, for readers that looked it up but did not open it. */
  readonly unlinkDelayMs?: number | undefined;
  /** Address space for the index. It grows past this by itself, at the price of a remap. */
  readonly mapBytes?: number | undefined;
  /**
   * Called once per group commit with how long it took to be on disk and how many operations
   * shared it. Must not throw.
   */
  readonly onSync?: ((seconds: number, batch: number) => void) | undefined;
  /** Called after each wait at the gate of the index: see `IndexGate`. Must not throw. */
  readonly onGateWait?: ((waiter: GateWaiter, seconds: number) => void) | undefined;
}

/** The options as the code uses them. */
export type FilledOptions = {
  readonly [K in Exclude<keyof EmbeddedStoreOptions, 'onSync' | 'onGateWait'>]-?: Exclude<
    EmbeddedStoreOptions[K],
    undefined
  >;
} & Pick<EmbeddedStoreOptions, 'onSync' | 'onGateWait'>;

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Why these numbers: docs/embedded-store.md. */
const DEFAULTS = {
  inlineBodyBytesMax: 64 * KIB,
  readChunkBytes: 512 * KIB,
  openFreeBytesMin: 64 * MIB,
  reserveBytes: 16 * MIB,
  unlinkDelayMs: 1000,
  // Half of the smallest user address space among 64-bit Linux builds (39 bits on some ARM kernels).
  mapBytes: 256 * GIB,
} as const;

export function fillOptions(options: EmbeddedStoreOptions): FilledOptions {
  return {
    directory: options.directory,
    inlineBodyBytesMax: options.inlineBodyBytesMax ?? DEFAULTS.inlineBodyBytesMax,
    readChunkBytes: options.readChunkBytes ?? DEFAULTS.readChunkBytes,
    openFreeBytesMin: options.openFreeBytesMin ?? DEFAULTS.openFreeBytesMin,
    reserveBytes: options.reserveBytes ?? DEFAULTS.reserveBytes,
    unlinkDelayMs: options.unlinkDelayMs ?? DEFAULTS.unlinkDelayMs,
    mapBytes: options.mapBytes ?? DEFAULTS.mapBytes,
    onSync: options.onSync,
    onGateWait: options.onGateWait,
  };
}
