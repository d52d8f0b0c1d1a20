import type { ExchangeHandler } from '../http/exchange.js';
import type { TrustedProxies } from '../http/trusted-proxies.js';
import type { Authenticator } from './auth/authenticate.js';
import type { Addressing } from './endpoint/addressing.js';
import type { Services } from './operation.js';
import type { Admission } from './request/admission.js';
import { CrossOrigin } from './request/cors.js';
import { type FailureLog, SampledFailureLog } from './request/failures.js';
import type { RequestRecorder } from './request/request-record.js';
import { RequestRun } from './request/request-run.js';

/** The options that all requests share. */
export interface PipelineOptions {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly addressing: Addressing;
  readonly admission: Admission;
  readonly proxies: TrustedProxies;
  readonly recorder: RequestRecorder;
  readonly log: FailureLog;
}

/**
 * The one way of every request:
 *
 *     parse → admit → authenticate → authorise → operation → respond → record
 *
 * The common work of every request (ids, common headers, the error document, metrics, the log line
 * of a failure) happens here and nowhere else; operations return data.
 */
export function createPipeline(options: PipelineOptions): ExchangeHandler {
  const shared = { ...options, log: new SampledFailureLog(options.log) };
  const crossOrigin = new CrossOrigin(options.services.backend, options.authenticator);
  return (exchange) => new RequestRun(shared, crossOrigin, exchange).run();
}
