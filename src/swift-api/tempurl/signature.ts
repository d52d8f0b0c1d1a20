import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ObjectRef } from '../../backend/backend.js';
import type { TempUrlParameters } from './parameters.js';

/**
 * What is signed (swift.common.utils.get_hmac):
 *
 *     [ip=<range>\n]METHOD\n<expires>\n[prefix:]/v1/<account>/<container>/<object or prefix>
 *
 * with the path as it is, not encoded.
 */
export function signedText(
  method: string,
  { account, container, object }: ObjectRef,
  { expiresAtS, prefix, ipRange }: Pick<TempUrlParameters, 'expiresAtS' | 'prefix' | 'ipRange'>,
): string {
  const path =
    prefix === undefined
      ? `/v1/${account}/${container}/${object}`
      : `prefix:/v1/${account}/${container}/${prefix}`;
  const lines = [method, String(expiresAtS), path];
  return (ipRange === undefined || ipRange === '' ? lines : [`ip=${ipRange}`, ...lines]).join('\n');
}

/** Who may GET, PUT or POST may HEAD. */
function methodsFor(method: string): readonly string[] {
  return method === 'HEAD' ? ['HEAD', 'GET', 'POST', 'PUT'] : [method];
}

/** Whether the URL was signed with this key, for this method. */
export function isSignedWith(
  key: string,
  method: string,
  ref: ObjectRef,
  parameters: TempUrlParameters,
): boolean {
  const { digest, bytes } = parameters.signature;
  let good = false;
  for (const one of methodsFor(method)) {
    const wanted = createHmac(digest, key)
      .update(signedText(one, ref, parameters))
      .digest();
    good = timingSafeEqual(wanted, bytes) || good;
  }
  return good;
}
