import type * as B from '../../../src/backend/backend.js';
import type { Stored } from './memory-objects.js';

/** The weaknesses of a store in memory. */
export interface MemoryOptions {
  /** Awaited before each instant of a call, which belongs to a request. Default: at once. */
  readonly instant?: ((requestId: string, what: string) => Promise<void>) | undefined;
  /**
   * - `strong`: all conditions are looked at in the instant of the write
   * - `chained`: only that a name is free; the write that started last stays
   * - `ordered`: the same, and a write may say where it stands; as Swift with the filter
   * - `weak`: not even that; for stores that claim more than they do
   */
  readonly strength: 'strong' | 'chained' | 'ordered' | 'weak';
  /** Told of each object that was put, in the instant in which it is there. */
  readonly onPut?: ((ref: B.ObjectRef, stored: Stored) => void) | undefined;
  /** Its time at the beginning, in milliseconds since the epoch. Default: now. */
  readonly time?: number | undefined;
  /** An ordered one: creations have a time of their own, as with an older filter. Default: no. */
  readonly creationsUnordered?: boolean | undefined;
  /** An ordered one: links can be fixed. Default: yes, unless creations are unordered. */
  readonly fixedLinks?: boolean | undefined;
  /** An ordered one: it looks at links. Default: yes. */
  readonly linksBehind?: boolean | undefined;
  /** The strength that it claims; a lie is a planted bug. Default: the true one. */
  readonly claims?: MemoryOptions['strength'] | undefined;
}
