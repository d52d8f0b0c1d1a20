import type { HeaderMap } from '../../http/exchange.js';
import { decodeUriComponentStrict, parseQuery, type QueryParameter } from '../../lib/uri.js';
import { allowedMethods, findRoute, isSubresource, type Route } from './routes.js';
import {
  KNOWN_PARAMETERS,
  UNKNOWN_SUBRESOURCE,
  type OperationName,
  type ResourceType,
} from './table.js';
import { queryOf, type Query } from '../request/query.js';
import { isValidBucketName } from '../rules/bucket-name.js';
import { requireKeyLength } from '../rules/object-key.js';
import { invalidArgument } from '../rules/query-parameters.js';
import { resourceDetails, S3Error } from '../errors.js';

/** The operation and resource of a request: the raw request line, read once. */
export interface Endpoint {
  readonly operation: OperationName;
  /** False for an operation that answers 501: see {@link notImplemented}. */
  readonly supported: boolean;
  readonly resource: ResourceType;
  /** Empty for the service. */
  readonly bucket: string;
  /** Decoded; empty unless the resource is an object. */
  readonly key: string;
  readonly query: Query;
}

const SLASH = 0x2f;

/** An endpoint before the headers are read: the routes of a method, subresource and resource. */
interface ParsedEndpoint extends Endpoint {
  readonly byHeader?: Readonly<Record<string, Route>> | undefined;
}

/**
 * Reads a request line. The path is `/`, `/bucket`, `/bucket/` or `/bucket/key`, and nothing in it
 * is normalised: `//` and `..` are parts of keys. In virtual-host style it is `/` or `/key`.
 *
 * An operation that is known and not supported is an endpoint too; an unknown subresource is one
 * named `UnknownSubresource`. SPEC.md 4.
 *
 * @param hostBucket the bucket that the host name has; empty for path style
 * @throws S3Error `InvalidURI`, `InvalidBucketName`, `KeyTooLongError`, `MethodNotAllowed`, and
 *   `InvalidArgument` for subresources that exclude one another
 */
export function parseEndpoint(
  method: string,
  rawPath: string,
  rawQuery: string,
  hostBucket = '',
): Endpoint {
  const parameters = parseQuery(rawQuery);
  if (parameters === undefined || rawPath.charCodeAt(0) !== SLASH) throw invalidUri(rawPath);
  const query = queryOf(parameters);
  if (hostBucket !== '') {
    requireBucketName(hostBucket);
    const key = rawPath.length > 1 ? decodeKey(hostBucket, rawPath, 1) : '';
    const resource = key === '' ? 'bucket' : 'object';
    return resolve(method, resource, hostBucket, key, parameters, query);
  }
  if (rawPath.length === 1) return serviceEndpoint(method, parameters, query);

  const slash = rawPath.indexOf('/', 1);
  const bucketEnd = slash === -1 ? rawPath.length : slash;
  const bucket = decodeBucket(rawPath, bucketEnd);
  const key = bucketEnd + 1 < rawPath.length ? decodeKey(bucket, rawPath, bucketEnd + 1) : '';
  const resource = key === '' ? 'bucket' : 'object';
  return resolve(method, resource, bucket, key, parameters, query);
}

/** The bucket of a request line that cannot be read otherwise; empty when it names none. */
export function bucketOfPath(rawPath: string, hostBucket = ''): string {
  const [, segment = ''] = rawPath.split('/', 2);
  const bucket = hostBucket === '' ? decodeUriComponentStrict(segment) : hostBucket;
  return bucket !== undefined && isValidBucketName(bucket) ? bucket : '';
}

/** Tells copies from uploads: `x-amz-copy-source` decides that, not the request line. */
export function refineByHeaders(endpoint: Endpoint, headers: HeaderMap): Endpoint {
  const { byHeader } = endpoint as ParsedEndpoint;
  if (byHeader === undefined) return endpoint;
  for (const header in byHeader) {
    const route = byHeader[header];
    if (route !== undefined && headers.has(header)) {
      return { ...endpoint, operation: route.operation, supported: route.supported };
    }
  }
  return endpoint;
}

/** The answer to an endpoint that is not supported. */
export function notImplemented(endpoint: Endpoint): S3Error {
  return new S3Error(
    'NotImplemented',
    endpoint.operation === UNKNOWN_SUBRESOURCE
      ? 'This subresource, or this method of it, is not implemented.'
      : `${endpoint.operation} is not implemented.`,
  );
}

function serviceEndpoint(
  method: string,
  parameters: readonly QueryParameter[],
  query: Query,
): Endpoint {
  // Checked before any subresource: GET is the only method of the account, SPEC.md 4.1.
  if (method !== 'GET') throw methodNotAllowed(method, 'service', 'GET');
  return resolve(method, 'service', '', '', parameters, query);
}

