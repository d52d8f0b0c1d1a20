import { BurstLedger } from './burst-ledger.js';
import { Heartbeat } from './heartbeat.js';
import type { EdgeLimits } from './limits.js';

/** What all exchanges of one server share. */
export class EdgeState {
  readonly heartbeat: Heartbeat;
  readonly ledger: BurstLedger;
  /** Exchanges whose response is not complete, or whose connection is about to be closed. */
  inFlight = 0;
  /** Of these, the ones that wait for their client to read the answer and leave. */
  lingering = 0;
  /** Responses say `Connection: close`. */
  draining = false;
  /** Connections are being closed by us, whatever they do. */
  closing = false;
  /** Called whenever the last exchange in flight ends. */
  onIdle: (() => void) | undefined;

  constructor(readonly limits: EdgeLimits) {
    this.heartbeat = new Heartbeat(limits.keepAliveTouchMs);
    this.ledger = new BurstLedger(limits.burstBytesMax);
  }

  started(): void {
    this.inFlight += 1;
  }

  ended(): void {
    this.inFlight -= 1;
    if (this.inFlight === 0) this.onIdle?.();
  }
}
