import type { CallContext } from '../../backend.js';
import type { SwiftMethod } from '../transport.js';

/** One attempt at one endpoint, as it goes over the wire. */
export interface CallParameters {
  /** Of the endpoint, for messages. */
  readonly endpoint: string;
  readonly method: SwiftMethod;
  /** Raw, with the query. */
  readonly path: string;
  /** Name, value, name, value; values as wire text. */
  readonly headers: string[];
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  /** Undefined for what nobody gives up. */
  readonly context: CallContext | undefined;
  /** Called once, when the connection carries nothing of the call any more. */
  readonly released: () => void;
}
