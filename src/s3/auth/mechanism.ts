import type { HeaderMap } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { S3Error } from '../s3-error.js';
import { isPresigned } from './presigned-query.js';
import { isPresignedV2 } from './presigned-query-v2.js';
import { ALGORITHM } from './signature-claim.js';

const V4_SCHEME = `${ALGORITHM} `;

/** The way a request is signed; `none` when it does not claim to be. */
export type Mechanism = 'v4-header' | 'v4-query' | 'v2-header' | 'v2-query' | 'none';

/**
 * Anything that looks like a signature makes a request a signed one: a broken or stripped one must
 * not pass for an anonymous one.
 * @throws S3Error InvalidArgument (two mechanisms at once, an unknown one), InvalidRequest (SigV4A)
 */
export function mechanismOf(headers: HeaderMap, query: readonly QueryParameter[]): Mechanism {
  const authorization = headers.get('authorization');
  if (query.length === 0) {
    return authorization === undefined ? 'none' : mechanismOfHeader(authorization);
  }
  const v4 = isPresigned(query);
  const v2 = isPresignedV2(query);
  if ((v4 && v2) || (authorization !== undefined && (v4 || v2))) {
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      { ArgumentName: 'Authorization' },
    );
  }
  if (authorization !== undefined) return mechanismOfHeader(authorization);
  if (v4) return 'v4-query';
  return v2 ? 'v2-query' : 'none';
}

function mechanismOfHeader(authorization: string): Mechanism {
  if (authorization.startsWith(V4_SCHEME)) return 'v4-header';
  const scheme = authorization.split(' ', 1)[0];
  if (scheme === ALGORITHM) return 'v4-header';
  if (scheme === 'AWS') return 'v2-header';
  if (scheme === 'AWS4-ECDSA-P256-SHA256') {
    throw new S3Error(
      'InvalidRequest',
      `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`,
    );
  }
  // AWS repeats the header's value here; it may be somebody's token, and goes into no document.
  throw new S3Error('InvalidArgument', 'Unsupported Authorization Type', {
    ArgumentName: 'Authorization',
  });
}