function resolve(
  method: string,
  resource: ResourceType,
  bucket: string,
  key: string,
  parameters: readonly QueryParameter[],
  query: Query,
): ParsedEndpoint {
  // A preflight carries the query of the request that it asks about, and is none of its operations.
  const named = method === 'OPTIONS' ? '' : findSubresource(parameters, query);
  // As in AWS, names that mean nothing do not matter to who reads an object: links carry them.
  const isRead = resource === 'object' && (method === 'GET' || method === 'HEAD');
  const subresource = named === undefined && isRead ? '' : named;
  requireWholePart(method, resource, subresource, query);
  const found = subresource === undefined ? undefined : findRoute(resource, subresource, method);
  if (found === undefined) {
    refuseMethod(method, resource, subresource);
    return { operation: UNKNOWN_SUBRESOURCE, supported: false, resource, bucket, key, query };
  }
  let route = found.route;
  if (found.byParameter !== undefined) {
    for (const name in found.byParameter) {
      if (query.has(name)) route = found.byParameter[name] ?? route;
    }
  }
  const { operation, supported } = route;
  return { operation, supported, resource, bucket, key, query, byHeader: found.byHeader };
}

/**
 * @returns '' when there is none, undefined for an unknown one: a name without a value that is no
 *   parameter either, which may be a feature that a later release of S3 has
 */
function findSubresource(parameters: readonly QueryParameter[], query: Query): string | undefined {
  let found = '';
  let unknown = false;
  for (const { name, value } of parameters) {
    if (isSubresource(name)) {
      // `partNumber` belongs to the upload where there is one.
      if (name === found || (name === 'partNumber' && query.has('uploadId'))) continue;
      if (found !== '') throw conflict(found, name);
      found = name;
    } else if ((value === undefined || value === '') && !isParameter(name)) {
      unknown = true;
    }
  }
  return found === '' && unknown ? undefined : found;
}

/**
 * A part is written by the number and the upload together.
 * @throws S3Error `InvalidArgument` without the upload, `MethodNotAllowed` without the number: AWS's
 */
function requireWholePart(
  method: string,
  resource: ResourceType,
  subresource: string | undefined,
  query: Query,
): void {
  if (method !== 'PUT' || resource !== 'object') return;
  if (subresource === 'uploadId' && !query.has('partNumber')) {
    throw methodNotAllowed(method, 'upload', 'DELETE, POST, GET');
  }
  if (subresource !== 'partNumber') return;
  throw invalidArgument(
    'partNumber',
    'partNumber',
    'This operation does not accept partNumber without uploadId',
  );
}

function isParameter(name: string): boolean {
  return KNOWN_PARAMETERS.has(name) || name.toLowerCase().startsWith('x-amz-');
}

/**
 * The answer to a wrong method: 405 if the service supports the resource, or anything of the
 * subresource; otherwise 501, as for all that is unsupported.
 */
function refuseMethod(
  method: string,
  resource: ResourceType,
  subresource: string | undefined,
): void {
  if (subresource === undefined) return;
  const allowed = allowedMethods(resource, subresource);
  if (allowed !== undefined) throw methodNotAllowed(method, resource, allowed);
}

/**
 * For operations that take no version id.
 * @throws S3Error `InvalidArgument`, as AWS
 */
export function refuseVersionId({ query, bucket, key }: Endpoint): void {
  const versionId = query.get('versionId');
  if (versionId === undefined) return;
  throw new S3Error('InvalidArgument', 'This operation does not accept a version-id.', {
    ...resourceDetails(bucket, key),
    ArgumentName: 'versionId',
    ArgumentValue: versionId,
  });
}

function methodNotAllowed(
  method: string,
  resource: ResourceType | 'upload',
  allowed: string,
): S3Error {
  return new S3Error(
    'MethodNotAllowed',
    undefined,
    { Method: method, ResourceType: resource.toUpperCase() },
    { headers: [['Allow', allowed]] },
  );
}

function conflict(first: string, second: string): S3Error {
  return new S3Error(
    'InvalidArgument',
    `Conflicting query string parameters: ${first}, ${second}`,
    {
      ArgumentName: 'ResourceType',
      ArgumentValue: first,
    },
  );
}

function decodeBucket(rawPath: string, end: number): string {
  const bucket = decodeUriComponentStrict(rawPath.slice(1, end));
  if (bucket === undefined) throw invalidUri(rawPath);
  requireBucketName(bucket);
  return bucket;
}

function requireBucketName(bucket: string): void {
  if (!isValidBucketName(bucket)) {
    throw new S3Error('InvalidBucketName', undefined, { BucketName: bucket });
  }
}

function decodeKey(bucket: string, rawPath: string, start: number): string {
  const key = decodeUriComponentStrict(rawPath.slice(start));
  // A NUL ends or breaks names in Swift, and AWS refuses it nowhere by a rule of its own.
  if (key?.includes('\0') !== false) throw invalidUri(rawPath);
  requireKeyLength(bucket, key);
  return key;
}

function invalidUri(rawPath: string): S3Error {
  return new S3Error('InvalidURI', undefined, { URI: rawPath });
}
