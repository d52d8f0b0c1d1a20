import { SlabPool } from '../lib/buffers/slab-pool.js';
import { Heartbeat } from './heartbeat.js';
import type { EdgeLimits } from './limits.js';

/**
 * The least memory that an upload with unread bytes holds. This is what the kernel gives at once:
 * each piece passes through a dozen promises on its way to the store, whatever its size.
 */
const SLAB_BYTES = 256 * 1024;
/** 8 MiB; eight fast uploads were seen to have 3 MiB. */
const SLABS_KEPT_MAX = 32;

/** The state that all exchanges of one server share. */
export class EdgeState {
  readonly heartbeat: Heartbeat;
  readonly slabs: SlabPool;
  /** Exchanges whose response is not complete, or whose connection is about to be closed. */
  inFlight = 0;
  /** Unread bytes of all request bodies. */
  bufferedBytes = 0;
  /** How many of these wait for their client to read the answer and leave. */
  lingering = 0;
  /** Responses say `Connection: close`. */
  draining = false;
  /** Connections are being closed by us, whatever they do. */
  closing = false;
  /** Called whenever the last exchange in flight ends. */
  onIdle: (() => void) | undefined;

  constructor(readonly limits: EdgeLimits) {
    this.heartbeat = new Heartbeat(limits.keepAliveTouchMs);
    this.slabs = new SlabPool(SLAB_BYTES, SLABS_KEPT_MAX);
  }

  started(): void {
    this.inFlight += 1;
  }

  ended(): void {
    this.inFlight -= 1;
    if (this.inFlight === 0) this.onIdle?.();
  }
}
