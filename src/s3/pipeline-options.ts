import type { TrustedProxies } from '../http/trusted-proxies.js';
import type { Addressing } from './addressing.js';
import type { Admission } from './admission.js';
import type { Authenticator } from './auth/authenticate.js';
import type { FailureLog } from './failures.js';
import type { Services } from './operation.js';
import type { RequestRecorder } from './request-record.js';

/** What all requests share. */
export interface PipelineOptions {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly addressing: Addressing;
  readonly admission: Admission;
  readonly proxies: TrustedProxies;
  readonly recorder: RequestRecorder;
  readonly log: FailureLog;
}
