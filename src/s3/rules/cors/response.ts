import type { HeaderList, HeaderMap } from '../../../http/exchange.js';
import { S3Error } from '../../errors.js';
import { CORS_METHODS, type CorsConfiguration } from './configuration.js';
import { matchCors, type CorsMatch, type CorsRequest } from './match.js';

/**
 * The answers to a request with an `Origin` by the bucket's rules. Their order and text are AWS's:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html
 */

const ORIGIN = 'origin';
const REQUEST_METHOD = 'access-control-request-method';
const REQUEST_HEADERS = 'access-control-request-headers';

/** All that an answer depends on. */
const VARY: HeaderList = [
  ['Vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'],
];

const NO_HEADERS: HeaderList = [];

/** The bucket's rules, or why there are none. */
export type CorsState = CorsConfiguration | 'not configured' | 'no bucket';

/**
 * The headers of the answer to a preflight, which is a 200 without a body.
 *
 * @param resource - what the URL names
 * @throws S3Error `BadRequest` for any other request; `AccessForbidden` unless a rule allows it
 */
export function answerPreflight(
  headers: HeaderMap,
  state: CorsState,
  resource: 'bucket' | 'object',
): HeaderList {
  const origin = headers.get(ORIGIN);
  if (origin === undefined) {
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.');
  }
  const method = headers.get(REQUEST_METHOD);
  if (method === undefined || !(CORS_METHODS as readonly string[]).includes(method)) {
    throw new S3Error('BadRequest', `Invalid Access-Control-Request-Method: ${method ?? 'null'}`);
  }
  if (state === 'no bucket') throw forbidden('Bucket not found', method, 'bucket');
  if (state === 'not configured') {
    throw forbidden('CORS is not enabled for this bucket.', method, 'bucket');
  }
  const request = { origin, method, requestedHeaders: requestedHeaders(headers) };
  const match = matchCors(state, request);
  if (match === undefined) throw forbidden(NOT_ALLOWED, method, resource);
  return [...allowed(match, request), ...VARY];
}

/**
 * Headers to add to any other response, errors included: nothing is refused here, the browser keeps
 * a response without them from the page.
 *
 * A bucket with rules varies by origin for every request. (AWS says so only to those it lets in,
 * and caches then hand the answer without CORS headers to the page that should have had them.)
 */
export function corsHeaders(
  method: string,
  headers: HeaderMap,
  configuration: CorsConfiguration | undefined,
): HeaderList {
  if (configuration === undefined) return NO_HEADERS;
  const origin = headers.get(ORIGIN);
  if (origin === undefined) return VARY;
  const request = {
    origin,
    // A request that says what a preflight would say is judged by it, as with AWS.
    method: headers.get(REQUEST_METHOD) ?? method,
    requestedHeaders: requestedHeaders(headers),
  };
  const match = matchCors(configuration, request);
  return match === undefined ? VARY : [...allowed(match, request), ...VARY];
}

/** Credentials are for origins that a rule names; browsers refuse them together with `*`. */
function allowed({ rule, originPattern }: CorsMatch, request: CorsRequest): HeaderList {
  const anyOrigin = originPattern === '*';
  const headers: [string, string][] = [
    ['Access-Control-Allow-Origin', anyOrigin ? '*' : request.origin],
    ['Access-Control-Allow-Methods', rule.allowedMethods.join(', ')],
  ];
  if (request.requestedHeaders.length > 0) {
    headers.push(['Access-Control-Allow-Headers', request.requestedHeaders.join(', ')]);
  }
  if (rule.exposeHeaders.length > 0) {
    headers.push(['Access-Control-Expose-Headers', rule.exposeHeaders.join(', ')]);
  }
  if (rule.maxAgeSeconds !== undefined) {
    headers.push(['Access-Control-Max-Age', String(rule.maxAgeSeconds)]);
  }
  if (!anyOrigin) headers.push(['Access-Control-Allow-Credentials', 'true']);
  return headers;
}

function requestedHeaders(headers: HeaderMap): string[] {
  const list = headers.get(REQUEST_HEADERS);
  if (list === undefined) return [];
  return list
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

/** AWS's sentence, spelling included, since users search for it. */
const NOT_ALLOWED =
  "This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.";

function forbidden(message: string, method: string, resource: 'bucket' | 'object'): S3Error {
  return new S3Error('AccessForbidden', `CORSResponse: ${message}`, {
    Method: method,
    ResourceType: resource === 'bucket' ? 'BUCKET' : 'OBJECT',
  });
}
