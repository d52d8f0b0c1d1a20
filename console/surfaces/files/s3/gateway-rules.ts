import { S3Error } from '../../../../src/s3/errors.js';
import type { CorsConfiguration } from '../../../../src/s3/rules/cors/configuration.js';
import { parseCorsConfiguration } from '../../../../src/s3/xml/cors-configuration.js';
import type { LifecycleConfiguration } from '../../../../src/s3/rules/lifecycle/configuration.js';
import { parseLifecycleConfiguration } from '../../../../src/s3/xml/lifecycle-configuration.js';
import { ApiError } from '../../../server/api-error.js';

/**
 * The gateway's own rules of names, lifecycle, CORS and access to segments, so that the console decides as
 * the gateway does. They are pure functions: nothing else of the gateway's code runs here.
 */

export { aclOfSegments } from '../../../../src/s3/rules/acl/container-acl.js';
export { isValidBucketName } from '../../../../src/s3/rules/bucket-name.js';
export { matchCors } from '../../../../src/s3/rules/cors/match.js';
export { renderCorsConfiguration } from '../../../../src/s3/xml/cors-configuration.js';
export type { CorsConfiguration, CorsRule } from '../../../../src/s3/rules/cors/configuration.js';
export {
  abortOf,
  deleteMarkerExpirationOf,
  dueAction,
  dueNoncurrentAction,
  expirationOf,
  isDue,
} from '../../../../src/s3/rules/lifecycle/evaluate.js';
export { tagsMatter } from '../../../../src/s3/rules/lifecycle/filter.js';
export { renderLifecycleConfiguration } from '../../../../src/s3/xml/lifecycle-configuration.js';
export type {
  LifecycleConfiguration,
  LifecycleRule,
  LifecycleTime,
} from '../../../../src/s3/rules/lifecycle/configuration.js';

/** @throws ApiError invalid_argument with what is wrong in the document */
export function parseLifecycle(document: string): LifecycleConfiguration {
  return understood(() => parseLifecycleConfiguration(Buffer.from(document)));
}

/** @throws ApiError invalid_argument with what is wrong in the document */
export function parseCors(document: string): CorsConfiguration {
  return understood(() => parseCorsConfiguration(Buffer.from(document)));
}

function understood<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new ApiError('invalid_argument', `S3 rejected the request: ${error.message}`);
  }
}
