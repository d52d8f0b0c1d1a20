import type { ExchangeHandler } from '../http/exchange.js';
import { CrossOrigin } from './cross-origin.js';
import { SampledFailureLog } from './failures.js';
import type { PipelineOptions } from './pipeline-options.js';
import { RequestRun } from './request-run.js';

/**
 * The one way of every request:
 *
 *     parse → admit → authenticate → authorise → operation → respond → record
 *
 * What every request gets (ids, common headers, the error document, metrics, the log line of a
 * failure) happens here and nowhere else; operations return data.
 */
export function createPipeline(options: PipelineOptions): ExchangeHandler {
  const shared = { ...options, log: new SampledFailureLog(options.log) };
  const crossOrigin = new CrossOrigin(options.services.backend, options.authenticator);
  return (exchange) => new RequestRun(shared, crossOrigin, exchange).run();
}
