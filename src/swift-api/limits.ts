/** Swift's constraints and those of its middlewares, with its defaults; `/info` tells them. */
export interface ApiLimits {
  readonly fileBytesMax: number;
  readonly metaNameBytesMax: number;
  readonly metaValueBytesMax: number;
  readonly metaCountMax: number;
  readonly metaBytesMax: number;
  readonly objectNameBytesMax: number;
  readonly containerNameBytesMax: number;
  readonly accountNameBytesMax: number;
  readonly listingLimit: number;
  readonly manifestSegmentsMax: number;
  readonly manifestBytesMax: number;
  /** Between two signs of life of an answer that takes long. */
  readonly heartbeatMs: number;
  readonly bulkDeletesMax: number;
  readonly bulkFailuresMax: number;
  /** Deletes of one request that run at the same time. */
  readonly bulkConcurrency: number;
  /** An upload whose length is not known is held in memory up to here, in a file beyond. */
  readonly spoolMemoryBytes: number;
  readonly tokenLifeS: number;
}

const GIB = 1024 ** 3;

export const DEFAULT_API_LIMITS: ApiLimits = {
  fileBytesMax: 5 * GIB + 2,
  metaNameBytesMax: 128,
  metaValueBytesMax: 256,
  metaCountMax: 90,
  metaBytesMax: 4096,
  objectNameBytesMax: 1024,
  containerNameBytesMax: 256,
  accountNameBytesMax: 256,
  listingLimit: 10_000,
  manifestSegmentsMax: 1000,
  manifestBytesMax: 8 * 1024 * 1024,
  heartbeatMs: 10_000,
  bulkDeletesMax: 10_000,
  bulkFailuresMax: 1000,
  bulkConcurrency: 8,
  spoolMemoryBytes: 1024 * 1024,
  tokenLifeS: 86_400,
};

/** The one storage policy of a store that has none, by the name that Swift gives its first. */
export const POLICY = 'Policy-0';
